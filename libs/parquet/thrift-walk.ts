import { BrokenFileError } from './broken-file-error.js';

/**
 * Walks over Thrift's compact protocol, as Parquet uses it, and trusts no length that the bytes
 * cannot hold.
 */

/** The types of Thrift's compact protocol that the format uses. */
export const STOP = 0;
export const TRUE = 1;
export const FALSE = 2;
const BYTE = 3;
const I16 = 4;
export const I32 = 5;
export const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
export const LIST = 9;
export const STRUCT = 12;

/** A size of 15 in a list's first byte: the size follows. */
const LONG_LIST = 15;
const DOUBLE_BYTES = 8;
const VARINT_BYTES_MAX = 10;
/** The depth of nesting. The format itself needs less than ten. */
const DEPTH_MAX = 32;
/**
 * The number of structures. The engine makes an object of each: row groups, columns of each,
 * statistics of each.
 */
const STRUCTURES_MAX = 1_000_000;

/** Walks over the bytes of one structure or several. */
export class ThriftWalk {
  at = 0;
  /** The number so far. */
  values = 0;
  private seen = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Reads the number at the current place. */
  integer(): number {
    const zigzag = this.varint();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }

  /**
   * Gives the number of elements in the list that begins here; the caller must skip each element
   * that it takes.
   */
  structures(): number {
    const first = this.byte();
    if ((first & 0xf) !== STRUCT) throw new BrokenFileError('it has a list of something else');
    return this.sizeOf(first);
  }

  /**
   * Gives the fields of the structure that begins here; the caller must skip each field that it
   * takes.
   */
  *fields(): Generator<{ readonly id: number; readonly type: number }> {
    this.seen += 1;
    if (this.seen > STRUCTURES_MAX)
      throw new BrokenFileError(`it has more than ${STRUCTURES_MAX} structures`);
    let id = 0;
    for (let first = this.byte(); (first & 0xf) !== STOP; first = this.byte()) {
      const delta = first >> 4;
      id = delta === 0 ? this.integer() : id + delta;
      yield { id, type: first & 0xf };
    }
  }

  skip(type: number, depth: number): void {
    if (depth > DEPTH_MAX) throw new BrokenFileError(`it is nested deeper than ${DEPTH_MAX}`);
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
        throw new BrokenFileError(`it has a value of type ${type}`);
    }
  }

  private skipList(depth: number): void {
    const first = this.byte();
    const type = first & 0xf;
    const size = this.sizeOf(first);
    if (type === TRUE || type === FALSE) {
      this.values += size;
      return this.pass(size);
    }
    for (let index = 0; index < size; index += 1) this.skip(type, depth + 1);
  }

  private sizeOf(first: number): number {
    const size = first >> 4 === LONG_LIST ? this.varint() : first >> 4;
    // Each element takes at least one byte.
    if (size > this.bytes.length - this.at)
      throw new BrokenFileError(`a list of ${size} is longer than what is left`);
    return size;
  }

  private varint(): number {
    let value = 0;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new BrokenFileError('a number in it has no end');
  }

  private byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new BrokenFileError('it ends too early');
    this.at += 1;
    return byte;
  }

  private pass(length: number): void {
    if (length > this.bytes.length - this.at)
      throw new BrokenFileError(`something of ${length} bytes is longer than what is left`);
    this.at += length;
  }
}
