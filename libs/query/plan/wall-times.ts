import { quoteText } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';
import { readElement, readEngineType, typeWithin } from './engine-type.js';

/**
 * Matches a type with a zone. In a type that is written as a text, a backslash stands before its
 * quotes.
 */
const ZONED = /DateTime64\(\d, *\\?'|\w+64\w*\([^()']*, '[\w/+-]+'\)/g;
const TIMES = /DateTime64|UnixTimestamp64|now64/;

/** True for a type of local times, which have no zone. */
export function isWallTime(type: string): boolean {
  const read = readEngineType(type);
  if (read.name === 'Nullable' || read.name === 'LowCardinality')
    return isWallTime(typeWithin(read));
  return read.name === 'DateTime64' && read.parameters.length === 1;
}

/** True for a type of local times, or one that contains such a type. */
export function hasWallTimes(type: string): boolean {
  const read = readEngineType(type);
  if (read.name === 'Array') return hasWallTimes(typeWithin(read));
  if (read.name === 'Tuple')
    return read.parameters.some((parameter) => hasWallTimes(readElement(parameter).type));
  return isWallTime(type);
}

/** Tells whether a statement may create such a time itself. */
const mayMakeWallTimes = (statement: string): boolean =>
  TIMES.test(statement) && TIMES.test(statement.replace(ZONED, ''));

/** Tells whether such times may be among the columns of a statement, over these tables. */
export const mayHaveWallTimes = (statement: string, tables: readonly TableDescription[]): boolean =>
  mayMakeWallTimes(statement) ||
  tables.some(({ columns }) => columns.some(({ type }) => hasWallTimes(type)));

/** Gives SQL that writes the time in ISO 8601, without a zone. */
export function wallTimeText(column: string, type: string): string {
  if (!hasWallTimes(type)) return column;
  const read = readEngineType(type);
  if (read.name === 'Array')
    return `arrayMap(e -> ${wallTimeText('e', typeWithin(read))}, ${column})`;
  if (read.name !== 'Tuple') return `replaceOne(toString(${column}), ' ', 'T')`;
  const values = read.parameters.map((parameter, at) =>
    wallTimeText(`tupleElement(${column}, ${at + 1})`, readElement(parameter).type),
  );
  return `CAST(tuple(${values.join(', ')}), ${quoteText(textType(type))})`;
}

function textType(type: string): string {
  if (!hasWallTimes(type)) return type;
  const read = readEngineType(type);
  if (read.name === 'Array') return `Array(${textType(typeWithin(read))})`;
  if (read.name !== 'Tuple') return 'Nullable(String)';
  const elements = read.parameters.map(readElement);
  return `Tuple(${elements.map((each) => each.name + textType(each.type)).join(', ')})`;
}
