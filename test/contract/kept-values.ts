import { isFields, WrittenNumber, type Fields, type Tree } from './json-trees.js';

/**
 * Whether what was read back is what was sent, but for what is stated in docs: within objects nulls
 * and empty objects are left out, and a list is read by the type of another one in the same place.
 */
export class KeptValues {
  /** Places of lists that have a fraction, and of those that have a list or an object. */
  private readonly fractions = new Set<string>();
  private readonly nested = new Set<string>();

  /** Lists of a record that has been accepted, for those that are read by their types. */
  learn(record: Fields): void {
    for (const [name, value] of record) this.learnOf(value, place('', name));
  }

  private learnOf(value: Tree, at: string): void {
    if (isFields(value)) for (const [name, each] of value) this.learnOf(each, place(at, name));
    if (!Array.isArray(value)) return;
    const within = `${at}[]`;
    for (const each of value) {
      if (each instanceof WrittenNumber && !each.isInteger) this.fractions.add(within);
      if (Array.isArray(each) || isFields(each)) this.nested.add(within);
      this.learnOf(each, within);
    }
  }

  /**
   * @param columns those that the stream had when the record was accepted
   * @returns the first field that is another, with what was sent and what was read; undefined: none
   */
  changed(sent: Fields, read: Fields, columns: ReadonlySet<string>): string | undefined {
    for (const [name, value] of sent) {
      if (name === '_timestamp') continue;
      const stored = read.get(name) ?? null;
      const isKept =
        value === null || !columns.has(name)
          ? isSilent(value) && isDefault(stored)
          : this.isSame(value, stored, place('', name), false);
      if (!isKept) return `${JSON.stringify(name)}: ${shown(value)} is ${shown(stored)}`;
    }
    for (const [name, stored] of read)
      if (name !== '_timestamp' && !sent.has(name) && !isDefault(stored))
        return `${JSON.stringify(name)}: nothing is ${shown(stored)}`;
    return undefined;
  }

  private isSame(sent: Tree, stored: Tree, at: string, isInObject: boolean): boolean {
    if (sent instanceof WrittenNumber) {
      if (!(stored instanceof WrittenNumber)) return false;
      const isRounded = isInObject && this.fractions.has(at) && sent.isSameFloat(stored);
      return sent.equals(stored) || isRounded;
    }
    if (Array.isArray(sent))
      return (
        Array.isArray(stored) &&
        stored.length === sent.length &&
        sent.every((each, n) => this.isSame(each, stored[n] ?? null, `${at}[]`, isInObject))
      );
    if (isFields(sent)) return isFields(stored) && this.areSame(sent, stored, at);
    if (sent === null && isInObject && this.nested.has(at))
      return stored === null || isNothing(stored);
    return sent === stored;
  }

  private areSame(sent: Fields, stored: Fields, at: string): boolean {
    const [said, found] = [saying(sent), saying(stored)];
    return (
      said.size === found.size &&
      [...said].every(([name, value]) => {
        const other = found.get(name);
        return other !== undefined && this.isSame(value, other, place(at, name), true);
      })
    );
  }
}

const place = (at: string, name: string): string => `${at}.${JSON.stringify(name)}`;

const isNothing = (value: Tree): boolean =>
  Array.isArray(value) ? value.length === 0 : isFields(value) && value.size === 0;

/** What a column has for a row that says nothing there. */
const isDefault = (stored: Tree): boolean => stored === null || isNothing(stored);

/** What needs no column. */
const isSilent = (value: Tree): boolean =>
  value === null || (Array.isArray(value) && value.every((each) => each === null));

/** Fields that say something. */
function saying(fields: Fields): Fields {
  return new Map([...fields].filter(([, value]) => value !== null && !isEmpty(value)));
}

const isEmpty = (value: Tree): boolean => isFields(value) && saying(value).size === 0;

function shown(value: Tree): string {
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof WrittenNumber) return `#${each.text}`;
    return each instanceof Map ? Object.fromEntries(each as Fields) : each;
  });
  return text.slice(0, 500);
}
