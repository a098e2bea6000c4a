import { BrokenFileError, unzstd } from '@app/parquet';
import type { ArrowBytes, ArrowMessage } from './arrow-bytes.js';
import type { ColumnPlace } from './arrow-schema.js';
import type { FlatTable } from './flat-buffer.js';

/** The sizes of a column in a batch: how many values, how many of them nulls. */
const NODE = { slot: 1, bytes: 16, nulls: 8 } as const;
const BUFFER = { slot: 2, bytes: 16, length: 8 } as const;
const COMPRESSION = 3;
const VIEWS = { slot: 4, bytes: 8 } as const;
/**
 * A compressed buffer begins with its uncompressed length, or with a mark that says it is not
 * compressed.
 */
const LENGTH_BYTES = 8;
const NOT_PACKED = -1n;
/** Buffers are filled up to so many bytes. */
const PADDED_TO = 64;
/** A buffer is unpacked as a whole, so it may have at most so many bytes. */
const UNPACKED_MAX = 256 * 1024 ** 2;

/** The number of a column's values in a batch, and of nulls among them. */
export function valuesOf(batch: FlatTable, { node }: Pick<ColumnPlace, 'node'>): Values {
  return {
    count: Number(batch.int64At(NODE.slot, node, NODE.bytes, 0)),
    hasNulls: batch.int64At(NODE.slot, node, NODE.bytes, NODE.nulls) !== 0n,
  };
}

interface Values {
  readonly count: number;
  readonly hasNulls: boolean;
}

/** The buffers of a column in a batch. */
export class ColumnBuffers {
  private readonly first: number;

  constructor(
    private readonly source: ArrowBytes,
    private readonly message: Pick<ArrowMessage, 'header' | 'body'>,
    { buffer, viewsBefore }: ColumnPlace,
  ) {
    this.first = buffer + viewBuffers(message.header, viewsBefore);
  }

  /** @param least the bytes that it must have, unpacked. @throws {Error} where it has fewer */
  async whole(index: number, least: number): Promise<Buffer> {
    const [at, length] = this.place(index);
    const bytes = await this.source.bytes(at, length);
    const buffer = await unpacked(bytes, this.message.header.table(COMPRESSION), least);
    if (buffer.length < least) throw tooShort();
    return buffer;
  }

  /**
   * The same in pieces, where that needs less memory.
   * @param pieceBytes of all but the last one
   */
  async *pieces(index: number, least: number, pieceBytes: number): AsyncGenerator<Buffer> {
    const [at, length] = this.place(index);
    if (this.message.header.table(COMPRESSION)) {
      const buffer = await this.whole(index, least);
      for (let from = 0; from < least; from += pieceBytes)
        yield buffer.subarray(from, Math.min(from + pieceBytes, least));
      return;
    }
    if (length < least) throw tooShort();
    for (let from = 0; from < least; from += pieceBytes)
      yield await this.source.bytes(at + from, Math.min(pieceBytes, least - from));
  }

  private place(index: number): readonly [at: number, length: number] {
    const { header, body } = this.message;
    const at = Number(header.int64At(BUFFER.slot, this.first + index, BUFFER.bytes, 0));
    const length = header.int64At(BUFFER.slot, this.first + index, BUFFER.bytes, BUFFER.length);
    return [body + at, Number(length)];
  }
}

const tooShort = (): Error => new BrokenFileError('a buffer of it is too short');

function viewBuffers(batch: FlatTable, views: number): number {
  let sum = 0;
  for (let view = 0; view < views; view += 1)
    sum += Number(batch.int64At(VIEWS.slot, view, VIEWS.bytes, 0));
  return sum;
}

/** The length may be false, so no more is unpacked than the buffer should have. */
async function unpacked(
  bytes: Buffer,
  compression: FlatTable | undefined,
  least: number,
): Promise<Buffer> {
  if (!compression || bytes.length === 0) return bytes;
  const claimed = bytes.readBigInt64LE(0);
  const packed = bytes.subarray(LENGTH_BYTES);
  if (claimed === NOT_PACKED) return packed;
  if (claimed > least + PADDED_TO || claimed > UNPACKED_MAX)
    throw new BrokenFileError(`a buffer of it would have ${claimed} bytes; write smaller batches`);
  if (compression.uint8(0) !== 0) return unzstd(packed, Number(claimed));
  refuseLongFrame(packed, Number(claimed));
  const { decompressFrame } = await import('lz4-napi');
  return decompressFrame(packed);
}

/** LZ4's frames: a header, and blocks behind their lengths. All but the last are of one size unpacked. */
const FRAME_MARK = 0x184d2204;
const FRAME = { flags: 4, size: 5, header: 7, hasSize: 8, hasDictionary: 1, hasChecksums: 16 };
const UNPACKED_BLOCK = 0x7fffffff;

/** @throws {Error} for what would become longer than it may */
function refuseLongFrame(frame: Buffer, most: number): void {
  // Older frames have no such header, and nothing of them would be counted.
  if (frame.readUInt32LE(0) !== FRAME_MARK)
    throw new BrokenFileError('a buffer of it is no frame of LZ4');
  const flags = frame.readUInt8(FRAME.flags);
  const blockMax = 2 ** (8 + 2 * ((frame.readUInt8(FRAME.size) >> 4) & 7));
  const more = (flags & FRAME.hasSize ? 8 : 0) + (flags & FRAME.hasDictionary ? 4 : 0);
  let before = 0;
  for (let at = FRAME.header + more; at + 4 <= frame.length;) {
    const length = frame.readUInt32LE(at) & UNPACKED_BLOCK;
    if (length === 0) return;
    if (before > most) throw new BrokenFileError('a buffer of it is longer than it says');
    before += blockMax;
    at += 4 + length + (flags & FRAME.hasChecksums ? 4 : 0);
  }
}
