/**
 * Tables of a FlatBuffer, read where they lie. The bytes are not trusted: a reference that leads
 * out of them throws. Reading more tables than a buffer may have throws, too, since several
 * references may lead to the same table.
 */

/** A table has its own and those below it; a schema of 12,000 fields has four times as many. */
const TABLES_MAX = 200_000;
const VECTOR_MAX = 100_000;
const OFFSET_BYTES = 4;
/** A vtable begins with its own length and the table's. */
const VTABLE_HEADER_BYTES = 4;

/** A vector of structs: the first begins at `at`. */
interface FlatVector {
  readonly at: number;
  readonly length: number;
}

export class FlatTable {
  private constructor(
    private readonly bytes: Buffer,
    private readonly at: number,
    private readonly budget: { left: number },
  ) {
    budget.left -= 1;
    if (budget.left < 0) throw new RangeError(`it has more than ${TABLES_MAX} tables`);
  }

  /** @throws {RangeError} as all of its methods do, when something is not in the bytes. */
  static root(bytes: Buffer): FlatTable {
    return new FlatTable(bytes, bytes.readUInt32LE(0), { left: TABLES_MAX });
  }

  /** The place of a field's value; undefined: it has its default. */
  place(slot: number): number | undefined {
    const vtable = this.at - this.bytes.readInt32LE(this.at);
    const entry = VTABLE_HEADER_BYTES + 2 * slot;
    if (entry + 2 > this.bytes.readUInt16LE(vtable)) return undefined;
    const offset = this.bytes.readUInt16LE(vtable + entry);
    return offset === 0 ? undefined : this.at + offset;
  }

  uint8(slot: number, otherwise = 0): number {
    const place = this.place(slot);
    return place === undefined ? otherwise : this.bytes.readUInt8(place);
  }

  int16(slot: number, otherwise = 0): number {
    const place = this.place(slot);
    return place === undefined ? otherwise : this.bytes.readInt16LE(place);
  }

  int32(slot: number, otherwise = 0): number {
    const place = this.place(slot);
    return place === undefined ? otherwise : this.bytes.readInt32LE(place);
  }

  int64(slot: number): bigint {
    const place = this.place(slot);
    return place === undefined ? 0n : this.bytes.readBigInt64LE(place);
  }

  /** @param most bytes of it that are read */
  text(slot: number, most = Infinity): string | undefined {
    const vector = this.vector(slot, 1);
    return (
      vector && this.bytes.toString('utf8', vector.at, vector.at + Math.min(vector.length, most))
    );
  }

  /**
   * Writes over the bytes so that the field has its default. The caller must own the bytes. Tables
   * may share the list of their fields' places, so this one gets a list of its own where the text
   * was.
   * @returns whether it had that text.
   */
  dropText(slot: number, text: string): boolean {
    const vector = this.vector(slot, 1);
    if (!vector || this.text(slot) !== text) return false;
    const own = vector.at - OFFSET_BYTES;
    const listed = this.at - this.bytes.readInt32LE(this.at);
    const entry = VTABLE_HEADER_BYTES + 2 * slot;
    // A text ends with a zero that its length does not count.
    if (entry > OFFSET_BYTES + text.length + 1 || entry + 2 < this.bytes.readUInt16LE(listed))
      throw new RangeError('there is no room for what is left of a table');
    this.bytes.copy(this.bytes, own, listed, listed + entry);
    this.bytes.writeUInt16LE(entry, own);
    this.bytes.writeInt32LE(this.at - own, this.at);
    return true;
  }

  table(slot: number): FlatTable | undefined {
    const place = this.place(slot);
    return place === undefined ? undefined : this.behind(place);
  }

  tables(slot: number): FlatTable[] {
    const vector = this.vector(slot, OFFSET_BYTES);
    if (!vector) return [];
    if (vector.length > VECTOR_MAX)
      throw new RangeError(`a list of ${vector.length} is longer than ${VECTOR_MAX}`);
    return Array.from({ length: vector.length }, (_, index) =>
      this.behind(vector.at + index * OFFSET_BYTES),
    );
  }

  /** @param size bytes of an element. */
  vector(slot: number, size: number): FlatVector | undefined {
    const place = this.place(slot);
    if (place === undefined) return undefined;
    const at = this.behindOffset(place);
    const length = this.bytes.readUInt32LE(at);
    if (length * size > this.bytes.length - at - OFFSET_BYTES)
      throw new RangeError(`a list of ${length} is longer than what is left`);
    return { at: at + OFFSET_BYTES, length };
  }

  /** A number of 64 bits within an element of a vector of structs. */
  int64At(slot: number, index: number, size: number, within: number): bigint {
    const vector = this.vector(slot, size);
    if (!vector || index >= vector.length) throw new RangeError(`a list has no element ${index}`);
    return this.bytes.readBigInt64LE(vector.at + index * size + within);
  }

  private behind(place: number): FlatTable {
    return new FlatTable(this.bytes, this.behindOffset(place), this.budget);
  }

  private behindOffset(place: number): number {
    return place + this.bytes.readUInt32LE(place);
  }
}
