import { quoteIdentifier, quoteText, readRawBinaryType, writeRawBinaryType } from '@app/warehouse';
import { SourceError } from '../source-error.js';
import { engineType } from '../../arrow-data-type.js';
import { strictCast } from '../../casts/strict-cast.js';
import type { DescribedColumn } from '../../table-description.js';

/** Says how a column of a database is read so that no value changes. */
export interface RemoteReading {
  /**
   * The expression in the database's SQL that is sent. Its type is one that the engine reads
   * exactly.
   */
  readonly sent: string;
  /** The engine's type, without `Nullable`. */
  readonly type: string;
  /** The engine's expression for the value, if a cast to the type is not enough. */
  readonly made?: Made;
  /** The type of that value, if it is another one. It is cast strictly. */
  readonly from?: string;
  /**
   * A further expression that is sent: words about a value that is not of the type; null: it is.
   * They are in the error.
   */
  readonly told?: string;
}
export type Made = (value: string, column: string) => string;

export interface RemoteColumn extends RemoteReading {
  readonly name: string;
  /** Tells whether the column is never null in the database. */
  readonly required: boolean;
  /** The expression in the database's SQL for the value as text. */
  readonly text: string;
  /**
   * The engine's expression for that text, where bytes may be what should be text; absent: the
   * database has no such.
   */
  readonly madeOfText?: Made;
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

/**
 * The error for values that do not fit into the engine's type; `source-fault.ts` reports it to the
 * client.
 */
export const NO_SUCH_VALUE =
  /column "(?:[^"\\]|\\.)*" has (?:a (?:day|time) that no type here holds: [^:]*?Utf8|the (?:integer|real|text|blob|list|number) .*?, and its type is [\w(), ]+: declare it in `schema` as Utf8|bytes that are no text: declare it in `schema` as Binary|a value that its type, [\w(), ']+, does not hold)/s;

/** The words around a value that is not of its column's type, for `told`. */
export const misfitWords = (
  column: string,
  type: string,
): { readonly before: string; readonly behind: string } => ({
  before: `column ${JSON.stringify(column)} has the `,
  behind: `, and its type is ${type}: declare it in \`schema\` as Utf8`,
});

const outside = (value: string, from: number | string, to: number | string, message: string) =>
  `throwIf(ifNull(${value} NOT BETWEEN ${from} AND ${to}, 0), ${quoteText(message)})`;

const remedy = (column: string, kind: string): string =>
  `column ${JSON.stringify(column)} has a ${kind} that no type here holds: declare the column in \`schema\` as Utf8`;

/** Days since 1970 become a day. The engine by itself would make another day of one that it cannot hold. */
export const dayOf: Made = (days, column) =>
  `if(${outside(days, FIRST_DAY, LAST_DAY, remedy(column, 'day'))}, NULL, ${days})`;

/**
 * Microseconds since 1970 become a time. For a local time they count from 1970 on its own clock.
 */
export const timeOf: Made = (micros, column) =>
  `if(${outside(micros, FIRST_MICROS, LAST_MICROS, remedy(column, 'time'))}, NULL, fromUnixTimestamp64Micro(${micros}, 'UTC'))`;

export const BYTES = writeRawBinaryType({});

export const bytesOf: Made = (hexadecimal) => `unhex(${hexadecimal})`;

/** A text of a database that takes any bytes for text. */
export const textOf: Made = (value, column) =>
  `if(throwIf(NOT isValidUTF8(ifNull(${value}, '')), ${quoteText(`column ${JSON.stringify(column)} has bytes that are no text: declare it in \`schema\` as Binary`)}) = 0, ${value}, NULL)`;

/**
 * The columns with their declared types. If a column is declared as text, the database formats the
 * value.
 * @throws {Error} that names the column which the table lacks
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
    const { text, madeOfText } = found;
    const isText = found.type === 'String' || readRawBinaryType(found.type) !== undefined;
    const isWritten = type === 'String' && (!isText || madeOfText !== undefined);
    const areBytes = engineType(dataType, false, BYTES) === BYTES;
    const made = areBytes ? undefined : madeOfText;
    if (isWritten)
      return { name, type, required: !nullable, sent: text, text, ...(made && { made }) };
    const own = { ...found, type, from: found.from ?? found.type, required: !nullable };
    if (areBytes && own.made === textOf) delete own.made;
    return own;
  });
}

/**
 * The statement for the database. It uses our own names for columns, because the engine writes a
 * `"` within a name in a way that Postgres does not understand.
 */
export function sentSelect({ name, columns }: RemoteTable): string {
  const sent = columns.map(({ sent: value }, index) => `${value} AS c${index}`);
  const told = columns.flatMap(({ told: words }, index) =>
    words === undefined ? [] : [{ words, index }],
  );
  const words = areTogether(columns)
    ? [`${firstOf(told.map((each) => each.words))} AS ${TOGETHER}`]
    : told.map((each) => `${each.words} AS w${each.index}`);
  return `SELECT ${[...sent, ...words].join(', ')} FROM ${name}`;
}

/** Postgres sends at most 1,664 columns, and SQLite 2,000. */
const SENT_MAX = 1600;
/** The name of the words about all columns. */
const TOGETHER = 'w';

/**
 * Tells whether words about misfits come in one column for all, for want of room. A misfit then
 * fails the queries of other columns, too.
 */
function areTogether(columns: readonly RemoteColumn[]): boolean {
  const told = columns.filter((column) => column.told !== undefined).length;
  return told > 0 && columns.length + told > SENT_MAX;
}

/** SQLite takes at most 127 values here. */
const VALUES_MAX = 100;

/** SQL for the first of values that is not null. */
function firstOf(values: readonly string[]): string {
  if (values.length === 1) return values.join('');
  const groups: string[] = [];
  for (let from = 0; from < values.length; from += VALUES_MAX)
    groups.push(`coalesce(${[...values.slice(from, from + VALUES_MAX), 'NULL'].join(', ')})`);
  return firstOf(groups);
}

/** The statement by which the engine selects from the rows that are sent. */
export function madeSelect(columns: readonly RemoteColumn[], source: string): string {
  const words = areTogether(columns) ? TOGETHER : undefined;
  const made = columns.map((column, index) => {
    const own = `c${index}`;
    const sent = column.told === undefined ? own : orFailure(own, words ?? `w${index}`, column);
    const value = column.made?.(sent, column.name) ?? sent;
    const served = servedType(column);
    const from = column.from ?? column.type;
    const cast = strictCast(value, { from, to: column.type, served, about: column.name });
    return `${cast} AS ${quoteIdentifier(column.name)}`;
  });
  return `SELECT ${made.join(', ')} FROM (SELECT * FROM ${source})`;
}

/** The words are no number, so that the engine's error has them; `throwIf` takes no words of a row. */
function orFailure(
  value: string,
  words: string,
  { type, from = type, made }: RemoteColumn,
): string {
  const sent = made || readRawBinaryType(from) ? 'String' : from;
  return `if(isNull(${words}), ${value}, CAST(toInt64(assumeNotNull(${words})), ${quoteText(sent)}))`;
}

/** Lists cannot be null in the engine. */
const servedType = ({ type, required }: RemoteColumn): string =>
  required || type.startsWith('Array(') ? type : `Nullable(${type})`;
