import { WireType } from '@bufbuild/protobuf/wire';
import type { Codec } from './codec.js';
import { malformed } from './malformed.js';
import type { WireReader } from './wire-reader.js';

const { Varint, Bit32, Bit64, LengthDelimited } = WireType;

export const text: Codec<string> = {
  wireType: LengthDelimited,
  wire: (reader) => reader.string(),
  json: (value) => {
    if (typeof value !== 'string') throw malformed('want a text');
    return value;
  },
};

export const bool: Codec<boolean> = {
  wireType: Varint,
  wire: (reader) => reader.bool(),
  json: (value) => {
    if (typeof value !== 'boolean') throw malformed('want true or false');
    return value;
  },
};

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Bytes become Base64. */
export const bytes: Codec<string> = {
  wireType: LengthDelimited,
  wire: (reader) => bufferOf(reader.bytes()).toString('base64'),
  json: (value) => {
    if (typeof value !== 'string' || !BASE64.test(value)) throw malformed('want Base64');
    return Buffer.from(value, 'base64').toString('base64');
  },
};

const HEX = /^(?:[0-9a-f]{2})*$/i;

/** The ids of traces and spans are hexadecimal, also in JSON. */
export const hexBytes: Codec<string> = {
  wireType: LengthDelimited,
  wire: (reader) => bufferOf(reader.bytes()).toString('hex'),
  json: (value) => {
    if (typeof value !== 'string' || !HEX.test(value)) throw malformed('want hexadecimal digits');
    return value.toLowerCase();
  },
};

const INTEGER = /^-?\d{1,20}$/;

/** JSON has integers as numbers or as texts. */
function integer(value: unknown, least: bigint, most: bigint): bigint {
  const isInteger = typeof value === 'string' ? INTEGER.test(value) : Number.isSafeInteger(value);
  const exact = isInteger ? BigInt(value as string | number) : undefined;
  if (exact === undefined || exact < least || exact > most)
    throw malformed(`want an integer from ${least} to ${most}`);
  return exact;
}

const BITS_31 = 2n ** 31n;
const BITS_63 = 2n ** 63n;

const small = (
  wireType: WireType,
  wire: (reader: WireReader) => number,
  [least, most]: readonly [bigint, bigint],
): Codec<number> => ({
  wireType,
  wire,
  json: (value) => Number(integer(value, least, most)),
});
const UNSIGNED_32 = [0n, 2n * BITS_31 - 1n] as const;
const SIGNED_32 = [-BITS_31, BITS_31 - 1n] as const;

export const uint32 = small(Varint, (reader) => reader.uint32(), UNSIGNED_32);
export const fixed32 = small(Bit32, (reader) => reader.fixed32(), UNSIGNED_32);
export const int32 = small(Varint, (reader) => reader.int32(), SIGNED_32);
export const sint32 = small(Varint, (reader) => reader.sint32(), SIGNED_32);

const large = (
  wireType: WireType,
  wire: (reader: WireReader) => bigint | string,
  [least, most]: readonly [bigint, bigint],
): Codec<bigint> => ({
  wireType,
  wire: (reader) => BigInt(wire(reader)),
  json: (value) => integer(value, least, most),
});
const UNSIGNED_64 = [0n, 2n * BITS_63 - 1n] as const;
const SIGNED_64 = [-BITS_63, BITS_63 - 1n] as const;

export const fixed64 = large(Bit64, (reader) => reader.fixed64(), UNSIGNED_64);
export const uint64 = large(Varint, (reader) => reader.uint64(), UNSIGNED_64);
export const int64 = large(Varint, (reader) => reader.int64(), SIGNED_64);
export const sint64 = large(Varint, (reader) => reader.sint64(), SIGNED_64);
export const sfixed64 = large(Bit64, (reader) => reader.sfixed64(), SIGNED_64);

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NOT_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

export const double: Codec<number> = {
  wireType: Bit64,
  wire: (reader) => reader.double(),
  json: (value) => {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    const isNumber = typeof value === 'string' && (NOT_FINITE.has(value) || NUMBER.test(value));
    const number = isNumber ? Number(value) : undefined;
    // A number in finite notation must also be finite as a double.
    if (number === undefined || (!Number.isFinite(number) && !NOT_FINITE.has(value)))
      throw malformed('want a number, "NaN", "Infinity" or "-Infinity"');
    return number;
  },
};

/** Numbers, which in JSON may also be the names of special values. */
export const oneOf = (names: readonly string[]): Codec<number> => ({
  wireType: Varint,
  wire: (reader) => reader.int32(),
  json: (value) => {
    if (typeof value !== 'string' || INTEGER.test(value))
      return int32.json(value, undefined as never);
    const number = names.indexOf(value);
    if (number < 0) throw malformed(`want a number, or one of ${names.slice(0, 6).join(', ')} …`);
    return number;
  },
});

const bufferOf = (view: Uint8Array): Buffer =>
  Buffer.from(view.buffer, view.byteOffset, view.length);
