import { BrokenFileError } from '@app/parquet';
import type { Field, FieldType, SecondDigits } from './field.js';
import type { FlatTable } from './flat-buffer.js';

/** The schema of an Arrow file, and the fields of it that are to be read otherwise. */
export interface ArrowSchema {
  readonly fields: readonly Field[];
  /** The same as the engine reads them once {@link patches} are written. */
  readonly held: readonly Field[];
  /** Bytes of the schema to write over, by their place in it. */
  readonly patches: ReadonlyMap<number, number>;
  /**
   * The bytes to write over so that what is of type null is text, by their place in the schema; but
   * not within lists and structs where it claims to be never null.
   */
  readonly texts: ReadonlyMap<number, number>;
  /**
   * The places of lists and maps in a batch. The engine's reader shows what lies below those that
   * are null.
   */
  readonly lists: readonly ListPlace[];
  /** The places of decimals with more bits than the engine keeps without the patches. */
  readonly decimals: readonly DecimalPlace[];
}

/** A column, or what is within one, in the order of a batch's fields. */
export interface ColumnPlace {
  readonly node: number;
  /** The index of its mask; its offsets or values follow. */
  readonly buffer: number;
  /** The number of columns before it with as many buffers as the batch says. */
  readonly viewsBefore: number;
}

export interface ListPlace extends ColumnPlace {
  /** The column's name. */
  readonly name: string;
  /** Bytes of an offset; 0: lists of a fixed length, which have none. */
  readonly offsetBytes: 0 | 4 | 8;
}

export interface DecimalPlace extends ColumnPlace {
  /** The column's name. */
  readonly name: string;
  readonly precision: number;
  /** Bytes of a value. */
  readonly bytes: number;
  /** Bytes that the engine keeps of it. */
  readonly kept: number;
  /** The number of the dictionary whose values they are; undefined: they are those of a batch. */
  readonly dictionary: bigint | 'within one' | undefined;
}

const NESTED_MAX = 64;
const LITTLE_ENDIAN = 0;

/** @throws {Error} what about it cannot be read. */
export function readArrowSchema(schema: FlatTable): ArrowSchema {
  if (schema.int16(0) !== LITTLE_ENDIAN)
    throw new BrokenFileError('its numbers begin with their highest byte (big-endian)');
  const reading = new Reading();
  const both = schema.tables(1).map((field) => reading.field(field, 0, false));
  const names = new Set<string>();
  for (const [{ name }] of both) {
    if (names.has(name)) throw new BrokenFileError(`it has two columns ${JSON.stringify(name)}`);
    names.add(name);
  }
  const { patches, texts, lists, decimals } = reading;
  const [fields, held] = [both.map(([is]) => is), both.map(([, own]) => own)];
  return { fields, held, patches, texts, lists, decimals };
}

/** A field as the file has it, and as it is once the schema is patched. */
type Both<T> = readonly [is: T, held: T];

/** A dictionary's values are the one column of its batch. */
const FIRST = { node: 0, buffer: 0, viewsBefore: 0 } as const;

const same = (type: FieldType): Both<FieldType> => [type, type];

class Reading {
  readonly patches = new Map<number, number>();
  readonly texts = new Map<number, number>();
  readonly lists: ListPlace[] = [];
  readonly decimals: DecimalPlace[] = [];
  private readonly at = { node: 0, buffer: 0, viewsBefore: 0 };

  /** @param inDictionary it is among a dictionary's values, which are no node of a batch. */
  field(field: FlatTable, depth: number, inDictionary: boolean): Both<Field> {
    if (depth > NESTED_MAX)
      throw new BrokenFileError(`its schema is nested deeper than ${NESTED_MAX}`);
    const name = field.text(FIELD.name) ?? '';
    if (name === '' && depth === 0) throw new BrokenFileError('a column has no name');
    const isDictionary = field.table(FIELD.dictionary) !== undefined;
    const tag = field.uint8(FIELD.tag);
    const offsetBytes = OFFSET_BYTES[tag];
    if (offsetBytes !== undefined && (inDictionary || isDictionary))
      throw new BrokenFileError(
        `${column(name)} has lists in a dictionary, which are not taken; cast it to lists`,
      );
    if (offsetBytes !== undefined) this.lists.push({ name, offsetBytes, ...this.at });
    const place = isDictionary ? FIRST : { ...this.at };
    if (!inDictionary) this.pass(isDictionary ? TYPE.int : tag);
    const children = field
      .tables(FIELD.children)
      .map((child) => this.field(child, depth + 1, inDictionary || isDictionary));
    const [type, held] = this.type(field, tag, children, { name, depth });
    if (type.kind === 'decimal' && held.kind === 'decimal') {
      const [bytes, kept] = [decimalBytes(held.precision), decimalBytes(type.precision)];
      const dictionary = inDictionary ? 'within one' : field.table(FIELD.dictionary)?.int64(0);
      if (kept < bytes)
        this.decimals.push({ name, precision: type.precision, bytes, kept, dictionary, ...place });
    }
    return [
      { name, type },
      { name, type: held },
    ];
  }

