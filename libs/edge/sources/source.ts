import { quoteIdentifier, quoteText, type Column } from '@app/warehouse';
import type { SourceStamp } from './source-stamp.js';

/** Settings of the engine, by name; values as they stand in a statement. */
export type Settings = Readonly<Record<string, string>>;

/** Tells where the engine reads a table's rows from. */
export interface Source {
  /**
   * The table function.
   * @param structure columns and types as the engine writes them; undefined: it finds them out.
   */
  call(structure: string | undefined): string;
  /** Whenever rows are read. */
  readonly settings: Settings;
  /** Besides, while the schema is found out. */
  readonly inference: Settings;
  /** Tells whether it has no schema of its own, so that what was inferred once is held on to. */
  readonly inferred: boolean;
  /** Tells whether names are left open, so that there may be several files. */
  readonly many: boolean;
  /** The first row as one of values: it is all that there is of the columns where no other follows. */
  readonly header?: Pick<Source, 'call' | 'settings'>;
  /** A table function with what each of its files of Parquet says of itself; absent: it has none. */
  readonly footers?: string;
  /** Names of its columns by their places; absent: it has names of its own, or none. */
  readonly names?: readonly string[];
  /** The same by the names of its columns; absent: it is one file, or has no `names`. */
  readonly byNames?: Source;
  /** A subquery with one row at most, where who holds them would otherwise send all; absent: `call` does. */
  readonly oneRow?: string;
  /** A table function with a row for each of its files, named in `_path`; absent: they are not on this machine. */
  readonly files?: string;
  /** A table function over the log of a Delta table: files of these names, in a format; absent: it is none. */
  readonly deltaLog?: (names: string, format: string, structure: string) => string;
  /** Looks at its files; absent, or nothing found: nobody can tell whether they change. */
  readonly stamp?: () => Promise<SourceStamp | undefined>;
  /** The place in messages: a path or a URL, without secrets. */
  readonly shown: string;
}

/** One that knows its own schema, and is one thing. */
export const plainSource = (call: string, shown: string): Source => ({
  call: () => call,
  settings: {},
  inference: {},
  inferred: false,
  many: false,
  shown,
});

/** A call of a table function; arguments that are undefined are left out. */
export function tableFunction(name: string, args: readonly (string | undefined)[]): string {
  return `${name}(${args.filter((each) => each !== undefined).join(', ')})`;
}

/** `a Int64, b String`, as table functions take it. */
export function structureOf(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ');
}

export const optionalText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : quoteText(text);

/** ` SETTINGS a = 1, b = 2`, or nothing. */
export function settingsClause(settings: Settings): string {
  const all = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  return all.length === 0 ? '' : ` SETTINGS ${all.join(', ')}`;
}
