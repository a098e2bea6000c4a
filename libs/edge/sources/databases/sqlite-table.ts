import { certain } from '@app/platform';
import {
  BYTES,
  misfitWords,
  textOf,
  type RemoteColumn,
  type RemoteReading,
  type RemoteTable,
} from './remote-column.js';

const quotedBySqlite = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/**
 * Asks SQLite for the columns of a table or view, also for those that it computes. SQLite keeps an
 * index of a primary key that is not the number of its rows: without such numbers, or with DESC.
 */
export function sqliteCatalog(table: string): string {
  const isKeyed = `EXISTS (SELECT 1 FROM pragma_index_list(${text(table)}) WHERE origin = 'pk')`;
  const isStrict = `t.strict AND upper(c.type) <> 'ANY'`;
  return `SELECT c.name AS name, upper(c.type) AS declared, c."notnull" AS required, c.pk AS pk, ${isKeyed} AS keyed, ${isStrict} AS strict FROM pragma_table_xinfo(${text(table)}) AS c LEFT JOIN pragma_table_list AS t ON t.schema = 'main' AND t.name = ${text(table)} COLLATE NOCASE WHERE c.hidden <> 1 ORDER BY c.cid`;
}

/** SQLite's numbers come as texts. */
export interface SqliteColumn {
  readonly name: string;
  readonly declared: string;
  readonly required: string;
  /** Its place in the primary key; 0: it is none. */
  readonly pk: string;
  /** Tells whether the primary key of its table is not the number of the row. */
  readonly keyed: string;
  /** Tells whether SQLite insists on its type. */
  readonly strict: string | null;
}

/** More rows are not looked at for the types of columns. */
const ROWS_LOOKED_AT = 1_000_000;

/** The columns as they are, whose types the engine tells by what they are declared as. */
export function bareSqlite(table: string, columns: readonly SqliteColumn[]): string {
  const named = columns.map(({ name }, index) => `${quotedBySqlite(name)} AS c${index}`);
  return `SELECT ${named.join(', ')} FROM ${quotedBySqlite(table)}`;
}

/** A column has values that are not of its type, or else bytes alone. */
const [OTHERS, BYTES_ALONE] = ['2', '1'];

/**
 * Asks what columns have. The answer is one number for each, because SQLite has room for 2,000.
 * @param types the engine's types
 */
export function sqliteKinds(
  table: string,
  columns: readonly SqliteColumn[],
  types: readonly string[],
): string {
  const asked = columns.map((_, index) => {
    const isOther = isMisfit(`c${index}`, typeAt(types, index)) ?? isNoBytes(`c${index}`);
    const areBytes = `typeof(c${index}) = 'blob'`;
    return `max(CASE WHEN ${isOther} THEN ${OTHERS} WHEN ${areBytes} THEN ${BYTES_ALONE} END) AS k${index}`;
  });
  return `SELECT ${asked.join(', ')} FROM (${bareSqlite(table, columns)} LIMIT ${ROWS_LOOKED_AT})`;
}

const typeAt = (types: readonly string[], index: number): string =>
  certain(types[index], 'type of a column of SQLite');

/** @param kinds the answer to `sqliteKinds`; empty: nobody has asked */
export function sqliteTable(
  table: string,
  columns: readonly SqliteColumn[],
  { types, kinds }: { readonly types: readonly string[]; readonly kinds: readonly unknown[] },
): RemoteTable {
  const isSole = columns.filter(({ pk }) => pk !== '0').length === 1;
  const made = columns.map((column, index): RemoteColumn => {
    const { name, required } = column;
    const written = `CAST(${quotedBySqlite(name)} AS TEXT)`;
    const isSure = column.strict === '1' || (isSole && isRowNumber(column));
    return {
      ...{ name, required: required === '1', text: written, madeOfText: textOf },
      ...readingOf(column, {
        type: typeAt(types, index),
        hasOthers: kinds[index] === OTHERS,
        hasBytes: kinds[index] === BYTES_ALONE,
        isSure,
      }),
    };
  });
  return { name: quotedBySqlite(table), columns: made };
}

/** SQLite has no other values than integers in such a column. */
const isRowNumber = ({ declared, keyed, pk }: SqliteColumn): boolean =>
  declared === 'INTEGER' && pk === '1' && keyed === '0';

interface Found {
  /** The engine's type. */
  readonly type: string;
  /** Tells whether there are values of another type. */
  readonly hasOthers: boolean;
  readonly hasBytes: boolean;
  /** Tells whether no value of another type can come. */
  readonly isSure: boolean;
}

function readingOf(
  { name, declared }: SqliteColumn,
  { type, hasOthers, hasBytes, isSure }: Found,
): RemoteReading {
  const column = quotedBySqlite(name);
  const told = (isOther: string, as: string): Pick<RemoteReading, 'told'> =>
    isSure ? {} : { told: `CASE WHEN ${isOther} THEN ${wordsFor(name, as)} END` };
  const misfit = isMisfit(column, type);
  if (misfit !== undefined && !hasOthers) return { sent: column, type, ...told(misfit, type) };
  const areBytes = misfit === undefined && !hasOthers && (hasBytes || declared.includes('BLOB'));
  if (areBytes) return { sent: column, type: BYTES, ...told(isNoBytes(column), 'Binary') };
  const sent = misfit === undefined ? column : `CAST(${column} AS TEXT)`;
  return { sent, type: 'String', made: textOf };
}

const isNoBytes = (column: string): string => `typeof(${column}) NOT IN ('blob', 'null')`;

/** SQL of SQLite for the words about a value that is not of its column's type. */
function wordsFor(name: string, type: string): string {
  const column = quotedBySqlite(name);
  const { before, behind } = misfitWords(name, type);
  return `${text(before)} || typeof(${column}) || ' ' || substr(quote(${column}), 1, ${SHOWN}) || ${text(behind)}`;
}

const SHOWN = 40;

/**
 * SQL of SQLite that tells whether a value is none of a number's type. Texts and bytes come behind
 * all numbers, and such a comparison takes less time than asking for the type.
 * @returns undefined for the types of texts
 */
function isMisfit(column: string, type: string): string | undefined {
  const isText = `${column} >= '' COLLATE BINARY`;
  if (type === 'Int64') return `(${isText} OR ${column} <> CAST(${column} AS INTEGER))`;
  return type === 'Float64' ? `(${isText})` : undefined;
}