  /** Counts the nodes and buffers that a column has in a batch, without those of its children. */
  private pass(tag: number): void {
    this.at.node += 1;
    this.at.buffer += BUFFERS[tag] ?? 2;
    if (tag === TYPE.binaryView || tag === TYPE.utf8View) this.at.viewsBefore += 1;
  }

  private type(
    field: FlatTable,
    tag: number,
    children: readonly Both<Field>[],
    { name, depth }: { readonly name: string; readonly depth: number },
  ): Both<FieldType> {
    const [first] = children;
    const type = field.table(FIELD.type);
    if (!type) throw new BrokenFileError(`${column(name)} has no type`);
    switch (tag) {
      case TYPE.list:
      case TYPE.largeList:
      case TYPE.fixedSizeList:
        if (!first || children.length > 1)
          throw new BrokenFileError(`${column(name)} is a list of nothing`);
        return eachOf(first, (element) => ({ kind: 'list', element }));
      case TYPE.struct: {
        if (!first) throw new BrokenFileError(`${column(name)} is a struct without fields`);
        const [is, held] = [children.map(([own]) => own), children.map(([, own]) => own)];
        return [
          { kind: 'struct', fields: is, tellsNull: true },
          { kind: 'struct', fields: held, tellsNull: true },
        ];
      }
      case TYPE.map:
        return mapOf(first, name);
      case TYPE.decimal:
        return this.decimal(type, name);
      case TYPE.null: {
        const place = field.place(FIELD.tag);
        const isNullable = depth === 0 || field.uint8(FIELD.nullable) !== 0;
        if (place !== undefined && isNullable) this.texts.set(place, TYPE.utf8);
        return same({ kind: 'nothing' });
      }
      case TYPE.date:
        if (type.int16(0, 1) === 0) return same({ kind: 'date' });
        // The engine would read it as seconds of 32 bits. It does not change a duration in
        // milliseconds.
        this.patch(field.place(FIELD.tag), [TYPE.duration]);
        return same({ kind: 'date64' });
      default: {
        const scalar = scalarOf(tag, type, field);
        if (!scalar)
          throw new BrokenFileError(
            `${column(name)} is of type ${UNREAD[tag] ?? `number ${tag}`}, which is not taken; cast it to another one`,
          );
        return same(scalar);
      }
    }
  }

  /** The engine keeps as many bits as the digits need, and drops those of values that have more digits. */
  private decimal(type: FlatTable, name: string): Both<FieldType> {
    const [precision, scale, bits] = [type.int32(0), type.int32(1), type.int32(2, 128)];
    const most = DIGITS_OF_BITS[bits];
    if (most === undefined || precision < 1 || precision > most || scale < 0 || scale > precision)
      throw new BrokenFileError(
        `${column(name)} is a decimal of ${precision} digits, ${scale} of them after the point, in ${bits} bits`,
      );
    this.patch(type.place(0), [most, 0, 0, 0]);
    return [
      { kind: 'decimal', precision, scale },
      { kind: 'decimal', precision: most, scale },
    ];
  }

  private patch(place: number | undefined, bytes: readonly number[]): void {
    if (place === undefined) return;
    bytes.forEach((byte, index) => this.patches.set(place + index, byte));
  }
}

function eachOf([is, held]: Both<Field>, make: (field: Field) => FieldType): Both<FieldType> {
  return [make(is), make(held)];
}

/** Its entries are structs of a key and a value, and never null. */
function mapOf(entries: Both<Field> | undefined, name: string): Both<FieldType> {
  const [is, held] = (entries ?? []).map(({ type }) => {
    const [key, value, more] = type.kind === 'struct' ? type.fields : [];
    return key && value && !more ? ({ kind: 'map', key, value } as const) : undefined;
  });
  if (!is || !held) throw new BrokenFileError(`${column(name)} is a map without keys and values`);
  return [is, held];
}

