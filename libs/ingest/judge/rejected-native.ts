import type { JudgeJob } from './judge-job.js';

const BYTES_OF_64_BITS = 8;

/** One record that is refused, and where it stands. */
export interface Refused {
  readonly line: number;
  readonly reason: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Rows for `_rejected` in ClickHouse's format Native: a block of columns, each with its name, its
 * type and its values; numbers are little-endian, and texts have their length before them.
 */
export function rejectedNative(
  { acceptedAt, stream, uploadId }: Pick<JudgeJob, 'acceptedAt' | 'stream' | 'uploadId'>,
  bytes: Buffer,
  rows: readonly Refused[],
): Buffer {
  const same = (value: Buffer): Buffer => Buffer.alloc(rows.length * value.length, value);
  const columns: (readonly [name: string, type: string, values: Buffer])[] = [
    ['_timestamp', "DateTime64(6, 'UTC')", same(integers([acceptedAt]))],
    ['stream', 'String', same(text(stream))],
    ['upload_id', 'String', same(text(uploadId))],
    ['line', 'UInt64', integers(rows.map(({ line }) => line))],
    ['reason', 'String', texts(reasonsOf(rows))],
    ['record', 'String', texts(rows.map(({ from, to }) => ({ bytes, from, to })))],
  ];
  return Buffer.concat([
    length(columns.length),
    length(rows.length),
    ...columns.flatMap(([name, type, values]) => [text(name), text(type), values]),
  ]);
}

interface Text {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Of many rows most have one of a few reasons. */
function reasonsOf(rows: readonly Refused[]): Text[] {
  const known = new Map<string, Text>();
  return rows.map(({ reason }) => {
    const found = known.get(reason);
    if (found) return found;
    const made = textOf(reason);
    known.set(reason, made);
    return made;
  });
}

function textOf(value: string): Text {
  const bytes = Buffer.from(value);
  return { bytes, from: 0, to: bytes.length };
}

function integers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * BYTES_OF_64_BITS);
  for (const [index, value] of values.entries())
    bytes.writeBigInt64LE(BigInt(value), index * BYTES_OF_64_BITS);
  return bytes;
}

const text = (value: string): Buffer => texts([textOf(value)]);

function texts(values: readonly Text[]): Buffer {
  const size = values.reduce((sum, { from, to }) => sum + lengthBytes(to - from) + to - from, 0);
  const target = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { bytes, from, to } of values) {
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

/** In LEB128: seven bits a byte, the lowest first. @returns where it ends */
function writeLength(target: Buffer, from: number, value: number): number {
  let at = from;
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 0x80;
  target[at++] = rest;
  return at;
}
