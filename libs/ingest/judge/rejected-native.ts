import type { JudgeJob } from './judge-job.js';

const BYTES_OF_64_BITS = 8;

/** One record that is refused. */
export interface Refused {
  readonly line: number;
  readonly reason: string;
  readonly record: Buffer;
}

/**
 * Rows for `_rejected` in ClickHouse's format Native: a block of columns, each with its name, its
 * type and its values; numbers are little-endian, and texts have their length before them.
 */
export function rejectedNative(
  { acceptedAt, stream, uploadId }: Pick<JudgeJob, 'acceptedAt' | 'stream' | 'uploadId'>,
  rows: readonly Refused[],
): Buffer {
  const same = (value: Buffer): Buffer[] => rows.map(() => value);
  const columns: (readonly [name: string, type: string, values: readonly Buffer[]])[] = [
    ['_timestamp', "DateTime64(6, 'UTC')", same(integer(acceptedAt))],
    ['stream', 'String', same(text(Buffer.from(stream)))],
    ['upload_id', 'String', same(text(Buffer.from(uploadId)))],
    ['line', 'UInt64', rows.map(({ line }) => integer(line))],
    ['reason', 'String', rows.map(({ reason }) => text(Buffer.from(reason)))],
    ['record', 'String', rows.flatMap(({ record }) => [length(record.length), record])],
  ];
  return Buffer.concat([
    length(columns.length),
    length(rows.length),
    ...columns.flatMap(([name, type, values]) => [
      text(Buffer.from(name)),
      text(Buffer.from(type)),
      ...values,
    ]),
  ]);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(BYTES_OF_64_BITS);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

const text = (bytes: Buffer): Buffer => Buffer.concat([length(bytes.length), bytes]);

/** In LEB128: seven bits a byte, the lowest first. */
function length(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
