import { declarableName, readValueType, type ValueType } from '@app/streams';
import { JsonScanner } from '../json/json-scanner.js';
import { EMPTY_ARRAY, FLOAT, INT, NONE, TEXT, UINT } from '../values/kinds.js';
import { narrowFloats } from '../values/narrow-floats.js';
import { decimalsOf, integersWithin } from '../values/typed-numbers.js';
import { days, timesOfDay, timestamps } from '../values/typed-times.js';
import { AS_IT_STANDS, type ValueReader } from '../values/value-reader.js';

const [OPEN_ARRAY, CLOSE_ARRAY, BACKSLASH] = [0x5b, 0x5d, 0x5c];
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const UUID_LENGTH = 36;

const uuids: ValueReader = (bytes, from, to, isText) =>
  isText && to - from === UUID_LENGTH && UUID.test(bytes.toString('latin1', from, to))
    ? AS_IT_STANDS
    : undefined;

/** Base64 in the form in which answers write it: with its padding, and without unused bits. */
const bytesOf =
  (size: number | undefined): ValueReader =>
  (bytes, from, to, isText) => {
    if (!isText) return undefined;
    const written = bytes.toString('latin1', from, to);
    const held = Buffer.from(written, 'base64');
    if (held.toString('base64') !== written) return undefined;
    return size === undefined || held.length === size ? AS_IT_STANDS : undefined;
  };

/** It is undefined if kinds and marks of JSON already tell everything about a value. */
function readerOf(type: ValueType): ValueReader | undefined {
  switch (type.family) {
    case 'integer':
      return type.bits === 64 ? undefined : integersWithin(...limitsOf(type));
    case 'float':
      return type.bits === 64 ? undefined : narrowFloats;
    case 'decimal':
      return decimalsOf(type.precision, type.scale);
    case 'date':
      return days;
    case 'timestamp':
      return timestamps(type.digits, type.isUtc);
    case 'time':
      return timesOfDay(type.digits);
    case 'uuid':
      return uuids;
    case 'binary':
      return bytesOf(type.bytes);
    case 'boolean':
    case 'text':
      return undefined;
  }
}

type Integer = Extract<ValueType, { readonly family: 'integer' }>;

const limitsOf = ({ bits, isSigned }: Integer): readonly [least: number, most: number] =>
  isSigned ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];

/** Describes in words the values of the type. */
function wanted(type: ValueType): string {
  switch (type.family) {
    case 'integer':
      return `a whole number from ${limitsOf(type).join(' to ')}`;
    case 'float':
      return 'a number that an answer of 32 bits gives back as it is written; more digits want Float64';
    case 'decimal':
      return `a number, or a text of one, with at most ${type.precision - type.scale} digits before the point and ${type.scale} behind it`;
    case 'date':
      return 'a day as YYYY-MM-DD, from 1900-01-01 to 2299-12-31';
    case 'timestamp':
      return (
        (type.isUtc
          ? 'ISO 8601, RFC 2822, or seconds, milli-, micro- or nanoseconds since 1970'
          : 'ISO 8601 without a zone, as YYYY-MM-DDThh:mm:ss') +
        `, from 1900 to ${type.digits === 9 ? '2262-04-11' : '2299'}, with at most ${type.digits} digits of a second`
      );
    case 'time':
      return `hh:mm:ss within a day, with at most ${type.digits} digits of a second`;
    case 'binary':
      return type.bytes === undefined ? 'base64' : `base64 of ${type.bytes} bytes`;
    default:
      return '8-4-4-4-12 hexadecimal digits';
  }
}

/**
 * A column, or a list, whose values acceptance looks at, because their kind in JSON does not tell
 * whether they fit.
 */
export class TypedColumn {
  private constructor(
    private readonly type: string,
    private readonly element: ValueType,
    private readonly read: ValueReader,
    private readonly isList: boolean,
  ) {}

  /** Gives the rules of a type; undefined if the kinds of its values tell everything. */
  static of(type: string): TypedColumn | undefined {
    const inner = /^Array\((.+)\)$/.exec(type)?.[1];
    const element = readValueType(inner ?? type);
    const read = element && readerOf(element);
    return read && new TypedColumn(type, element, read, inner !== undefined);
  }

