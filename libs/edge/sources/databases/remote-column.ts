import { quoteIdentifier, quoteText } from '@app/warehouse';
import { SourceError } from '../source-error.js';
import { engineType } from '../../arrow-data-type.js';
import type { DescribedColumn } from '../../table-description.js';

/** Tells how a column of a database comes to the engine with the values that it has there. */
export interface RemoteReading {
  /** It is in the database's SQL: what is sent, which is of a type that the engine reads exactly. */
  readonly sent: string;
  /** The engine's type, without `Nullable`. */
  readonly type: string;
  /**
   * The way in which the engine makes a value of what was sent, where that is not a cast to the
   * type.
   */
  readonly made?: Made;
}
type Made = (value: string, column: string) => string;

interface RemoteColumn extends RemoteReading {
  readonly name: string;
  /** Tells whether it is never null there. */
  readonly required: boolean;
  /** It is in the database's SQL: the value as the database writes it. */
  readonly text: string;
}

/** A table of a database, as its catalog describes it. */
export interface RemoteTable {
  /** Quoted, in the database's SQL. */
  readonly name: string;
  readonly columns: readonly RemoteColumn[];
}

/** Days since 1970 that the engine's `Date32` has: 1900 to 2299. */
const FIRST_DAY = -25_567;
const LAST_DAY = 120_529;
/** Microseconds since 1970 of the years 1 to 9999. */
const FIRST_MICROS = '-62135596800000000';
const LAST_MICROS = '253402300799999999';

/** The error for values that have no place in the engine's type; `source-fault.ts` tells it on. */
export const NO_SUCH_VALUE =
  /column "[^"]*" has a (?:day|time) that no type here holds: [^:]*?Utf8/;

const outside = (value: string, from: number | string, to: number | string, message: string) =>
  `throwIf(ifNull(${value} NOT BETWEEN ${from} AND ${to}, 0), ${quoteText(message)})`;

const remedy = (column: string, kind: string): string =>
  `column ${JSON.stringify(column)} has a ${kind} that no type here holds: declare the column in \`schema\` as Utf8`;

/** Days since 1970 become a day. The engine by itself would make another day of one that it cannot hold. */
export const dayOf: Made = (days, column) =>
  `if(${outside(days, FIRST_DAY, LAST_DAY, remedy(column, 'day'))}, NULL, ${days})`;

/** Microseconds since 1970, or since that moment on a wall's clock, become a time. */
export const timeOf: Made = (micros, column) =>
  `if(${outside(micros, FIRST_MICROS, LAST_MICROS, remedy(column, 'time'))}, NULL, fromUnixTimestamp64Micro(${micros}, 'UTC'))`;

export const bytesOf: Made = (hexadecimal) => `unhex(${hexadecimal})`;

/**
 * The columns with the types that were declared for them. Where a text is asked for, the database
 * writes the value.
 * @throws {Error} that names the column which the table has not
 */
export function asDeclared(
  { columns }: RemoteTable,
  declared: readonly DescribedColumn[],
): readonly RemoteColumn[] {
  return declared.map(({ name, dataType, nullable }) => {
    const found = columns.find((each) => each.name === name);
    if (!found)
      throw new SourceError(
        `schema: there is no column ${JSON.stringify(name)}; there are ${columns.map((each) => each.name).join(', ')}`,
      );
    const type = engineType(dataType, false);
    const isWritten = type === 'String' && found.type !== 'String';
    return isWritten
      ? { name, type, required: !nullable, sent: found.text, text: found.text }
      : { ...found, type, required: !nullable };
  });
}

/**
 * The statement for the database. Columns have names of ours on their way: the engine puts a `"` within
 * a name so that Postgres does not understand it.
 */
export function sentSelect({ name, columns }: RemoteTable): string {
  return `SELECT ${columns.map(({ sent }, index) => `${sent} AS c${index}`).join(', ')} FROM ${name}`;
}

/** The statement by which the engine selects from what is sent. */
export function madeSelect(columns: readonly RemoteColumn[], from: string): string {
  const made = columns.map((column, index) => {
    const value = column.made?.(`c${index}`, column.name) ?? `c${index}`;
    return `CAST(${value}, ${quoteText(servedType(column))}) AS ${quoteIdentifier(column.name)}`;
  });
  return `SELECT ${made.join(', ')} FROM (SELECT * FROM ${from})`;
}

/** Lists cannot be null in the engine. */
const servedType = ({ type, required }: RemoteColumn): string =>
  required || type.startsWith('Array(') ? type : `Nullable(${type})`;
