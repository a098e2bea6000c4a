import { quoteText } from '@app/warehouse';
import {
  BYTES,
  bytesOf,
  dayOf,
  misfitWords,
  textOf,
  timeOf,
  type RemoteReading,
  type RemoteTable,
} from './remote-column.js';

const quotedByPostgres = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Names that can be looked up in Postgres without quotes: `sales.orders`, `Orders`. */
const AS_WRITTEN = /^[\p{L}_][\p{L}\p{N}_$]*(?:\.[\p{L}_][\p{L}\p{N}_$]*)?$/u;

/**
 * Asks Postgres' catalog for a table, view or foreign table, with a row for each column. A name is
 * first matched exactly, and then as in a statement without quotes.
 */
export function postgresCatalog(table: string): string {
  const names = [quotedByPostgres(table), ...(AS_WRITTEN.test(table) ? [table] : [])];
  const place = `coalesce(${names.map((name) => `to_regclass(${text(name)})`).join(', ')})`;
  const ofBase = (base: string, own: string): string =>
    `CASE WHEN t.typtype = 'd' THEN t.${base} ELSE a.${own} END`;
  return `SELECT a.attrelid::regclass::text AS place, a.attname::text AS name, a.attnotnull::int AS required, a.attndims::int AS dimensions, format_type(${ofBase('typbasetype', 'atttypid')}, ${ofBase('typtypmod', 'atttypmod')}) AS kind, current_setting('server_encoding') AS encoding FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = ${place}::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
}

export interface PostgresColumn {
  /** Its table, quoted if that is needed. */
  readonly place: string;
  readonly name: string;
  readonly required: number;
  readonly dimensions: number;
  /** It is as Postgres writes a type: `numeric(10,2)`, `timestamp(3) without time zone`, `integer[]`. */
  readonly kind: string;
  /** The encoding of texts; `SQL_ASCII` has any bytes in them. */
  readonly encoding: string;
}

/** @returns undefined where the catalog knows no such table */
export function postgresTable(found: readonly PostgresColumn[]): RemoteTable | undefined {
  const [first] = found;
  if (!first) return undefined;
  const columns = found.map(({ name, required, dimensions, kind, encoding }) => {
    const column = quotedByPostgres(name);
    const reading = dimensions > 1 ? asJson(column) : readingOf(name, kind);
    const mayBend = encoding === 'SQL_ASCII' && reading.type === 'String';
    return {
      ...{ name, required: required === 1, text: `${column}::text` },
      ...reading,
      ...(mayBend && { made: textOf }),
    };
  });
  return { name: first.place, columns };
}

const PLAIN: Readonly<Record<string, string>> = {
  smallint: 'Int16',
  integer: 'Int32',
  bigint: 'Int64',
  real: 'Float32',
  'double precision': 'Float64',
  boolean: 'Bool',
  uuid: 'UUID',
  text: 'String',
};
const DIGITS_MAX = 76;

function readingOf(name: string, kind: string): RemoteReading {
  const column = quotedByPostgres(name);
  if (kind.endsWith('[]')) {
    const item = plainType(kind.slice(0, -2));
    return item === undefined ? asJson(column) : listOf(item, name);
  }
  const plain = plainType(kind);
  if (plain?.startsWith('Float')) return floatOf(column, plain);
  if (plain?.startsWith('Decimal')) return decimalOf(name, kind, plain);
  if (plain !== undefined) return { sent: column, type: plain };
  if (kind === 'oid') return { sent: `${column}::bigint`, type: 'UInt32' };
  if (kind === 'bytea') return { sent: `encode(${column}, 'hex')`, type: BYTES, made: bytesOf };
  if (kind === 'date')
    return {
      sent: finite(column, `${column} - DATE '1970-01-01'`, '2147483647'),
      type: 'Date32',
      made: dayOf,
    };
  const [, digits = '6', zone] = /^timestamp(?:\((\d)\))? with(out)? time zone$/.exec(kind) ?? [];
  if (kind.startsWith('timestamp'))
    return {
      sent: finite(column, `(extract(epoch FROM ${column}) * 1000000)::bigint`, FAR),
      type: `DateTime64(${digits}${zone === 'out' ? '' : ", 'UTC'"})`,
      made: timeOf,
    };
  // This includes numbers without a limit of digits: no type of the engine holds as many as
  // Postgres.
  return { sent: `${column}::text`, type: 'String' };
}

/** Seconds from 1970 to the year 10000. */
const AFTER = 253_402_300_800;
const FAR = '9223372036854775807';

/**
 * A float is sent as its bytes: a server may write it with fewer digits, and the engine reads none
 * next to zero (5e-324).
 */
const floatOf = (column: string, type: string): RemoteReading => ({
  sent: `encode(float${type === 'Float32' ? 4 : 8}send(${column}), 'hex')`,
  type,
  made: (bytes) => `reinterpretAs${type}(reverse(unhex(${bytes})))`,
});

/** Decimals may be `NaN` in Postgres, for which the engine would name no column. */
function decimalOf(name: string, kind: string, type: string): RemoteReading {
  const column = quotedByPostgres(name);
  const { before, behind } = misfitWords(name, type);
  const ifNaN = (then: string, otherwise: string): string =>
    `CASE WHEN ${column} = 'NaN' THEN ${then} ELSE ${otherwise} END`;
  return {
    sent: `(${ifNaN('NULL', column)})::${kind}`,
    type,
    told: ifNaN(text(`${before}number NaN${behind}`), 'NULL'),
  };
}

/**
 * A day or time may be `infinity`, or so far away that 64 bits do not hold its microseconds. It
 * becomes a number that no day or time has.
 */
const finite = (column: string, sent: string, otherwise: string): string =>
  `CASE WHEN NOT isfinite(${column}) OR extract(epoch FROM ${column}) >= ${AFTER} THEN ${otherwise} ELSE ${sent} END`;

/**
 * A list is sent as JSON with its items as texts: the engine reads no column whose first row has no
 * list, or an empty one. Any column of lists may have lists of lists in Postgres.
 */
function listOf(item: string, name: string): RemoteReading {
  const column = quotedByPostgres(name);
  const { before, behind } = misfitWords(name, 'List');
  return {
    sent: `coalesce(to_json(${column}::text[])::text, '[]')`,
    type: `Array(Nullable(${item}))`,
    from: LIST_OF_TEXTS,
    made: (list) => `JSONExtract(assumeNotNull(${list}), ${quoteText(LIST_OF_TEXTS)})`,
    told: `CASE WHEN array_ndims(${column}) > 1 THEN ${text(`${before}list `)} || left(${column}::text, ${SHOWN}) || ${text(behind)} END`,
  };
}

const LIST_OF_TEXTS = 'Array(Nullable(String))';
const SHOWN = 40;

/** Dates, times, ranges and rows within a list; and lists of lists, whose depth each row may choose. */
const asJson = (column: string): RemoteReading => ({
  sent: `to_json(${column})::text`,
  type: 'String',
});

/**
 * Gives the engine's type for a type that the engine reads from Postgres without a change of
 * values.
 */
function plainType(kind: string): string | undefined {
  if (Object.hasOwn(PLAIN, kind)) return PLAIN[kind];
  if (kind.startsWith('character varying')) return 'String';
  const [, precision, scale] = /^numeric\((\d+),(\d+)\)$/.exec(kind) ?? [];
  if (precision === undefined || scale === undefined) return undefined;
  if (Number(precision) > DIGITS_MAX || Number(scale) > Number(precision)) return undefined;
  return `Decimal(${precision}, ${scale})`;
}
