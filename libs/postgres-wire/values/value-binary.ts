import { bytesOf, elementsOf, isNull } from './json-row.js';
import { numericBinary } from './numeric-binary.js';
import type { PostgresType } from './postgres-type.js';
import { valueText } from './value-text.js';

/** PostgreSQL counts from the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;
const JSONB_VERSION = Buffer.from([1]);

/**
 * A value as PostgreSQL sends it in its binary format.
 * @param json as the engine has written it as JSON; not null
 */
export function valueBinary(json: Buffer, type: PostgresType): Buffer {
  const text = (): string => bytesOf(json).toString('latin1');
  switch (type.kind) {
    case 'bool':
      return Buffer.from([json[0] === 0x74 ? 1 : 0]);
    case 'int2':
      return sized(2, (bytes) => bytes.writeInt16BE(Number(text())));
    case 'int4':
      return sized(4, (bytes) => bytes.writeInt32BE(Number(text())));
    case 'int8':
      return sized(8, (bytes) => bytes.writeBigInt64BE(BigInt(text())));
    case 'float4':
      return sized(4, (bytes) => bytes.writeFloatBE(Number(valueText(json, type).toString())));
    case 'float8':
      return sized(8, (bytes) => bytes.writeDoubleBE(Number(valueText(json, type).toString())));
    case 'numeric':
      return numericBinary(text());
    case 'bytea':
      return bytesOf(json);
    case 'date':
      return sized(4, (bytes) =>
        bytes.writeInt32BE((Date.parse(`${text()}T00:00:00Z`) - EPOCH_MS) / DAY_MS),
      );
    case 'time':
      return sized(8, (bytes) =>
        bytes.writeBigInt64BE(clockMicros(valueText(json, type).toString())),
      );
    case 'timestamp':
    case 'timestamptz':
      return sized(8, (bytes) => bytes.writeBigInt64BE(micros(valueText(json, type).toString())));
    case 'uuid':
      return Buffer.from(text().replaceAll('-', ''), 'hex');
    case 'jsonb':
      return Buffer.concat([JSONB_VERSION, valueText(json, type)]);
    case 'array':
      return arrayBinary(json, type.element ?? type);
    case 'text':
      return valueText(json, type);
  }
}

function sized(size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  write(bytes);
  return bytes;
}

const FRACTION_DIGITS = 6;
const fractionOf = (digits = ''): bigint => BigInt(digits.padEnd(FRACTION_DIGITS, '0'));

function micros(text: string): bigint {
  const [, day, clock, digits] = /^(\S+) ([\d:]+)(?:\.(\d+))?/.exec(text) ?? [];
  return BigInt(Date.parse(`${day}T${clock}Z`) - EPOCH_MS) * 1000n + fractionOf(digits);
}

function clockMicros(text: string): bigint {
  const [, hours = '0', minutes = '0', seconds = '0', digits] =
    /^(-?\d+):(\d\d):(\d\d)(?:\.(\d+))?/.exec(text) ?? [];
  const whole = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  return whole * 1_000_000n + fractionOf(digits);
}

function arrayBinary(json: Buffer, element: PostgresType): Buffer {
  const elements = elementsOf(json);
  const values = elements.map((each) => (isNull(each) ? null : valueBinary(each, element)));
  const head = Buffer.alloc(elements.length === 0 ? 12 : 20);
  head.writeInt32BE(elements.length === 0 ? 0 : 1, 0);
  head.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  head.writeUInt32BE(element.oid, 8);
  if (elements.length > 0) {
    head.writeInt32BE(elements.length, 12);
    head.writeInt32BE(1, 16);
  }
  const buffers = values.flatMap((value) => {
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(value?.length ?? -1);
    return value ? [length, value] : [length];
  });
  return Buffer.concat([head, ...buffers]);
}