  /** The kind of what fits, as the rules of column types call it. */
  get kind(): string {
    return this.isList ? this.type : (/^Nullable\((.+)\)$/.exec(this.type)?.[1] ?? this.type);
  }

  /** True where the column becomes one of times when times come to it. */
  get isOfDays(): boolean {
    return this.element.family === 'date' && !this.isList;
  }

  /** Tells whether a wider column takes numbers that this one does not take. */
  get isOfIntegers(): boolean {
    return this.element.family === 'integer';
  }

  /** Tells whether no text is a value of the column. For decimals, texts are values too. */
  get isOfNumbersAlone(): boolean {
    const { family } = this.element;
    return family === 'integer' || family === 'float';
  }

  get isOfDecimals(): boolean {
    return this.element.family === 'decimal';
  }

  /**
   * A value of JSON.
   * @returns what is to be written in its place; {@link AS_IT_STANDS}; undefined where it does not fit
   */
  json(bytes: Buffer, kind: number, from: number, to: number): string | undefined {
    if (kind === NONE) return AS_IT_STANDS;
    if (!this.isList) return this.single(bytes, kind, from, to);
    if (kind === EMPTY_ARRAY) return AS_IT_STANDS;
    return bytes[from] === OPEN_ARRAY ? this.list(bytes, from) : undefined;
  }

  /** A field of CSV, which has no escapes. @returns as {@link json} */
  field(bytes: Buffer, from: number, to: number, isText: boolean): string | undefined {
    const written = this.read(bytes, from, to, isText);
    if (written === undefined) return undefined;
    return this.quoted(written === AS_IT_STANDS ? bytes.toString('latin1', from, to) : written);
  }

  private single(bytes: Buffer, kind: number, from: number, to: number): string | undefined {
    const isText = kind === TEXT;
    if (!isText && kind !== INT && kind !== UINT && kind !== FLOAT) return undefined;
    const edge = isText ? 1 : 0;
    const written = this.read(bytes, from + edge, to - edge, isText);
    if (written === undefined && isText) return this.escaped(bytes, from, to);
    return written ? this.quoted(written) : written;
  }

  /** A text does not fit as it is spelled, but it may fit once its escapes are read. */
  private escaped(bytes: Buffer, from: number, to: number): string | undefined {
    const json = bytes.subarray(from, to);
    if (!json.includes(BACKSLASH)) return undefined;
    const text = Buffer.from(String(JSON.parse(json.toString('utf8'))));
    return this.field(text, 0, text.length, true);
  }

  /**
   * Judges element by element. If one element is written differently, blanks between the elements
   * are left out.
   */
  private list(bytes: Buffer, from: number): string | undefined {
    const scanner = new JsonScanner(bytes);
    /** The elements as they are written; most lists need none, because they stay as they are. */
    let written: string[] | undefined;
    scanner.at = from + 1;
    do {
      scanner.blanks();
      const start = scanner.at;
      const kind = scanner.value(0);
      const one = kind === NONE ? AS_IT_STANDS : this.single(bytes, kind, start, scanner.at);
      if (one === undefined) return undefined;
      if (one !== AS_IT_STANDS) written ??= elementsBefore(bytes, from, start);
      written?.push(one || bytes.toString('latin1', start, scanner.at));
    } while (scanner.goesOn(CLOSE_ARRAY));
    return written ? `[${written.join(',')}]` : AS_IT_STANDS;
  }

  private quoted(text: string): string {
    return this.isOfNumbersAlone || this.isOfDecimals ? text : `"${text}"`;
  }

  whyNot(): string {
    const { element, isList } = this;
    const one = isList ? 'each null, or ' : '';
    return `does not fit the column's type, ${declarableName(this.type)}: want ${one}${wanted(element)}; send others in a field of another name`;
  }
}

/** The elements of an array that stand before a place, as they are written there. */
function elementsBefore(bytes: Buffer, from: number, place: number): string[] {
  const scanner = new JsonScanner(bytes);
  const written: string[] = [];
  scanner.at = from + 1;
  for (scanner.blanks(); scanner.at < place; scanner.blanks()) {
    const start = scanner.at;
    scanner.value(0);
    written.push(bytes.toString('latin1', start, scanner.at));
    scanner.goesOn(CLOSE_ARRAY);
  }
  return written;
}
