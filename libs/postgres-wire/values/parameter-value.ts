import { isUtf8 } from 'node:buffer';
import type { Format } from '../protocol/front-messages.js';
import { PostgresError } from '../protocol/protocol-error.js';
import { utf8 } from '../protocol/body-reader.js';
import { numericText } from './numeric-binary.js';
import {
  INTERVAL,
  intervalOfBinary,
  intervalOfText,
  type IntervalValue,
} from './interval-value.js';
import { ELEMENT_OF_OID, KIND_OF_OID, type ValueKind } from './postgres-type.js';

/** A value as the engine takes it: text in its notation, and the type that it is read as. */
export interface EngineValue {
  readonly type: string;
  readonly text: string;
  /** A length of time: the unit in which the number is. */
  readonly unit?: IntervalValue['unit'];
  /** The text is bytes in hexadecimal digits: they are no UTF-8. */
  readonly isHex?: true;
  /** It stands for values that are not there yet. */
  readonly isAny?: true;
}

/** The OID of a parameter without a declared type. */
export const UNKNOWN = 0;

/** OIDs of char, name, json, xml, unknown, bpchar and varchar, whose binary form is their text. */
const LIKE_TEXT = new Set([UNKNOWN, 18, 19, 114, 142, 705, 1042, 1043]);

const ENGINE_TYPES: Readonly<Record<Exclude<ValueKind, 'array'>, string>> = {
  bool: 'Bool',
  int2: 'Int16',
  int4: 'Int32',
  int8: 'Int64',
  float4: 'Float32',
  float8: 'Float64',
  numeric: 'Decimal(76, 20)',
  text: 'String',
  bytea: 'String',
  date: 'Date32',
  time: 'Time64(6)',
  timestamp: 'DateTime64(6)',
  timestamptz: "DateTime64(6, 'UTC')",
  uuid: 'UUID',
  jsonb: 'String',
};

const EPOCH_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;

/** Any value of the type, to describe a statement without running it. */
export function anyValue(oid: number): EngineValue {
  const element = ELEMENT_OF_OID.get(oid);
  if (element !== undefined) return { type: `Array(${anyValue(element).type})`, text: '[]' };
  if (oid === INTERVAL) return { type: 'Int64', text: '0', unit: 'Day' };
  const kind = KIND_OF_OID.get(oid) ?? 'text';
  const texts: Partial<Record<ValueKind, string>> = {
    ...{ text: '', bytea: '', jsonb: '', bool: 'false', date: '2000-01-01', time: '00:00:00' },
    ...{ timestamp: '2000-01-01 00:00:00', timestamptz: '2000-01-01 00:00:00' },
    uuid: '00000000-0000-0000-0000-000000000000',
  };
  return { type: ENGINE_TYPES[kind], text: texts[kind] ?? '0', isAny: true };
}

/** @throws {PostgresError} 22P02, 22P03 */
export function parameterValue(oid: number, format: Format, bytes: Buffer): EngineValue {
  const element = ELEMENT_OF_OID.get(oid);
  if (element !== undefined) return arrayValue(element, format, bytes);
  if (oid === INTERVAL) {
    const { unit, number } = format === 'binary' ? intervalOfBinary(bytes) : intervalOfText(utf8(bytes)); // prettier-ignore
    return { type: 'Int64', text: String(number), unit };
  }
  const kind = KIND_OF_OID.get(oid) ?? 'text';
  if (format === 'binary' && !KIND_OF_OID.has(oid) && !LIKE_TEXT.has(oid))
    throw new PostgresError('0A000', `a parameter of the type with OID ${oid} is not taken in binary: send it as text`); // prettier-ignore
  return engineValue(kind, format === 'binary' ? textOfBinary(kind, bytes) : utf8(bytes));
}

