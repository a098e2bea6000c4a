/** A number as it is written, because a float does not keep all digits of an integer. */
export class WrittenNumber {
  constructor(readonly text: string) {}

  get isInteger(): boolean {
    return /^-?\d+$/.test(this.text);
  }

  /**
   * Tells whether the numbers are equal: in all digits if this one is an integer, otherwise as
   * floats.
   */
  equals({ text }: WrittenNumber): boolean {
    if (this.isInteger && /^-?\d+$/.test(text)) return BigInt(this.text) === BigInt(text);
    return this.isSameFloat({ text });
  }

  isSameFloat({ text }: Pick<WrittenNumber, 'text'>): boolean {
    return Number(this.text) === Number(text);
  }
}

export type Tree = null | boolean | string | WrittenNumber | Tree[] | Fields;
export type Fields = ReadonlyMap<string, Tree>;

const TOKEN = /[ \t\r\n]*("[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:])/y;
const LITERALS: ReadonlyMap<string, Tree> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Reads a text that must be JSON; of fields named twice the last one counts. It works differently
 * from the judge, because it is compared with the judge.
 */
export function treeOf(json: string): Tree {
  const tokens = new RegExp(TOKEN);
  const next = (): string => {
    const token = tokens.exec(json)?.[1];
    if (token === undefined) throw new Error(`no JSON: ${json.slice(0, 200)}`);
    return token;
  };
  const value = (token: string): Tree => {
    if (token === '{') return fields();
    if (token === '[') return elements();
    if (token.startsWith('"')) return JSON.parse(token) as string;
    return LITERALS.get(token) ?? (token === 'null' ? null : new WrittenNumber(token));
  };
  const elements = (): Tree[] => {
    const all: Tree[] = [];
    for (let token = next(); token !== ']';) {
      all.push(value(token));
      token = next();
      if (token === ',') token = next();
    }
    return all;
  };
  const fields = (): Fields => {
    const all = new Map<string, Tree>();
    for (let token = next(); token !== '}';) {
      const name = JSON.parse(token) as string;
      next();
      all.set(name, value(next()));
      token = next();
      if (token === ',') token = next();
    }
    return all;
  };
  return value(next());
}

export const isFields = (tree: Tree): tree is Fields => tree instanceof Map;

/** A record's or a row's fields. */
export function fieldsOf(json: string): Fields {
  const tree = treeOf(json);
  if (!isFields(tree)) throw new Error(`no object: ${json.slice(0, 200)}`);
  return tree;
}
