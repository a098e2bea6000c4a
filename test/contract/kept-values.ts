import { isFields, treeOf, WrittenNumber, type Fields, type Tree } from './json-trees.js';

/** Places of lists, each with the values that have such a list there. */
type Places = Map<string, Set<Tree>>;

/**
 * Tells whether the value that was read is the one that was sent, apart from the changes that the
 * documents state: within objects, nulls and empty objects are left out, and a list is read by the
 * type of another one in the same place.
 */
export class KeptValues {
  /** These places have lists with a fraction. */
  private readonly fractions: Places = new Map();
  /** These places have lists with a list or an object. */
  private readonly nested: Places = new Map();
  /** The examined value: of a column, of a column's list, or an object of any list. */
  private root: Tree = null;

  /** Lists of a record that has been accepted, for others that are read by their types. */
  learn(record: Fields): void {
    for (const [name, value] of record)
      for (const root of rootsOf(value)) {
        this.root = root;
        this.learnOf(root, place('', name));
      }
  }

  private learnOf(value: Tree, at: string): void {
    if (isFields(value)) for (const [name, each] of value) this.learnOf(each, place(at, name));
    if (!Array.isArray(value)) return;
    const within = `${at}[]`;
    for (const each of value) {
      if (each instanceof WrittenNumber && !each.isInteger) this.add(this.fractions, within);
      if (Array.isArray(each) || isFields(each)) this.add(this.nested, within);
      this.within(each, () => this.learnOf(each, within));
    }
  }

  private add(places: Places, at: string): void {
    const roots = places.get(at) ?? new Set();
    places.set(at, roots.add(this.root));
  }

  /** An object in a list stands for itself: its lists too are read by those of the others. */
  private within<T>(each: Tree, look: () => T): T {
    const { root } = this;
    if (isFields(each)) this.root = each;
    const found = look();
    this.root = root;
    return found;
  }

  private isElsewhere(places: Places, at: string): boolean {
    const roots = places.get(at);
    return roots !== undefined && roots.size > (roots.has(this.root) ? 1 : 0);
  }

  /**
   * @param columns those that the stream had when the record was accepted
   * @param verbatim those that have texts of what was written
   * @returns the first field that is another, with what was sent and what was read; undefined: none
   */
  changed(
    sent: Fields,
    read: Fields,
    columns: ReadonlySet<string>,
    verbatim: ReadonlySet<string> = new Set(),
  ): string | undefined {
    for (const [name, value] of sent) {
      if (name === '_timestamp') continue;
      const stored = read.get(name) ?? null;
      const isKept =
        value === null || !columns.has(name)
          ? isSilent(value) && isDefault(stored)
          : verbatim.has(name)
            ? isWritten(value, stored)
            : this.isKept(value, stored, place('', name));
      if (!isKept)
        return `${JSON.stringify(name)}: ${shown(value).slice(0, 500)} is ${shown(stored).slice(0, 500)}`;
    }
    for (const [name, stored] of read)
      if (name !== '_timestamp' && !sent.has(name) && !isDefault(stored))
        return `${JSON.stringify(name)}: nothing is ${shown(stored).slice(0, 500)}`;
    return undefined;
  }

  private isKept(sent: Tree, stored: Tree, at: string): boolean {
    const [roots, found] = [rootsOf(sent), rootsOf(stored)];
    return (
      Array.isArray(sent) === Array.isArray(stored) &&
      roots.length === found.length &&
      roots.every((root, n) => {
        this.root = root;
        return this.isSame(root, found[n] ?? null, at, false);
      })
    );
  }

  private isSame(sent: Tree, stored: Tree, at: string, isInObject: boolean): boolean {
    if (sent instanceof WrittenNumber) {
      if (!(stored instanceof WrittenNumber)) return false;
      const isRounded =
        isInObject && this.isElsewhere(this.fractions, at) && sent.isSameFloat(stored);
      return sent.equals(stored) || isRounded;
    }
    if (Array.isArray(sent))
      return (
        Array.isArray(stored) &&
        stored.length === sent.length &&
        sent.every((each, n) =>
          this.within(each, () => this.isSame(each, stored[n] ?? null, `${at}[]`, isInObject)),
        )
      );
    if (isFields(sent)) return isFields(stored) && this.areSame(sent, stored, at);
    if (sent === null && isInObject && this.isElsewhere(this.nested, at))
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

/** Tells whether a text says the same, letter by letter but for blanks; a text stands for itself. */
const isWritten = (sent: Tree, stored: Tree): boolean =>
  typeof stored === 'string' &&
  (typeof sent === 'string' ? sent === stored : shown(sent) === shown(treeOf(stored)));

const rootsOf = (value: Tree): readonly Tree[] => (Array.isArray(value) ? value : [value]);

const place = (at: string, name: string): string => `${at}.${JSON.stringify(name)}`;

const isNothing = (value: Tree): boolean =>
  Array.isArray(value) ? value.length === 0 : isFields(value) && value.size === 0;

/**
 * Tells whether a column has its default, as it has for a row without the field. For objects that
 * is null, since `{}` says something.
 */
const isDefault = (stored: Tree): boolean =>
  stored === null || (Array.isArray(stored) && stored.length === 0);

/** Tells whether a value has no content, so that it needs no column. */
const isSilent = (value: Tree): boolean =>
  value === null || (Array.isArray(value) && value.every((each) => each === null));

/** Fields with content. */
function saying(fields: Fields): Fields {
  return new Map([...fields].filter(([, value]) => value !== null && !isEmpty(value)));
}

const isEmpty = (value: Tree): boolean => isFields(value) && saying(value).size === 0;

function shown(value: Tree): string {
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof WrittenNumber) return `#${each.text}`;
    return each instanceof Map ? Object.fromEntries(each as Fields) : each;
  });
  return text;
}
