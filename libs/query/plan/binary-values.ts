import { quoteText, readBinaryType, readRawBinaryType } from '@app/warehouse';
import { readEngineType, typeWithin } from './engine-type.js';

/**
 * SQL of the bytes of a column, or of each element of its lists; undefined if its type has no bytes
 * there.
 */
export function binaryValue(column: string, type: string): string | undefined {
  const read = readEngineType(type);
  if (read.name === 'Nullable') {
    // Below a null the engine may have characters that are no base64.
    const value = binaryValue(`ifNull(toString(${column}), '')`, typeWithin(read));
    return value && `if(isNull(${column}), NULL, ${value})`;
  }
  if (read.name === 'Array') {
    const element = binaryValue('e', typeWithin(read));
    return element && `arrayMap(e -> ${element}, ${column})`;
  }
  const binary = readBinaryType(type);
  if (!binary) return undefined;
  const bytes = `base64Decode(${column})`;
  if (binary.bytes === undefined) return bytes;
  const fixed = `FixedString(${binary.bytes})`;
  return `CAST(${bytes}, ${quoteText(`Nullable(${fixed})`)})`;
}

/** True for bytes of a fixed length. */
export function isOfOneLength(type: string): boolean {
  const read = readEngineType(type);
  if (read.name === 'Nullable') return isOfOneLength(typeWithin(read));
  return anyBinaryType(type)?.bytes !== undefined;
}

/** Reads the type of bytes, whether they are kept as base64 or as they are. */
export const anyBinaryType = (type: string): ReturnType<typeof readBinaryType> =>
  readBinaryType(type) ?? readRawBinaryType(type);

/** The type under which the values stay base64: a text. */
export const asText = (type: string): string =>
  type.replace(BINARY, (name) => (readBinaryType(name) ? 'String' : name));

/** The type of the values in JSON, where all bytes are base64. */
export const asJsonText = (type: string): string =>
  type.replace(BINARY, (name) => (anyBinaryType(name) ? 'String' : name));

/** The type by the name that the documentation has for bytes; the engine has none. */
export const withNamedBytes = (type: string): string =>
  type.replace(BINARY, (name) => {
    const binary = anyBinaryType(name);
    if (!binary) return name;
    return binary.bytes === undefined ? 'Binary' : `FixedSizeBinary(${binary.bytes})`;
  });

const BINARY = /SimpleAggregateFunction\(\w+, (?:String|FixedString\(\d+\))\)/g;
