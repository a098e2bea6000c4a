import { quoteIdentifier, quoteText, type Column } from '@app/warehouse';
import type { SourceStamp } from './source-stamp.js';

/** Settings of the engine, by name; values as they stand in a statement. */
export type Settings = Readonly<Record<string, string>>;

/** Says how CSV is written. */
export interface CsvShape {
  /** The byte between fields. */
  readonly delimiter: string;
  /** The number of lines before the names, or the first values: blank ones, and one such as `sep=;`. */
  readonly skipped: number;
  /** Blanks around values are dropped, because there are quotes behind blanks. */
  readonly isLoose: boolean;
  /** Records may have fewer fields than the first one of their file, and null in the others; absent: none may. */
  readonly mayBeShort?: boolean;
  /** The columns are declared, with their types. */
  readonly areTold?: boolean;
}

/** A column of a file of Arrow that has the type null, or has it within: there it is text. */
export interface TypelessColumn extends Column {
  /** The column before it; undefined: it is the first one. */
  readonly after: string | undefined;
}

/** Says where and how the engine reads a table's rows. */
export interface Source {
  /**
   * The table function.
   * @param columns with types as the engine writes them; undefined: the engine infers them.
   */
  call(columns: readonly Column[] | undefined): string;
  /** Settings that apply whenever rows are read. */
  readonly settings: Settings;
  /** Further settings that apply while the schema is inferred. */
  readonly inference: Settings;
  /** Tells whether the source has no schema of its own, so that the inferred schema is kept. */
  readonly inferred: boolean;
  /** Tells whether the place is a pattern, so that there may be several files. */
  readonly many: boolean;
  /**
   * The first row as a row of values. If no other row follows, it is the only source of the
   * columns.
   */
  readonly header?: Pick<Source, 'call' | 'settings'>;
  /** Tells how it is written if it is CSV. */
  readonly csv?: CsvShape;
  /** A table function with the footer of each of its Parquet files; absent: it has none. */
  readonly footers?: string;
  /**
   * A lake's files, which are Parquet: a table function with the footer of each one in its folder,
   * also of those that it has no longer; `here`: they are on this machine. Absent: it is no lake.
   */
  readonly lakeFooters?: string;
  /** The names of its columns by their places; absent: it has names of its own, or none. */
  readonly names?: readonly string[];
  /**
   * The same source read by the names of its columns; absent: it is one file, or has no `names`.
   */
  readonly byNames?: Source;
  /**
   * A subquery with at most one row, for servers that would otherwise send all rows; absent: `call`
   * does.
   */
  readonly oneRow?: string;
  /**
   * A table function with a row for each of its files, named in `_path`; absent: they are not on
   * this machine.
   */
  readonly files?: string;
  /** The path of its files, which may have patterns; absent: they are not on this machine. */
  readonly path?: string;
  /** A table function with the lines of its files, in `line`; absent: they are not on this machine. */
  readonly lines?: string;
  /** A table function with the records of its JSON, in `json`; absent: they are not on this machine. */
  readonly records?: string;
  /** Names of columns of JSON that are texts as they are written, whatever they hold; absent: there are none. */
  readonly texts?: readonly string[];
  /** The columns of its files of Arrow without a type; absent: nobody has looked for them. */
  readonly typeless?: readonly TypelessColumn[];
  /** A table function over the log of a Delta table: files of these names, in a format; absent: it is none. */
  readonly deltaLog?: (names: string, format: string, structure: string) => string;
  /** Looks at its files; absent, or nothing found: nobody can tell whether they change. */
  readonly stamp?: () => Promise<SourceStamp | undefined>;
  /** The place in messages: a path or a URL, without secrets. */
  readonly shown: string;
}

/** A source that has its own schema, and is a single thing. */
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
