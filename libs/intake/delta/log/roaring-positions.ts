import { brokenTable } from '../sources/table-folder.js';

/** Delta's mark before a 64-bit bitmap in the portable form of Roaring. */
const PORTABLE = 1_681_511_377;
/** Marks of a 32-bit bitmap: without containers of runs, and with. */
const NO_RUNS = 12_346;
const WITH_RUNS = 12_347;
/** Bitmaps of fewer containers than this have no offsets when they have runs. */
const OFFSETS_FROM = 4;
const CONTAINERS_MAX = 65_536;
/** A container of more values is a bitmap of so many bytes. */
const ARRAY_MAX = 4_096;
const BITMAP_BYTES = 8_192;
/** The lower bits of a position, which are a container's values. */
const CONTAINER_BITS = 16n;
const BITMAP_BITS = 32n;

/**
 * Reads the positions in a bitmap as Delta stores it, a container (at most 65,536 of them) at a
 * time. The bytes are not trusted, because they come from an upload, and the engine's own reader of
 * bitmaps expects its own bitmaps.
 * @throws {MillraceError} MALFORMED_BODY when it is not such a bitmap.
 */
export function* roaringPositions(bytes: Buffer, name: string): Generator<BigUint64Array> {
  try {
    yield* bitmaps(new Reader(bytes));
  } catch (error) {
    if (error instanceof RangeError)
      throw brokenTable(`${name} is not a bitmap: ${error.message}`, error);
    throw error;
  }
}

function* bitmaps(reader: Reader): Generator<BigUint64Array> {
  const mark = reader.uint32();
  if (mark !== PORTABLE) throw new RangeError(`it begins with ${mark}`);
  const count = reader.uint64();
  for (let index = 0n; index < count; index += 1n) {
    const high = BigInt(reader.uint32()) << BITMAP_BITS;
    yield* containers(reader, high);
  }
}

function* containers(reader: Reader, high: bigint): Generator<BigUint64Array> {
  const { sizes, runs } = header(reader);
  for (const [index, { key, size }] of sizes.entries()) {
    const base = high | (BigInt(key) << CONTAINER_BITS);
    const values = runs(index) ? runValues(reader) : plainValues(reader, size);
    if (values.length !== size) throw new RangeError('a container has other than its values');
    yield BigUint64Array.from(values, (value) => base | BigInt(value));
  }
}

interface Header {
  /** Each container has its key, and says how many values it has. */
  readonly sizes: readonly { readonly key: number; readonly size: number }[];
  readonly runs: (index: number) => boolean;
}

function header(reader: Reader): Header {
  const cookie = reader.uint32();
  const withRuns = (cookie & 0xffff) === WITH_RUNS;
  if (!withRuns && cookie !== NO_RUNS) throw new RangeError(`a part of it begins with ${cookie}`);
  const count = withRuns ? (cookie >>> 16) + 1 : reader.uint32();
  if (count > CONTAINERS_MAX) throw new RangeError(`it has ${count} containers`);
  const flags = withRuns ? reader.take(Math.ceil(count / 8)) : undefined;
  const sizes = Array.from({ length: count }, () => ({
    key: reader.uint16(),
    size: reader.uint16() + 1,
  }));
  if (!withRuns || count >= OFFSETS_FROM) reader.take(count * 4);
  return { sizes, runs: (index) => (((flags?.[index >> 3] ?? 0) >> (index & 7)) & 1) === 1 };
}

function plainValues(reader: Reader, size: number): number[] {
  if (size <= ARRAY_MAX) return Array.from({ length: size }, () => reader.uint16());
  const bits = reader.take(BITMAP_BYTES);
  const values: number[] = [];
  for (const [index, byte] of bits.entries())
    for (let bit = 0; bit < 8; bit += 1) if ((byte >> bit) & 1) values.push(index * 8 + bit);
  return values;
}

function runValues(reader: Reader): number[] {
  const values: number[] = [];
  const count = reader.uint16();
  for (let run = 0; run < count; run += 1) {
    const first = reader.uint16();
    const last = first + reader.uint16();
    if (last > 0xffff || values.length > CONTAINERS_MAX) throw new RangeError('a run is too long');
    for (let value = first; value <= last; value += 1) values.push(value);
  }
  return values;
}

/** Reads little-endian numbers one after the other. */
class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  uint16(): number {
    return this.take(2).readUInt16LE();
  }

  uint32(): number {
    return this.take(4).readUInt32LE();
  }

  uint64(): bigint {
    return this.take(8).readBigUInt64LE();
  }

  /** @throws {RangeError} when the bytes end too early. */
  take(length: number): Buffer {
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError('it ends too early');
    return this.bytes.subarray(this.at - length, this.at);
  }
}
