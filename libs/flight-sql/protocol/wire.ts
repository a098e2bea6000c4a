import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { MillraceError } from '@app/platform';

/** Reads and writes one field of a message. */
interface Field<Value> {
  readonly number: number;
  /** The value of a field that is not there. It is not written either. */
  readonly absent: Value;
  /** @param before the value of the field so far */
  read(reader: BinaryReader, wireType: WireType, before: Value): Value;
  write(writer: BinaryWriter, value: Value): void;
}

type Fields = Readonly<Record<string, Field<unknown>>>;

type Values<Of extends Fields> = {
  readonly [Name in keyof Of]: Of[Name] extends Field<infer Value> ? Value : never;
};

/** The values of a message. */
export type MessageOf<Type> = Type extends MessageType<infer Of> ? Values<Of> : never;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const readerOf = (bytes: Uint8Array): BinaryReader =>
  new BinaryReader(bytes, (text) => utf8.decode(text));

/** A message of protobuf: its fields by name, each with its number in the published definition. */
export class MessageType<Of extends Fields> {
  private readonly byNumber: ReadonlyMap<number, readonly [string, Field<unknown>]>;

  constructor(private readonly fields: Of) {
    this.byNumber = new Map(Object.entries(fields).map((each) => [each[1].number, each]));
  }

  encode(values: Partial<Values<Of>>): Buffer {
    const writer = new BinaryWriter();
    for (const [name, field] of Object.entries(this.fields)) {
      const value = values[name];
      if (value !== undefined && value !== field.absent) field.write(writer, value);
    }
    return bufferOf(writer.finish());
  }

  /** @throws {MillraceError} INVALID_PARAMETER for bytes that are no such message */
  decode(bytes: Uint8Array): Values<Of> {
    try {
      return this.read(readerOf(bytes));
    } catch (error) {
      if (error instanceof MillraceError) throw error;
      throw new MillraceError(
        'INVALID_PARAMETER',
        `a protobuf message cannot be read: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  private read(reader: BinaryReader): Values<Of> {
    const values: Record<string, unknown> = {};
    for (const [name, { absent }] of Object.entries(this.fields)) values[name] = absent;
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const [name, field] = this.byNumber.get(number) ?? [];
      if (name === undefined || !field) reader.skip(wireType, number);
      else values[name] = field.read(reader, wireType, values[name]);
    }
    return values as Values<Of>;
  }
}

export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const NO_BYTES: Buffer = Buffer.alloc(0);

function checkType(number: number, found: WireType, ...wanted: readonly WireType[]): void {
  if (!wanted.includes(found)) throw new Error(`field ${number} has another type`);
}

/** A field of one value. */
function single<Value>(
  number: number,
  absent: Value,
  wireType: WireType,
  read: (reader: BinaryReader) => Value,
  write: (writer: BinaryWriter, value: Value) => void,
): Field<Value> {
  return {
    number,
    absent,
    read: (reader, found) => {
      checkType(number, found, wireType);
      return read(reader);
    },
    write: (writer, value) => write(writer.tag(number, wireType), value),
  };
}

const { LengthDelimited, Varint } = WireType;
const readBytes = (reader: BinaryReader): Buffer => bufferOf(reader.bytes());

export const text = (number: number): Field<string> =>
  single(number, '', LengthDelimited, (reader) => reader.string(), (writer, value) => void writer.string(value)); // prettier-ignore

/** A field that protobuf calls optional: an empty text is different from none. */
export const maybeText = (number: number): Field<string | undefined> =>
  single<string | undefined>(number, undefined, LengthDelimited, (reader) => reader.string(), (writer, value) => void writer.string(value ?? '')); // prettier-ignore

export const bytes = (number: number): Field<Buffer> =>
  single(number, NO_BYTES, LengthDelimited, readBytes, (writer, value) => void writer.bytes(value)); // prettier-ignore

export const bool = (number: number): Field<boolean> =>
  single(number, false, Varint, (reader) => reader.bool(), (writer, value) => void writer.bool(value)); // prettier-ignore

/** A field whose integers are exact as numbers of JavaScript. */
export const integer = (number: number): Field<number> =>
  single(number, 0, Varint, (reader) => Number(reader.int64()), (writer, value) => void writer.int64(value)); // prettier-ignore

export const message = <Of extends Fields>(
  number: number,
  type: MessageType<Of>,
): Field<Values<Of> | undefined> =>
  single<Values<Of> | undefined>(
    number,
    undefined,
    LengthDelimited,
    (reader) => type.decode(reader.bytes()),
    (writer, value) => void writer.bytes(type.encode(value ?? {})),
  );

/** A field of several values. */
function repeated<Value>(
  number: number,
  wireTypes: readonly WireType[],
  read: (reader: BinaryReader, wireType: WireType) => readonly Value[],
  write: (writer: BinaryWriter, value: Value) => void,
): Field<readonly Value[]> {
  const absent: readonly Value[] = [];
  return {
    number,
    absent,
    read: (reader, wireType, before) => {
      checkType(number, wireType, ...wireTypes);
      const values = before === absent ? [] : (before as Value[]);
      for (const value of read(reader, wireType)) values.push(value);
      return values;
    },
    write: (writer, values) => values.forEach((value) => write(writer, value)),
  };
}

export const texts = (number: number): Field<readonly string[]> =>
  repeated(number, [LengthDelimited], (reader) => [reader.string()], (writer, value) => void writer.tag(number, LengthDelimited).string(value)); // prettier-ignore

export const messages = <Of extends Fields>(
  number: number,
  type: MessageType<Of>,
): Field<readonly Values<Of>[]> =>
  repeated(
    number,
    [LengthDelimited],
    (reader) => [type.decode(reader.bytes())],
    (writer, value) => void writer.tag(number, LengthDelimited).bytes(type.encode(value)),
  );

/** Senders may pack the values into one field, or not. */
export const integers = (number: number): Field<readonly number[]> =>
  repeated(
    number,
    [Varint, LengthDelimited],
    (reader, wireType) => {
      if (wireType !== LengthDelimited) return [reader.uint32()];
      const packed = readerOf(reader.bytes());
      const values: number[] = [];
      while (packed.pos < packed.len) values.push(packed.uint32());
      return values;
    },
    (writer, value) => void writer.tag(number, Varint).uint32(value),
  );
