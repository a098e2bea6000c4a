import { isUtf8 } from 'node:buffer';
import { BOUNDS } from '../flight-sql-bounds.js';
import { unfit } from '../unfit.js';
import type { EngineValue } from './engine-value.js';
import { TYPE, type ParameterColumn } from './parameter-row.js';
import { clockText, dayText, decimalText, floatText, halfFloat, momentText } from './value-texts.js'; // prettier-ignore

const NO_BYTES = Buffer.alloc(0);
const MILLIS_OF_DAY = 86_400_000;
/** Digits of a second, by Arrow's units. */
const DIGITS: Readonly<Record<number, number>> = { 0: 0, 1: 3, 2: 6, 3: 9 };
const INTEGER_BITS = [8, 16, 32, 64];
const DECIMAL_BITS = [32, 64, 128, 256];
const DECIMAL_DIGITS = 76;
const [DAY, MILLISECOND] = [0, 1];

/**
 * The values of a row, as the engine takes them; undefined: null.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function parameterValues(
  row: Iterable<ParameterColumn>,
): readonly (EngineValue | undefined)[] {
  // Values may share bytes, so together they may be larger than the message.
  let characters = 0;
  return Array.from(row, (column) => {
    if (column.isNull) return undefined;
    const value = valueOf(column);
    if (!value)
      throw unfit(
        `value ${JSON.stringify(column.name)}: its type of Arrow is not taken, or not with this value; bind a number, a text, a boolean, a date, a time, or bytes`,
      );
    characters += value.text.length;
    if (characters > BOUNDS.callBytes)
      throw unfit(`values may have at most ${BOUNDS.callBytes} characters together`);
    return value;
  });
}

function valueOf({ tag, type, buffers }: ParameterColumn): EngineValue | undefined {
  const [first = NO_BYTES] = buffers;
  switch (tag) {
    case TYPE.int:
      return integerValue(first, type.int32(0), type.uint8(1) !== 0);
    case TYPE.float:
      return floatValue(first, type.int16(0));
    case TYPE.bool:
      return { type: 'Bool', text: String((first.readUInt8(0) & 1) === 1) };
    case TYPE.utf8:
      return textValue(shortText(buffers));
    case TYPE.largeUtf8:
      return textValue(longText(buffers));
    case TYPE.binary:
      return bytesValue(shortText(buffers));
    case TYPE.largeBinary:
      return bytesValue(longText(buffers));
    case TYPE.decimal:
      return decimalValue(first, type.int32(0), type.int32(1), type.int32(2, 128));
    case TYPE.date:
      return dateValue(first, type.int16(0, MILLISECOND));
    case TYPE.time: {
      const digits = DIGITS[type.int16(0, MILLISECOND)];
      if (digits === undefined) return undefined;
      return { type: `Time64(${digits})`, text: clockText(integerAt(first, type.int32(1, 32)), digits) }; // prettier-ignore
    }
    case TYPE.timestamp: {
      const digits = DIGITS[type.int16(0)];
      if (digits === undefined) return undefined;
      const zone = (type.vector(1, 1)?.length ?? 0) > 0 ? ", 'UTC'" : '';
      return { type: `DateTime64(${digits}${zone})`, text: momentText(integerAt(first, 64), digits) }; // prettier-ignore
    }
    default:
      return undefined;
  }
}

/** @throws {RangeError} where the bytes do not have it */
const integerAt = (bytes: Buffer, bits: number): bigint =>
  bits === 64 ? bytes.readBigInt64LE(0) : BigInt(bytes.readIntLE(0, bits / 8));

function integerValue(bytes: Buffer, bits: number, isSigned: boolean): EngineValue | undefined {
  if (!INTEGER_BITS.includes(bits)) return undefined;
  const value = integerAt(bytes, bits);
  if (isSigned) return { type: `Int${bits}`, text: String(value) };
  return { type: `UInt${bits}`, text: String(BigInt.asUintN(bits, value)) };
}

function floatValue(bytes: Buffer, precision: number): EngineValue | undefined {
  switch (precision) {
    case 0:
      return { type: 'Float32', text: floatText(halfFloat(bytes.readUInt16LE(0))) };
    case 1:
      return { type: 'Float32', text: floatText(bytes.readFloatLE(0)) };
    case 2:
      return { type: 'Float64', text: floatText(bytes.readDoubleLE(0)) };
    default:
      return undefined;
  }
}

const shortText = ([ends = NO_BYTES, bytes]: ParameterColumn['buffers']): Buffer =>
  textWithin(bytes, BigInt(ends.readInt32LE(0)), BigInt(ends.readInt32LE(4)));

const longText = ([ends = NO_BYTES, bytes]: ParameterColumn['buffers']): Buffer =>
  textWithin(bytes, ends.readBigInt64LE(0), ends.readBigInt64LE(8));

function textWithin(bytes: Buffer = NO_BYTES, begin: bigint, end: bigint): Buffer {
  if (begin < 0n || begin > end || end > BigInt(bytes.length))
    throw new RangeError('a text is not within its bytes');
  return bytes.subarray(Number(begin), Number(end));
}

const textValue = (text: Buffer): EngineValue | undefined =>
  isUtf8(text) ? { type: 'String', text: text.toString('utf8') } : undefined;

const bytesValue = (bytes: Buffer): EngineValue =>
  textValue(bytes) ?? { type: 'String', text: bytes.toString('hex'), isHex: true };

/** Digits after the point would be written as zeros, however many are claimed. */
function decimalValue(
  bytes: Buffer,
  precision: number,
  scale: number,
  bits: number,
): EngineValue | undefined {
  const isKnown = precision >= 1 && precision <= DECIMAL_DIGITS && DECIMAL_BITS.includes(bits);
  if (!isKnown || scale < 0 || scale > precision) return undefined;
  const text = decimalText(wordsOf(bytes, bits / 32), scale);
  return { type: `Decimal(${precision}, ${scale})`, text };
}

const wordsOf = (bytes: Buffer, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, at) => bytes.readUInt32LE(4 * at));

function dateValue(bytes: Buffer, unit: number): EngineValue | undefined {
  if (unit !== DAY && unit !== MILLISECOND) return undefined;
  const millis = unit === DAY ? bytes.readInt32LE(0) * MILLIS_OF_DAY : Number(bytes.readBigInt64LE(0)); // prettier-ignore
  return { type: 'Date32', text: dayText(millis) };
}
