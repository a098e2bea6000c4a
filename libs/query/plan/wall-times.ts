import { quoteText, readRawBinaryType } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';
import { readElement, readEngineType, typeWithin } from './engine-type.js';

/**
 * Matches a type with a zone. In a type that is written as a text, a backslash stands before its
 * quotes.
 */
const ZONED = /DateTime64\(\d, *\\?'|\w+64\w*\([^()']*, '[\w/+-]+'\)/g;
const TIMES = /DateTime64|UnixTimestamp64|now64/;
/** Matches what makes a map, whose keys may be objects or lists, and the type of one. */
const MAPS = /\bmap(?:FromArrays)?\(/i;

/** True for a type of local times, which have no zone. */
export function isWallTime(type: string): boolean {
  const read = readEngineType(type);
  if (read.name === 'Nullable' || read.name === 'LowCardinality')
    return isWallTime(typeWithin(read));
  return read.name === 'DateTime64' && read.parameters.length === 1;
}

/** Objects and lists, which the engine would write as keys in its own manner: `(1,'x')`. */
const isNestedKey = (type: string): boolean => /^(?:Tuple|Array|Map|Nullable\(Tuple)\b/.test(type);

/** True for a type of bytes that are kept as they are. */
function areRawBytes(type: string): boolean {
  const read = readEngineType(type);
  return read.name === 'Nullable'
    ? areRawBytes(typeWithin(read))
    : readRawBinaryType(type) !== undefined;
}

/**
 * True for a type of local times, of bytes that are kept as they are, of maps whose keys are objects
 * or lists, or one that contains such.
 */
export function isShownAsText(type: string): boolean {
  const read = readEngineType(type);
  if (read.name === 'Map' && isNestedKey(typeWithin(read))) return true;
  if (/^(?:Array|Map|Nullable)$/.test(read.name) && read.parameters.some(isShownAsText))
    return true;
  if (read.name === 'Tuple')
    return read.parameters.some((parameter) => isShownAsText(readElement(parameter).type));
  return isWallTime(type) || areRawBytes(type);
}

/** Tells whether a statement may create such a time, or map, itself. */
const mayMakeThem = (statement: string): boolean =>
  MAPS.test(statement) || (TIMES.test(statement) && TIMES.test(statement.replace(ZONED, '')));

/** Tells whether columns that are shown as text may be among those of a statement, over these tables. */
export const mayHaveWallTimes = (statement: string, tables: readonly TableDescription[]): boolean =>
  mayMakeThem(statement) ||
  tables.some(({ columns }) => columns.some(({ type }) => isShownAsText(type)));

/**
 * Gives SQL that writes local times in ISO 8601, without a zone, bytes as base64, and keys that are
 * objects as JSON.
 */
export function shownText(column: string, type: string): string {
  if (!isShownAsText(type)) return column;
  const read = readEngineType(type);
  if (read.name === 'Array') return `arrayMap(e -> ${shownText('e', typeWithin(read))}, ${column})`;
  if (read.name === 'Map') {
    const [key, value] = [typeWithin(read), typeWithin(read, 1)];
    const shownKey = isNestedKey(key)
      ? `toJSONString(${shownText('e', key)})`
      : shownText('e', key);
    const values = `arrayMap(e -> ${shownText('e', value)}, mapValues(${column}))`;
    return `mapFromArrays(arrayMap(e -> ${shownKey}, mapKeys(${column})), ${values})`;
  }
  if (isWallTime(type)) return `replaceOne(toString(${column}), ' ', 'T')`;
  if (areRawBytes(type)) return `base64Encode(${column})`;
  const isNullable = read.name === 'Nullable';
  const { parameters } = isNullable ? readEngineType(typeWithin(read)) : read;
  const values = parameters.map((parameter, at) =>
    shownText(`tupleElement(${column}, ${at + 1})`, readElement(parameter).type),
  );
  const written = `CAST(tuple(${values.join(', ')}), ${quoteText(shownType(type))})`;
  return isNullable ? `if(isNull(${column}), NULL, ${written})` : written;
}

/** Gives the type of what {@link shownText} writes. */
export function shownType(type: string): string {
  if (!isShownAsText(type)) return type;
  const read = readEngineType(type);
  if (isWallTime(type) || areRawBytes(type)) return 'Nullable(String)';
  if (read.name === 'Map') {
    const [key, value] = [typeWithin(read), shownType(typeWithin(read, 1))];
    return `Map(${isShownAsText(key) || isNestedKey(key) ? 'String' : key}, ${value})`;
  }
  if (read.name !== 'Tuple') return `${read.name}(${shownType(typeWithin(read))})`;
  const elements = read.parameters.map(readElement);
  return `Tuple(${elements.map((each) => each.name + shownType(each.type)).join(', ')})`;
}
