import {
  BYTES,
  bytesOf,
  dayOf,
  timeOf,
  type RemoteReading,
  type RemoteTable,
} from './remote-column.js';

const quotedByMysql = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** A string literal without escapes, whatever the server's SQL mode is. */
const text = (value: string): string =>
  `CONVERT(0x${Buffer.from(value).toString('hex')} USING utf8mb4)`;

/**
 * Asks MySQL's catalog for a table or view, with a row for each column. `sales.orders` is a table
 * of another database.
 */
export function mysqlCatalog(database: string, table: string): string {
  const dot = table.indexOf('.');
  const [other, within] = [table.slice(0, Math.max(dot, 0)), table.slice(dot + 1)];
  const isIt = (schema: string, name: string): string =>
    `table_schema = ${text(schema)} AND table_name = ${text(name)}`;
  const places = [isIt(database, table), ...(dot > 0 ? [isIt(other, within)] : [])];
  return `SELECT table_schema AS place, table_name AS tab, column_name AS name, is_nullable AS nullable, data_type AS kind, column_type AS whole, CAST(coalesce(datetime_precision, 0) AS SIGNED) AS digits FROM information_schema.columns WHERE ${places.map((each) => `(${each})`).join(' OR ')} ORDER BY table_schema = ${text(database)} DESC, ordinal_position`;
}

export interface MysqlColumn {
  readonly place: string;
  readonly tab: string;
  readonly name: string;
  readonly nullable: string;
  /** It is without its parameters. */
  readonly kind: string;
  /** It is as MySQL writes the type: `decimal(10,2) unsigned`. */
  readonly whole: string;
  /** The digits of a second's fraction. */
  readonly digits: number;
}

/** @returns undefined where the catalog knows no such table */
export function mysqlTable(found: readonly MysqlColumn[]): RemoteTable | undefined {
  const [first] = found;
  if (!first) return undefined;
  const { place, tab } = first;
  const columns = found
    .filter((each) => each.place === place && each.tab === tab)
    .map((each) => {
      const column = quotedByMysql(each.name);
      const written = `CAST(${column} AS CHAR)`;
      const reading = readingOf(column, each) ?? { sent: written, type: 'String' };
      // A date of zeros, which MySQL may have in columns without nulls, is sent as null.
      const isDate = reading.made === dayOf || reading.made === timeOf;
      const required = each.nullable === 'NO' && !isDate;
      return { name: each.name, required, text: written, ...reading };
    });
  return { name: `${quotedByMysql(place)}.${quotedByMysql(tab)}`, columns };
}

const INTEGERS: Readonly<Record<string, string>> = {
  tinyint: 'Int8',
  smallint: 'Int16',
  mediumint: 'Int32',
  int: 'Int32',
  bigint: 'Int64',
};
const OF_BYTES = /^(?:var)?binary$|blob$/;
const SHAPES = /^(?:geometry|point|linestring|polygon|multi\w+|geom\w*collection)$/;

/** @returns undefined for types that are sent as text */
function readingOf(
  column: string,
  { kind, whole, digits }: MysqlColumn,
): RemoteReading | undefined {
  const integer = Object.hasOwn(INTEGERS, kind) ? INTEGERS[kind] : undefined;
  if (integer !== undefined)
    return { sent: column, type: whole.includes('unsigned') ? `U${integer}` : integer };
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)/.exec(whole) ?? [];
  if (precision !== undefined) return { sent: column, type: `Decimal(${precision}, ${scale})` };
  if (OF_BYTES.test(kind)) return { sent: `HEX(${column})`, type: BYTES, made: bytesOf };
  if (SHAPES.test(kind)) return { sent: `ST_AsText(${column})`, type: 'String' };
  switch (kind) {
    // MySQL writes six of the digits.
    case 'float':
      return { sent: `${column} * 1e0`, type: 'Float32' };
    case 'double':
      return { sent: column, type: 'Float64' };
    case 'bit':
      return { sent: `${column} + 0`, type: 'UInt64' };
    case 'year':
      return { sent: `${column} + 0`, type: 'UInt16' };
    case 'date':
      return { sent: `TO_DAYS(${column}) - 719528`, type: 'Date32', made: dayOf };
    case 'datetime':
      return {
        sent: `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ${column})`,
        type: `DateTime64(${digits})`,
        made: timeOf,
      };
    // The column is a moment. MySQL would write it in its own time zone.
    case 'timestamp':
      return {
        sent: `CAST(IF(${column} = 0, NULL, UNIX_TIMESTAMP(${column}) * 1000000) AS SIGNED)`,
        type: `DateTime64(${digits}, 'UTC')`,
        made: timeOf,
      };
    default:
      return undefined;
  }
}
