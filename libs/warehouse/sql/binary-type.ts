/**
 * The engine has one type for text and bytes. So bytes are kept as base64, and the name of the type
 * says so: to the engine this is a text under another name, which it keeps wherever the value is
 * passed on as it is, and drops where a function makes another text of it.
 */
const ANY_LENGTH = 'SimpleAggregateFunction(any, String)';

/** The function's name contains the number of bytes in the last three characters. */
const FUNCTIONS = ['any', 'anyLast', 'max'] as const;
const PIECE = { bytes: 3, characters: 4 } as const;
/** The engine treats longer texts of a fixed length as a mistake. */
const FIXED_CHARACTERS_MAX = 256;
const FIXED_BYTES_MAX = (FIXED_CHARACTERS_MAX / PIECE.characters) * PIECE.bytes;
const FIXED = /^SimpleAggregateFunction\((\w+), FixedString\((\d+)\)\)$/;

/** Bytes, of a fixed number in each value, or of any length. */
interface BinaryType {
  readonly bytes?: number;
}

/**
 * The type of a column of bytes, without nulls. Bytes with a long fixed length get the type for any
 * length.
 */
export function writeBinaryType({ bytes }: BinaryType): string {
  if (bytes === undefined || bytes > FIXED_BYTES_MAX) return ANY_LENGTH;
  const characters = Math.ceil(bytes / PIECE.bytes) * PIECE.characters;
  return `SimpleAggregateFunction(${FUNCTIONS[bytes % PIECE.bytes]}, FixedString(${characters}))`;
}

/** Reads it from the engine's name of a type; undefined where that is another type. */
export function readBinaryType(type: string): BinaryType | undefined {
  if (type === ANY_LENGTH) return {};
  const [, name, characters] = FIXED.exec(type) ?? [];
  const last = FUNCTIONS.findIndex((each) => each === name);
  if (last === -1) return undefined;
  const whole = (Number(characters) / PIECE.characters) * PIECE.bytes;
  return { bytes: whole - ((PIECE.bytes - last) % PIECE.bytes) };
}

/**
 * Bytes that are kept as they are, in tables that the engine reads where they lie. To statements they
 * are texts; the name of the type says that an answer must show them as bytes, or as base64.
 */
const RAW = /^SimpleAggregateFunction\(min, (?:String|FixedString\((\d+)\))\)$/;

/** The type of a column of bytes that are kept as they are, without nulls. */
export function writeRawBinaryType({ bytes }: BinaryType): string {
  return `SimpleAggregateFunction(min, ${bytes === undefined ? 'String' : `FixedString(${bytes})`})`;
}

/** Reads it from the engine's name of a type; undefined where that is another type. */
export function readRawBinaryType(type: string): BinaryType | undefined {
  const read = RAW.exec(type);
  if (!read) return undefined;
  return read[1] === undefined ? {} : { bytes: Number(read[1]) };
}
