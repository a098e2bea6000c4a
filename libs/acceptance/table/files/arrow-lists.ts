import { decompress as unzstd } from '@cloudpss/zstd/napi';
import { decompressFrame as unlz4 } from 'lz4-napi';
import { BrokenFileError } from '@app/parquet';
import type { ArrowBytes, ArrowMessage } from './arrow-bytes.js';
import type { ListPlace } from './arrow-schema.js';
import type { FlatTable } from '@app/arrow';

/** The sizes of a column in a batch: how many values, how many of them nulls. */
const NODE = { slot: 1, bytes: 16, nulls: 8 } as const;
const BUFFER = { slot: 2, bytes: 16, length: 8 } as const;
const COMPRESSION = 3;
const VIEWS = { slot: 4, bytes: 8 } as const;
/** A compressed buffer begins with its length unpacked, or with a mark that it is not packed. */
const LENGTH_BYTES = 8;
const NOT_PACKED = -1n;
/** Buffers are filled up to so many bytes. */
const PADDED_TO = 64;

/**
 * Tells whether there are lists in a batch that are null.
 * @throws {Error} for lists of a fixed length: the engine would make as many nulls of each.
 */
export function hasNullLists(batch: FlatTable, lists: readonly ListPlace[]): boolean {
  let some = false;
  for (const { name, node, offsetBytes } of lists) {
    if (batch.int64At(NODE.slot, node, NODE.bytes, NODE.nulls) === 0n) continue;
    if (offsetBytes === 0)
      throw new BrokenFileError(
        `column ${JSON.stringify(name)} has nulls among lists of a fixed length; cast it to lists of any length`,
      );
    some = true;
  }
  return some;
}

/**
 * A list that is null may have elements, which nobody is to see and the engine would show.
 * @throws {Error} where one has.
 */
export async function refuseHidden(
  source: ArrowBytes,
  { header: batch, body }: ArrowMessage,
  lists: readonly ListPlace[],
): Promise<void> {
  for (const { name, node, offsetBytes, ...place } of lists) {
    if (batch.int64At(NODE.slot, node, NODE.bytes, NODE.nulls) === 0n) continue;
    const count = Number(batch.int64At(NODE.slot, node, NODE.bytes, 0));
    const index = place.buffer + viewBuffers(batch, place.viewsBefore);
    const mask = await bufferOf(source, batch, body, index, Math.ceil(count / 8));
    const offsets = await bufferOf(source, batch, body, index + 1, (count + 1) * offsetBytes);
    for (let value = 0; value < count; value += 1) {
      if ((mask.readUInt8(value >> 3) >> (value & 7)) & 1) continue;
      const [from, to] = [value * offsetBytes, (value + 1) * offsetBytes];
      if (offsets.compare(offsets, to, to + offsetBytes, from, from + offsetBytes) !== 0)
        throw new BrokenFileError(
          `column ${JSON.stringify(name)} has a list that is null and not empty; write it anew without what is below its nulls`,
        );
    }
  }
}

function viewBuffers(batch: FlatTable, views: number): number {
  let sum = 0;
  for (let view = 0; view < views; view += 1)
    sum += Number(batch.int64At(VIEWS.slot, view, VIEWS.bytes, 0));
  return sum;
}

/** Unpacked, and at least of this length. */
async function bufferOf(
  source: ArrowBytes,
  batch: FlatTable,
  body: number,
  index: number,
  least: number,
): Promise<Buffer> {
  const at = Number(batch.int64At(BUFFER.slot, index, BUFFER.bytes, 0));
  const length = Number(batch.int64At(BUFFER.slot, index, BUFFER.bytes, BUFFER.length));
  const bytes = await source.bytes(body + at, length);
  const buffer = await unpacked(bytes, batch.table(COMPRESSION), least);
  if (buffer.length < least) throw new BrokenFileError('a buffer of it is too short');
  return buffer;
}

async function unpacked(
  bytes: Buffer,
  compression: FlatTable | undefined,
  least: number,
): Promise<Buffer> {
  if (!compression || bytes.length === 0) return bytes;
  const claimed = bytes.readBigInt64LE(0);
  const packed = bytes.subarray(LENGTH_BYTES);
  if (claimed === NOT_PACKED) return packed;
  if (claimed > least + PADDED_TO)
    throw new BrokenFileError(`a buffer of it would have ${claimed} bytes`);
  return compression.uint8(0) === 0 ? unlz4(packed) : Buffer.from(unzstd(packed));
}
