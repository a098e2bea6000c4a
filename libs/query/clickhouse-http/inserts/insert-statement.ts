import { MillraceError, type RequestOrganization } from '@app/platform';
import { checkDatabase } from '../statements/statement-words.js';

/** An INSERT whose rows come as data. */
export interface InsertStatement {
  readonly stream: string;
  /** The format that acceptance reads, after the rows are written in that form. */
  readonly kind: 'json' | 'csv' | 'parquet' | 'arrow';
  /** The form of the rows; undefined: the one that acceptance reads. */
  readonly form: 'tabs' | 'lists' | undefined;
  /** The columns, for rows without names. */
  readonly columns: readonly string[] | undefined;
  /** The lines before the rows: none, the names, or the names and the types. */
  readonly heads: 0 | 1 | 2;
  /** The number of bytes before the rows. */
  readonly length: number;
}

/** The longest statement before the rows. */
export const HEAD_BYTES = 16 * 1024;

type Format = Pick<InsertStatement, 'kind'> & Partial<Pick<InsertStatement, 'form' | 'heads'>>;

const TABS = { kind: 'csv', form: 'tabs' } as const;
const LISTS = { kind: 'json', form: 'lists' } as const;
/** The names are ClickHouse's. */
const FORMATS: Readonly<Record<string, Format>> = {
  JSONEachRow: { kind: 'json' },
  JSONLines: { kind: 'json' },
  NDJSON: { kind: 'json' },
  JSONCompactEachRow: LISTS,
  JSONCompactEachRowWithNames: { ...LISTS, heads: 1 },
  JSONCompactEachRowWithNamesAndTypes: { ...LISTS, heads: 2 },
  CSV: { kind: 'csv' },
  CSVWithNames: { kind: 'csv', heads: 1 },
  TabSeparated: TABS,
  TSV: TABS,
  TabSeparatedWithNames: { ...TABS, heads: 1 },
  TSVWithNames: { ...TABS, heads: 1 },
  TabSeparatedWithNamesAndTypes: { ...TABS, heads: 2 },
  TSVWithNamesAndTypes: { ...TABS, heads: 2 },
  Parquet: { kind: 'parquet' },
  Arrow: { kind: 'arrow' },
  ArrowStream: { kind: 'arrow' },
};
const TAKEN = Object.keys(FORMATS).join(', ');

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*|"[^"\\]+"|` + '`[^`\\\\]+`';
const HEAD = new RegExp(
  String.raw`^\s*INSERT\s+INTO\s+(?:TABLE\s+)?(?:(${NAME})\s*\.\s*)?(${NAME})\s*(?:\(([^()]*)\))?\s*` +
    String.raw`(?:FORMAT\s+(\w+)(?:[ \t]*\r?\n|[ \t]+)?)?`,
  'iu',
);
const COLUMN = new RegExp(String.raw`\s*(${NAME})\s*(?:,|$)`, 'uy');

/** Matches a text that may become an INSERT with more bytes. */
const BEGINS = /^\s*(?:I(?:N(?:S(?:E(?:RT?)?)?)?)?)?$/i;
/** The line of the format may continue in the next piece. */
const LINE_END = /^[ \t]*\r?$/;
/** A list of columns without an end. */
const OPEN_LIST = /^\([^()]*$/;

export const isInsert = (text: string): boolean => /^\s*INSERT\s/i.test(text);

/**
 * Tells whether a text contains everything before the rows, or begins with another statement, so
 * that further bytes do not change the result.
 */
export function isHeadWhole(text: string): boolean {
  if (!isInsert(text)) return !BEGINS.test(text);
  const [head = '', , , , format] = HEAD.exec(text) ?? [];
  return format !== undefined && !LINE_END.test(text.slice(head.length));
}

/** @throws {MillraceError} INVALID_SQL, INVALID_PARAMETER, STATEMENT_REFUSED, STREAM_NOT_FOUND */
export function readInsert(text: string, organization: RequestOrganization): InsertStatement {
  const [head = '', database, table = '', list, format] = HEAD.exec(text) ?? [];
  if (head === '' || head.includes('\ufffd'))
    throw new MillraceError(
      'INVALID_SQL',
      'this INSERT is not read: write INSERT INTO <stream> FORMAT <format>, or INSERT INTO <stream> (a, b) FORMAT CSV',
    );
  if (format === undefined && OPEN_LIST.test(text.slice(head.length)))
    throw new MillraceError(
      'INVALID_SQL',
      `the list of columns does not end within the first ${HEAD_BYTES} bytes; leave it out, and send the names as the first line of CSVWithNames`,
    );
  if (format === undefined)
    throw new MillraceError(
      'STATEMENT_REFUSED',
      `INSERT takes rows as data: write INSERT INTO <stream> FORMAT <format>, and the rows behind it; formats are ${TAKEN}`,
    );
  if (database !== undefined) checkDatabase(unquoted(database), organization);
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (!known)
    throw new MillraceError(
      'INVALID_PARAMETER',
      `format ${JSON.stringify(format.slice(0, 80))} is not read here; these are: ${TAKEN}`,
    );
  const { kind, form, heads = 0 } = known;
  const listed = list === undefined ? undefined : columnsIn(list);
  // The rows of all other formats contain names.
  const isNameless = heads === 0 && (kind === 'csv' || form === 'lists');
  if (isNameless && listed === undefined)
    throw new MillraceError(
      'INVALID_PARAMETER',
      `say what the columns are: INSERT INTO <stream> (a, b) FORMAT ${format}, or send their names as the first line of ${format}WithNames`,
    );
  const columns = isNameless ? listed : undefined;
  const length = Buffer.byteLength(head);
  return { stream: unquoted(table), kind, form, columns, heads, length };
}

function columnsIn(list: string): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at < list.length || names.length === 0; at = COLUMN.lastIndex) {
    COLUMN.lastIndex = at;
    const [, name] = COLUMN.exec(list) ?? [];
    if (name === undefined)
      throw new MillraceError('INVALID_SQL', 'the names of columns are not read: write (a, b)');
    names.push(unquoted(name));
  }
  return names;
}

const unquoted = (name: string): string => (/^["`]/.test(name) ? name.slice(1, -1) : name);
