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
  if (read.name === 'Array' || read.name === 'Nullable') return hasWallTimes(typeWithin(read));
  if (read.name === 'Map') return read.parameters.some(hasWallTimes);
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
  if (read.name === 'Map') {
    const [key, value] = [wallTimeText('k', typeWithin(read)), wallTimeText('v', typeWithin(read, 1))]; // prettier-ignore
    return `mapApply((k, v) -> (${key}, ${value}), ${column})`;
  }
  const tuple = tupleOf(type);
  if (!tuple) return `replaceOne(toString(${column}), ' ', 'T')`;
  const values = tuple.map((element, at) =>
    wallTimeText(`tupleElement(${column}, ${at + 1})`, element.type),
  );
  const texts = `tuple(${values.join(', ')})`;
  const written = read.name === 'Tuple' ? texts : `if(isNull(${column}), NULL, ${texts})`;
  return `CAST(${written}, ${quoteText(textType(type))})`;
}

/** The elements of a struct that may be null. */
function tupleOf(type: string): readonly ReturnType<typeof readElement>[] | undefined {
  const read = readEngineType(type);
  if (read.name === 'Nullable') return tupleOf(typeWithin(read));
  return read.name === 'Tuple' ? read.parameters.map(readElement) : undefined;
}

function textType(type: string): string {
  if (!hasWallTimes(type)) return type;
  const read = readEngineType(type);
  if (read.name === 'Array') return `Array(${textType(typeWithin(read))})`;
  if (read.name === 'Map') {
    const [key, value] = [typeWithin(read), typeWithin(read, 1)];
    return `Map(${hasWallTimes(key) ? 'String' : key}, ${textType(value)})`;
  }
  const tuple = tupleOf(type);
  if (!tuple) return 'Nullable(String)';
  const elements = tuple.map((each) => each.name + textType(each.type)).join(', ');
  return read.name === 'Tuple' ? `Tuple(${elements})` : `Nullable(Tuple(${elements}))`;
}