function engineValue(kind: Exclude<ValueKind, 'array'>, text: string): EngineValue {
  const type = ENGINE_TYPES[kind];
  const plain = text.trim();
  switch (kind) {
    case 'bool':
      if (/^(?:t|true|y|yes|on|1)$/i.test(plain)) return { type, text: 'true' };
      if (/^(?:f|false|n|no|off|0)$/i.test(plain)) return { type, text: 'false' };
      throw unreadable(kind, text);
    case 'int2':
    case 'int4':
    case 'int8': {
      if (!/^[+-]?\d{1,40}$/.test(plain)) throw unreadable(kind, text);
      const value = BigInt(plain.replace(/^\+/, ''));
      const bits = { int2: 16, int4: 32, int8: 64 }[kind];
      if (BigInt.asIntN(bits, value) !== value)
        throw new PostgresError('22003', `value ${plain} is out of range for type ${kind}`);
      return { type, text: String(value) };
    }
    case 'numeric':
      return numericValue(plain);
    case 'float4':
    case 'float8':
      if (/^[+-]?(?:inf|infinity|nan)$/i.test(plain)) return { type, text: plain.toLowerCase().slice(0, plain.startsWith('-') ? 4 : 3) }; // prettier-ignore
      if (plain === '' || !Number.isFinite(Number(plain))) throw unreadable(kind, text);
      return { type, text: plain };
    case 'date':
      if (!/^\d{4}-\d\d-\d\d$/.test(plain.slice(0, 10))) throw unreadable(kind, text);
      return { type, text: plain.slice(0, 10) };
    case 'timestamp':
    case 'timestamptz':
      return { type, text: timeValue(kind, plain) };
    case 'time':
      if (!/^\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?$/.test(plain)) throw unreadable(kind, text);
      return { type, text: plain.length === 5 ? `${plain}:00` : plain };
    case 'uuid':
      if (!/^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/i.test(plain))
        throw unreadable(kind, text);
      return { type, text: plain };
    case 'bytea':
      return { type, ...bytesValue(/^\\x(?:[\da-f]{2})*$/i.test(text) ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text)) }; // prettier-ignore
    default:
      return { type, text };
  }
}

