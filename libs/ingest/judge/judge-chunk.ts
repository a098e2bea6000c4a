import { closeSync, createWriteStream, fstatSync, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Compressor } from '@cloudpss/zstd/napi';
import { ChunkMemory } from './chunk-memory.js';
import type { JudgedChunk, JudgedRejections, JudgeJob } from './judge-job.js';
import { LinesJudge } from './judge-lines.js';
import type { RefusedRecords } from './refused-records.js';
import { rejectedNative } from './rejected-native.js';

/** Fast over small: a batch is read back within seconds. */
const LEVEL = 1;
/** Of the first refused record, what is looked at to say more. */
const KNOWN_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const LINE_BREAK = Buffer.from('\n');

/** Judges the records of a chunk and writes the accepted and the rejected ones to files of their own. */
export async function judgeChunk(job: JudgeJob, memory = memoryFor(job)): Promise<JudgedChunk> {
  try {
    return await judgeWithin(memory, job);
  } finally {
    memory.freeAll();
  }
}

const memoryFor = ({ source }: JudgeJob): ChunkMemory =>
  new ChunkMemory(typeof source === 'string' ? undefined : 2 * source.length);

async function judgeWithin(memory: ChunkMemory, job: JudgeJob): Promise<JudgedChunk> {
  const { source, targets } = job;
  const bytes =
    typeof source === 'string' ? linesOf(source, memory) : Buffer.concat([source, LINE_BREAK]);
  const { lines, judge } = judged(bytes, job, memory);
  const { isNew, accepted, refused, times } = judge;
  const told = { isNew, survey: judge.surveyed(), changing: judge.changing(), accepted, times };
  if (isNew || !targets) return { ...told, rejected: undefined };
  const rejected = rejectionsOf(bytes, refused);
  if (targets === 'memory') {
    const rows = Buffer.concat([...rejectedNative(job, bytes, refused)]);
    return { ...told, rejected, bytes: { accepted: Buffer.concat(lines), rejected: rows } };
  }
  if (accepted > 0) await write(targets.accepted, lines);
  if (rejected) await write(targets.rejected, rejectedNative(job, bytes, refused));
  return { ...told, rejected };
}

/** Again where a time is one that can only be told in microseconds. */
function judged(
  bytes: Buffer,
  job: JudgeJob,
  memory: ChunkMemory,
): { readonly lines: readonly Buffer[]; readonly judge: LinesJudge } {
  const judge = new LinesJudge(bytes, job, 'by magnitude', memory);
  const lines = judge.judge();
  if (!judge.wantsMicroseconds) return { lines, judge };
  memory.freeAll();
  const again = new LinesJudge(bytes, job, 'microseconds', memory);
  return { lines: again.judge(), judge: again };
}

/** By a stream: the library's call for a whole buffer works in one place of memory for all threads. */
async function write(file: string, pieces: Iterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(pieces), new Compressor(LEVEL), createWriteStream(file));
}

/** With a line break behind the last line, whether there is one or not. */
function linesOf(file: string, memory: ChunkMemory): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = memory.forSource(size + 1);
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, length);
      if (read === 0) break;
      length += read;
    }
    bytes[length] = NEWLINE;
    return bytes.subarray(0, length + 1);
  } finally {
    closeSync(descriptor);
  }
}

function rejectionsOf(bytes: Buffer, refused: RefusedRecords): JudgedRejections | undefined {
  if (refused.count === 0) return undefined;
  const { lines, reasonOf, reasons } = refused;
  const { from, to } = refused.place(0);
  const firstText = bytes.toString('utf8', from, Math.min(to, from + KNOWN_BYTES));
  return { lines, reasonOf, reasons, firstText };
}
