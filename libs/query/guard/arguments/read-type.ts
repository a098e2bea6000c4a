import { isAllowedFunction } from '../functions/allowed-functions.js';
import { tokensOf, type Token } from './type-tokens.js';

/**
 * A strict reader for texts that functions take as arguments: a type, the structure of a table, the
 * name of an aggregate function. The engine's own readers of such texts also accept expressions,
 * and run them. Here only the grammar below is accepted, so that the engine reads exactly what was
 * judged.
 */

/** The arguments that are allowed in the brackets of a type. */
type Form =
  | 'none'
  | 'numbers'
  | 'zone'
  | 'enum'
  | 'type'
  | 'types'
  | 'elements'
  | 'json'
  | 'dynamic'
  | 'qbit';

const FORMS: Readonly<Record<Form, string>> = {
  none:
    'bfloat16 bool boolean byte bytea date date32 double float float32 float64 geometry inet4 inet6 ' +
    'int8 int16 int32 int64 int128 int256 uint8 uint16 uint32 uint64 uint128 uint256 ' +
    'intervalnanosecond intervalmicrosecond intervalmillisecond intervalsecond intervalminute ' +
    'intervalhour intervalday intervalweek intervalmonth intervalquarter intervalyear ipv4 ipv6 ' +
    'linestring multilinestring multipolygon nothing point polygon real ring signed single string ' +
    'time unsigned uuid double_precision year',
  numbers:
    'bigint bigint_signed bigint_unsigned binary bit blob char character char_varying ' +
    'character_varying clob dec decimal decimal32 decimal64 decimal128 decimal256 fixed fixedstring ' +
    'int int_signed int_unsigned int1 integer integer_signed integer_unsigned longblob longtext ' +
    'mediumblob mediumint mediumtext nchar numeric nvarchar smallint smallint_signed ' +
    'smallint_unsigned text time64 tinyblob tinyint tinyint_signed tinyint_unsigned tinytext ' +
    'varbinary varchar varchar2',
  zone: 'datetime datetime32 datetime64 timestamp',
  enum: 'enum enum8 enum16',
  type: 'array lowcardinality nullable',
  types: 'map variant',
  elements: 'tuple nested',
  json: 'json',
  dynamic: 'dynamic',
  qbit: 'qbit',
};

const FORM_OF: ReadonlyMap<string, Form> = new Map(
  (Object.entries(FORMS) as [Form, string][]).flatMap(([form, names]) =>
    names.split(' ').map((name) => [name, form] as const),
  ),
);
const DEPTH_MAX = 40;
const LIMIT_NAMES = /^max_(?:dynamic_paths|dynamic_types|types)$/;

/** The names in a text, which are judged elsewhere. */
export interface TextNames {
  readonly zones: readonly string[];
}

/** @returns undefined if it is no type, or one that statements may not name. */
export function readType(text: string): TextNames | undefined {
  return read(text, (reader) => reader.type(0));
}

/** Columns of a table: `name Type` pairs and nothing else. */
export function readStructure(text: string): TextNames | undefined {
  return read(text, (reader) => reader.list(() => reader.name() && reader.type(0)));
}

/** An aggregate function with parameters that are literals. */
export function readAggregate(text: string): TextNames | undefined {
  return read(text, (reader) => reader.aggregate());
}

function read(text: string, form: (reader: Reader) => boolean): TextNames | undefined {
  const tokens = tokensOf(text);
  if (!tokens) return undefined;
  const reader = new Reader(tokens);
  return form(reader) && reader.isAtEnd ? { zones: reader.zones } : undefined;
}

class Reader {
  readonly zones: string[] = [];
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get isAtEnd(): boolean {
    return this.at === this.tokens.length;
  }

  type(depth: number): boolean {
    const form = this.family();
    if (form === undefined || depth > DEPTH_MAX) return false;
    if (!this.takes('(')) return form !== 'type' && form !== 'types' && form !== 'enum';
    return this.inside(form, depth + 1) && this.takes(')');
  }