/** No zeros are added and no digits are cut, because the type has as many digits as the number. */
function numericValue(text: string): EngineValue {
  if (/^nan$/i.test(text)) return { type: 'Float64', text: 'nan' };
  if (!/^[+-]?(?:\d{1,76}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/.test(text))
    throw unreadable('numeric', text);
  if (/e/i.test(text)) return { type: 'Float64', text: String(Number(text)) };
  const [, fraction = ''] = text.split('.');
  if (text.replace(/\D/g, '').length > 76) throw unreadable('numeric', text);
  return { type: `Decimal(76, ${fraction.length})`, text: text.replace(/^\+/, '') };
}

/** A day may have a zone behind it: JDBC writes `2026-01-03 +01` for a `java.sql.Date`. */
function timeValue(kind: string, text: string): string {
  const [, day, clock = '00:00:00', digits = '', zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?(?::\d\d)?)?$/i.exec(
      text,
    ) ?? [];
  if (day === undefined) throw unreadable(kind, text);
  const offset = kind === 'timestamp' || zone === '' ? 'Z' : zone.replace(/^([+-]\d\d)$/, '$1:00').replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').slice(0, 6); // prettier-ignore
  const millis = Date.parse(`${day}T${clock}${offset}`);
  if (Number.isNaN(millis)) throw unreadable(kind, text);
  const whole = new Date(millis).toISOString().slice(0, 19).replace('T', ' ');
  return digits === '' ? whole : `${whole}.${digits.slice(0, 6)}`;
}

const bytesValue = (bytes: Buffer): Omit<EngineValue, 'type'> =>
  isUtf8(bytes) ? { text: bytes.toString('utf8') } : { text: bytes.toString('hex'), isHex: true };

function unreadable(kind: string, text: string): PostgresError {
  const value = JSON.stringify(text.slice(0, 80));
  return new PostgresError('22P02', `invalid input syntax for type ${kind}: ${value}`);
}

function textOfBinary(kind: Exclude<ValueKind, 'array'>, bytes: Buffer): string {
  const wrong = (): PostgresError =>
    new PostgresError('22P03', `incorrect binary data for type ${kind}`);
  const size = { bool: 1, int2: 2, int4: 4, int8: 8, float4: 4, float8: 8, date: 4, time: 8, timestamp: 8, timestamptz: 8, uuid: 16 }[kind as string]; // prettier-ignore
  if (size !== undefined && bytes.length !== size) throw wrong();
  switch (kind) {
    case 'bool':
      return bytes[0] === 0 ? 'f' : 't';
    case 'int2':
      return String(bytes.readInt16BE());
    case 'int4':
      return String(bytes.readInt32BE());
    case 'int8':
      return String(bytes.readBigInt64BE());
    case 'float4':
      return String(bytes.readFloatBE());
    case 'float8':
      return String(bytes.readDoubleBE());
    case 'numeric': {
      const text = numericText(bytes);
      if (text === undefined) throw wrong();
      return text;
    }
    case 'date': {
      const day = new Date(EPOCH_MS + bytes.readInt32BE() * DAY_MS);
      if (Number.isNaN(day.valueOf())) throw wrong();
      return day.toISOString().slice(0, 10);
    }
    case 'timestamp':
    case 'timestamptz':
      return timeOfMicros(bytes.readBigInt64BE()) ?? raise(wrong());
    case 'time':
      return timeOfMicros(bytes.readBigInt64BE())?.slice(11) ?? raise(wrong());
    case 'uuid':
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    case 'bytea':
      return `\\x${bytes.toString('hex')}`;
    case 'jsonb':
      return utf8(bytes.subarray(1));
    case 'text':
      return utf8(bytes);
  }
}

function raise(error: Error): never {
  throw error;
}

function timeOfMicros(micros: bigint): string | undefined {
  const seconds = micros >= 0n ? micros / 1_000_000n : (micros - 999_999n) / 1_000_000n;
  const time = new Date(EPOCH_MS + Number(seconds) * 1000);
  if (Number.isNaN(time.valueOf())) return undefined;
  const fraction = String(micros - seconds * 1_000_000n).padStart(6, '0');
  return `${time.toISOString().slice(0, 19).replace('T', ' ')}.${fraction}`;
}

/** @throws {PostgresError} 0A000 for arrays of arrays */
function arrayValue(element: number, format: Format, bytes: Buffer): EngineValue {
  const values = format === 'binary' ? binaryElements(bytes) : textElements(utf8(bytes));
  const each = values.map((value) =>
    value === null ? null : parameterValue(element, format, value),
  );
  if (each.some((value) => value?.isHex))
    throw new PostgresError(
      '0A000',
      'lists of bytes that are no UTF-8 are not taken as a parameter',
    );
  const inner = each.find((value) => value !== null)?.type ?? anyValue(element).type;
  const type = inner.startsWith('Decimal') ? anyValue(element).type : inner;
  // The engine reads no quotes around numbers of a list.
  const isBare = /^(?:U?Int|Float|Decimal|Bool)/.test(type);
  const written = (text: string): string => isBare ? text : `'${text.replace(/[\\']/g, '\\$&')}'`; // prettier-ignore
  const quoted = each.map((value) => (value === null ? 'NULL' : written(value.text)));
  return { type: `Array(Nullable(${type}))`, text: `[${quoted.join(',')}]` };
}

function binaryElements(bytes: Buffer): readonly (Buffer | null)[] {
  const wrong = new PostgresError('22P03', 'incorrect binary data for an array');
  if (bytes.length < 12) throw wrong;
  const dimensions = bytes.readInt32BE(0);
  if (dimensions === 0) return [];
  if (dimensions !== 1 || bytes.length < 20) throw nested();
  const values: (Buffer | null)[] = [];
  for (let at = 20; at < bytes.length;) {
    if (at + 4 > bytes.length) throw wrong;
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < -1 || at + length > bytes.length) throw wrong;
    values.push(length === -1 ? null : bytes.subarray(at, at + length));
    at += Math.max(length, 0);
  }
  if (values.length !== bytes.readInt32BE(12)) throw wrong;
  return values;
}

/** The elements of an array's text, as `{a,"b c",NULL}`. @throws {PostgresError} 0A000, 22P02 */
export function textElements(text: string): readonly (Buffer | null)[] {
  if (!/^\s*\{[^]*\}\s*$/.test(text)) throw unreadable('an array', text);
  const inner = text.trim().slice(1, -1);
  if (/^\s*\{/.test(inner)) throw nested();
  const pieces = [...inner.matchAll(/\s*(?:"((?:[^"\\]|\\[^])*)"|([^,"{}]*?))\s*(?:,|$)/gy)];
  if (inner.trim() === '') return [];
  const read = pieces.reduce((sum, [piece]) => sum + piece.length, 0);
  if (read < inner.length) throw unreadable('an array', text);
  // A text that ends right after a separator has one more element, which is empty.
  const all = inner.endsWith(',') || pieces.at(-1)?.[0] !== '' ? pieces : pieces.slice(0, -1);
  return all.map(([, quoted, bare = '']) => {
    if (quoted === undefined && /^null$/i.test(bare)) return null;
    return Buffer.from((quoted ?? bare).replace(/\\([^])/g, '$1'));
  });
}

const nested = (): PostgresError =>
  new PostgresError('0A000', 'arrays of arrays are not taken as values');
