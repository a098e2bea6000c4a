/**
 * A Parquet footer, walked over without making anything of it: which bytes its own fields have,
 * and whether every length in it is one that the bytes can hold. A list of 64 million empty
 * structures is 64 MB here and 65 KB on the wire, and whoever decodes it first has gigabytes.
 */

/** Of Thrift's compact protocol, those that the format uses. */
const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I32 = 5;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** A size of 15 in a list's first byte: the size follows. */
const LONG_LIST = 15;
const DOUBLE_BYTES = 8;
const VARINT_BYTES_MAX = 10;
/** The format itself needs less than ten. */
const DEPTH_MAX = 32;
/** The engine makes an object of each: row groups, columns of each, statistics of each. */
const STRUCTURES_MAX = 1_000_000;
/** Of what is decoded here. A schema of 20,000 columns has about so many. */
const SCHEMA_VALUES_MAX = 400_000;

const SCHEMA = 2;
const ROWS = 3;
const ROW_GROUPS = 4;

/**
 * The footer without all but its schema and its number of rows.
 * @throws {Error} when it is no footer, or claims what is not there.
 */
export function footerOutline(footer: Uint8Array): Uint8Array {
  const walk = new Walk(footer);
  const fields = new Map<number, { readonly type: number; readonly bytes: Uint8Array }>();
  for (const { id, type } of walk.fields()) {
    if (fields.has(id)) throw new Error(`it has field ${id} twice`);
    const from = walk.at;
    const before = walk.values;
    walk.skip(type, 1);
    if (id === SCHEMA && walk.values - before > SCHEMA_VALUES_MAX)
      throw new Error(`its schema has more than ${SCHEMA_VALUES_MAX} values`);
    fields.set(id, { type, bytes: footer.subarray(from, walk.at) });
  }
  const schema = fields.get(SCHEMA);
  const rows = fields.get(ROWS);
  const groups = fields.get(ROW_GROUPS);
  if (schema?.type !== LIST) throw new Error('it has no schema');
  if (rows?.type !== I64) throw new Error('it does not say how many rows there are');
  if (groups?.type !== LIST) throw new Error('it has no row groups');
  const noGroups = [STRUCT];
  return Buffer.concat([
    header(SCHEMA, LIST),
    schema.bytes,
    header(ROWS, I64),
    rows.bytes,
    header(ROW_GROUPS, LIST),
    Buffer.from([...noGroups, STOP]),
  ]);
}

/** In the form that does not count from the field before. */
const header = (id: number, type: number): Buffer => Buffer.from([type, id << 1]);

class Walk {
  at = 0;
  /** Seen so far. */
  values = 0;
  private structures = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Fields of the structure that begins here; whoever takes one skips it. */
  *fields(): Generator<{ readonly id: number; readonly type: number }> {
    this.structures += 1;
    if (this.structures > STRUCTURES_MAX)
      throw new Error(`it has more than ${STRUCTURES_MAX} structures`);
    let id = 0;
    for (let first = this.byte(); (first & 0xf) !== STOP; first = this.byte()) {
      const delta = first >> 4;
      id = delta === 0 ? this.fieldId() : id + delta;
      yield { id, type: first & 0xf };
    }
  }

  skip(type: number, depth: number): void {
    if (depth > DEPTH_MAX) throw new Error(`it is nested deeper than ${DEPTH_MAX}`);
    this.values += 1;
    switch (type) {
      case TRUE:
      case FALSE:
        return;
      case BYTE:
        return this.pass(1);
      case I16:
      case I32:
      case I64:
        this.varint();
        return;
      case DOUBLE:
        return this.pass(DOUBLE_BYTES);
      case BINARY:
        return this.pass(this.varint());
      case LIST:
        return this.skipList(depth);
      case STRUCT:
        for (const field of this.fields()) this.skip(field.type, depth + 1);
        return;
      default:
        throw new Error(`it has a value of type ${type}`);
    }
  }

  private skipList(depth: number): void {
    const first = this.byte();
    const type = first & 0xf;
    const size = first >> 4 === LONG_LIST ? this.varint() : first >> 4;
    // No element takes less than a byte.
    if (size > this.bytes.length - this.at)
      throw new Error(`a list of ${size} is longer than what is left`);
    if (type === TRUE || type === FALSE) {
      this.values += size;
      return this.pass(size);
    }
    for (let index = 0; index < size; index += 1) this.skip(type, depth + 1);
  }

  private fieldId(): number {
    const zigzag = this.varint();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }

  private varint(): number {
    let value = 0;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new Error('a number in it has no end');
  }

  private byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new Error('it ends too early');
    this.at += 1;
    return byte;
  }

  private pass(length: number): void {
    if (length > this.bytes.length - this.at)
      throw new Error(`something of ${length} bytes is longer than what is left`);
    this.at += length;
  }
}
