import { certain } from '@app/platform';
import type { JudgeJob } from '../chunk/judge-job.js';
import type { RefusedRecords, Text } from './refused-records.js';

const BYTES_OF_64_BITS = 8;
const HALF = 2 ** 32;
/**
 * The rows of a block: enough to make the block's own bytes few, and not so many that blocks take
 * much memory. With eight times as many, an upload of which nearly all was rejected took 180 MB more.
 */
const BLOCK_ROWS = 8192;

/**
 * Rows for `_rejected` in ClickHouse's format Native: blocks of columns, each with its name, its
 * type and its values; numbers are little-endian, and texts have their length before them.
 * @param bytes where the records stand
 */
export function* rejectedNative(
  { acceptedAt, stream, uploadId }: Pick<JudgeJob, 'acceptedAt' | 'stream' | 'uploadId'>,
  bytes: Buffer,
  refused: RefusedRecords,
): Generator<Buffer> {
  const { lines, reasonOf } = refused;
  const reasons = refused.reasons.map(textOf);
  for (let first = 0; first < refused.count; first += BLOCK_ROWS) {
    const rows = Math.min(BLOCK_ROWS, refused.count - first);
    const same = (value: Buffer): Buffer => Buffer.alloc(rows * value.length, value);
    const columns: (readonly [name: string, type: string, values: Buffer])[] = [
      ['_timestamp', "DateTime64(6, 'UTC')", same(integers([acceptedAt]))],
      ['stream', 'String', same(text(stream))],
      ['upload_id', 'String', same(text(uploadId))],
      ['line', 'UInt64', integers(lines.subarray(first, first + rows))],
      ['reason', 'String', texts(rows, (row) => certain(reasons[certain(reasonOf[first + row], 'rejection')], 'reason'))], // prettier-ignore
      ['record', 'String', texts(rows, (row) => refused.textAt(first + row, bytes))],
    ];
    yield Buffer.concat([
      length(columns.length),
      length(rows),
      ...columns.flatMap(([name, type, values]) => [text(name), text(type), values]),
    ]);
  }
}

function textOf(value: string): Text {
  const bytes = Buffer.from(value);
  return { bytes, from: 0, to: bytes.length };
}

function integers(values: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(values.length * BYTES_OF_64_BITS);
  for (let index = 0; index < values.length; index += 1) {
    // A time before 1970 is below zero, and its high half too.
    const value = certain(values[index], 'value of a column');
    const high = Math.floor(value / HALF);
    bytes.writeUInt32LE(value - high * HALF, index * BYTES_OF_64_BITS);
    bytes.writeInt32LE(high, index * BYTES_OF_64_BITS + BYTES_OF_64_BITS / 2);
  }
  return bytes;
}

const text = (value: string): Buffer => texts(1, () => textOf(value));

/** @param each is asked twice for each row, and may give the same object with other places */
function texts(count: number, each: (row: number) => Text): Buffer {
  let size = 0;
  for (let row = 0; row < count; row += 1) {
    const { from, to } = each(row);
    size += lengthBytes(to - from) + to - from;
  }
  const target = Buffer.allocUnsafe(size);
  let at = 0;
  for (let row = 0; row < count; row += 1) {
    const { bytes, from, to } = each(row);
    at = writeLength(target, at, to - from);
    at += bytes.copy(target, at, from, to);
  }
  return target;
}

function length(value: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes(value));
  writeLength(bytes, 0, value);
  return bytes;
}

function lengthBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}

/** Writes in LEB128: seven bits a byte, the lowest first. @returns where it ends */
function writeLength(target: Buffer, from: number, value: number): number {
  let at = from;
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 0x80;
  target[at++] = rest;
  return at;
}