  /**
   * Reads a list that has at least one item.
   * @returns false where an item is not valid
   */
  list(one: () => boolean): boolean {
    do if (!one()) return false;
    while (this.takes(','));
    return true;
  }

  name(): boolean {
    return this.take('word') !== undefined || this.take('name') !== undefined;
  }

  aggregate(): boolean {
    const name = this.take('word');
    if (name === undefined || !isAllowedFunction(name)) return false;
    if (!this.takes('(')) return true;
    if (this.takes(')')) return true;
    const literal = (): boolean => this.number() || this.take('text') !== undefined;
    return this.list(literal) && this.takes(')');
  }

  /** Some names of types have several words. */
  private family(): Form | undefined {
    const words = this.tokens.slice(this.at, this.at + 2);
    const [first, second] = words.map(({ kind, text }) =>
      kind === 'word' ? text.toLowerCase() : '',
    );
    if (!first) return undefined;
    const both = second ? FORM_OF.get(`${first}_${second}`) : undefined;
    this.at += both ? 2 : 1;
    // Joined words of one name must also be a name that the engine has.
    return both ?? (first.includes('_') ? undefined : FORM_OF.get(first));
  }

  private inside(form: Form, depth: number): boolean {
    switch (form) {
      case 'none':
        return false;
      case 'numbers':
        return this.list(() => this.number());
      case 'zone':
        return this.zoned();
      case 'enum':
        return this.list(() => this.value());
      case 'type':
        return this.type(depth);
      case 'types':
        return this.list(() => this.type(depth));
      case 'elements':
        return this.list(() => this.element(depth));
      case 'json':
        return this.list(() => this.path(depth));
      case 'dynamic':
        return this.limit();
      case 'qbit':
        return this.type(depth) && this.takes(',') && this.number();
    }
  }

  /** `3`, `'UTC'` or `3, 'UTC'` */
  private zoned(): boolean {
    if (this.number() && !this.takes(',')) return true;
    const zone = this.take('text');
    if (zone === undefined) return false;
    this.zones.push(zone);
    return true;
  }

  private value(): boolean {
    if (this.take('text') === undefined) return false;
    return !this.takes('=') || this.number();
  }

  /** Reads an element of a tuple: a type, with or without a name before it. */
  private element(depth: number): boolean {
    const start = this.at;
    if (this.type(depth) && this.isBeforeNext()) return true;
    this.at = start;
    return this.name() && this.type(depth);
  }

  /** Reads an argument of JSON: a limit, a path to skip, or a path with its type. */
  private path(depth: number): boolean {
    if (this.limit()) return true;
    const start = this.at;
    if (this.take('word')?.toUpperCase() === 'SKIP') {
      if (this.take('word')?.toUpperCase() === 'REGEXP') return this.take('text') !== undefined;
      this.at = start + 1;
      if (this.dotted() && this.isBeforeNext()) return true;
    }
    this.at = start;
    return this.dotted() && this.type(depth);
  }

  private dotted(): boolean {
    do if (!this.name()) return false;
    while (this.takes('.'));
    return true;
  }

  private limit(): boolean {
    const start = this.at;
    if (LIMIT_NAMES.test(this.take('word') ?? '') && this.takes('=') && this.number()) return true;
    this.at = start;
    return false;
  }

  private number(): boolean {
    return this.take('number') !== undefined;
  }

  private isBeforeNext(): boolean {
    const { text, kind } = this.tokens[this.at] ?? { text: '', kind: 'end' };
    return kind === 'mark' && (text === ',' || text === ')');
  }

  private takes(mark: string): boolean {
    const next = this.tokens[this.at];
    if (next?.kind !== 'mark' || next.text !== mark) return false;
    this.at += 1;
    return true;
  }

  private take(kind: Token['kind']): string | undefined {
    const next = this.tokens[this.at];
    if (next?.kind !== kind) return undefined;
    this.at += 1;
    return next.text;
  }
}