function scalarOf(tag: number, type: FlatTable, field: FlatTable): FieldType | undefined {
  switch (tag) {
    case TYPE.int:
      return integerOf(type);
    case TYPE.float: {
      const precision = type.int16(0);
      return precision < 0 || precision > 2
        ? undefined
        : { kind: 'float', bits: precision === 2 ? 64 : 32 };
    }
    case TYPE.bool:
      return { kind: 'boolean' };
    case TYPE.utf8:
    case TYPE.largeUtf8:
    case TYPE.utf8View:
      return { kind: 'text' };
    case TYPE.binary:
    case TYPE.largeBinary:
    case TYPE.binaryView:
      return { kind: 'binary' };
    case TYPE.fixedSizeBinary: {
      const bytes = type.int32(0);
      if (bytes === UUID_BYTES && extensionOf(field) === 'arrow.uuid') return { kind: 'uuid' };
      return bytes > 0 ? { kind: 'fixed', bytes } : undefined;
    }
    case TYPE.time: {
      const digits = DIGITS[type.int16(0, 1)];
      return digits === undefined ? undefined : { kind: 'time', digits };
    }
    case TYPE.timestamp: {
      const digits = DIGITS[type.int16(0)];
      const utc = (type.text(1) ?? '') !== '';
      return digits === undefined ? undefined : { kind: 'timestamp', digits, utc };
    }
    // A duration is a number of its unit, as in Parquet.
    case TYPE.duration:
      return { kind: 'integer', bits: 64, signed: true };
    default:
      return undefined;
  }
}

function integerOf(type: FlatTable): FieldType | undefined {
  const bits = type.int32(0);
  if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) return undefined;
  return { kind: 'integer', bits, signed: type.uint8(1) !== 0 };
}

function extensionOf(field: FlatTable): string | undefined {
  const notes = field.tables(FIELD.notes);
  return notes.find((note) => note.text(0) === 'ARROW:extension:name')?.text(1);
}

const column = (name: string): string => `column ${JSON.stringify(name)}`;

const UUID_BYTES = 16;
/** The decimal places of a second in each unit of time: seconds, milli-, micro- and nanoseconds. */
const DIGITS: Readonly<Record<number, SecondDigits>> = { 0: 0, 1: 3, 2: 6, 3: 9 };
/** The bytes that a decimal of so many digits needs, of those that there are. */
const decimalBytes = (digits: number): number =>
  Number(Object.entries(DIGITS_OF_BITS).find(([, most]) => digits <= most)?.[0] ?? 256) / 8;
const DIGITS_OF_BITS: Readonly<Record<number, number>> = { 32: 9, 64: 18, 128: 38, 256: 76 };

/** The format's slots of a field, and its numbers of types. */
const FIELD = {
  ...{ name: 0, nullable: 1, tag: 2, type: 3, dictionary: 4 },
  ...{ children: 5, notes: 6 },
} as const;
const TYPE = {
  ...{ null: 1, int: 2, float: 3, binary: 4, utf8: 5, bool: 6, decimal: 7, date: 8, time: 9 },
  ...{ timestamp: 10, list: 12, struct: 13, fixedSizeBinary: 15, fixedSizeList: 16, map: 17 },
  ...{ duration: 18, largeBinary: 19, largeUtf8: 20, largeList: 21, binaryView: 23, utf8View: 24 },
} as const;
/** The types that have other buffers than a mask and one more. */
const BUFFERS: Readonly<Record<number, number>> = {
  ...{ [TYPE.null]: 0, [TYPE.struct]: 1, [TYPE.fixedSizeList]: 1 },
  ...{ [TYPE.binary]: 3, [TYPE.utf8]: 3, [TYPE.largeBinary]: 3, [TYPE.largeUtf8]: 3 },
};
const OFFSET_BYTES: Readonly<Record<number, 0 | 4 | 8>> = {
  ...{ [TYPE.list]: 4, [TYPE.map]: 4, [TYPE.largeList]: 8, [TYPE.fixedSizeList]: 0 },
};
const UNREAD: Readonly<Record<number, string>> = {
  ...{ 2: 'Int of an odd width', 11: 'Interval', 14: 'Union', 15: 'FixedSizeBinary of no bytes' },
  ...{ 22: 'RunEndEncoded', 25: 'ListView', 26: 'LargeListView' },
};
