import { isUtf8 } from 'node:buffer';
import { bytesOf, elementsOf, isNull } from './json-row.js';
import type { PostgresType } from './postgres-type.js';

const [TRUE, FALSE] = [Buffer.from('t'), Buffer.from('f')];
/** PostgreSQL's times have microseconds. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?Z?$/;
const CLOCK = /^(-?\d+:\d\d:\d\d)(?:\.(\d{1,6})\d*)?$/;

/**
 * A value as PostgreSQL writes it as text.
 * @param json as the engine has written it as JSON; not null
 */
export function valueText(json: Buffer, { kind, element }: PostgresType): Buffer {
  switch (kind) {
    case 'bool':
      return json[0] === 0x74 ? TRUE : FALSE;
    case 'bytea':
      return Buffer.from(`\\x${bytesOf(json).toString('hex')}`);
    case 'float4':
    case 'float8':
      return Buffer.from(floatText(bytesOf(json).toString('latin1')));
    case 'timestamp':
      return Buffer.from(timeText(bytesOf(json).toString('latin1')));
    case 'timestamptz':
      return Buffer.from(`${timeText(bytesOf(json).toString('latin1'))}+00`);
    case 'time':
      return Buffer.from(clockText(bytesOf(json).toString('latin1')));
    case 'jsonb':
      return utf8(json);
    case 'array':
      return Buffer.from(
        `{${elementsOf(json)
          .map((each) => elementText(each, element))
          .join(',')}}`,
      );
    case 'text':
      return utf8(bytesOf(json));
    default:
      return bytesOf(json);
  }
}

/**
 * Replaces bytes that are not UTF-8, such as half a character, because a client would stop reading
 * at them.
 */
const utf8 = (bytes: Buffer): Buffer =>
  isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));

function floatText(text: string): string {
  if (text === 'nan' || text === '-nan') return 'NaN';
  return text.replace(/^(-?)inf$/, '$1Infinity');
}

/** Writes a fraction without zeros at its end, as PostgreSQL has it. */
const fraction = (digits = ''): string => {
  const short = digits.replace(/0+$/, '');
  return short === '' ? '' : `.${short}`;
};

export function timeText(text: string): string {
  const [, day, clock, digits] = TIME.exec(text) ?? [];
  return day === undefined ? text : `${day} ${clock}${fraction(digits)}`;
}

function clockText(text: string): string {
  const [, clock, digits] = CLOCK.exec(text) ?? [];
  return clock === undefined ? text : `${clock}${fraction(digits)}`;
}

/** Quotes a text within an array if it could be read as something else. */
function elementText(json: Buffer, element: PostgresType | undefined): string {
  if (isNull(json) || !element) return 'NULL';
  const text = valueText(json, element).toString('utf8');
  const isPlain = text !== '' && !/[\s{}",\\]|^null$/i.test(text);
  return isPlain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
