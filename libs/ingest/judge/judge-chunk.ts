import { closeSync, createWriteStream, fstatSync, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Compressor } from '@cloudpss/zstd/napi';
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
export async function judgeChunk(job: JudgeJob): Promise<JudgedChunk> {
  const { source, targets } = job;
  const bytes = typeof source === 'string' ? linesOf(source) : Buffer.concat([source, LINE_BREAK]);
  const judge = new LinesJudge(bytes, job);
  const lines = judge.judge();
  const { isNew, accepted, refused } = judge;
  const judged = { isNew, survey: judge.surveyed(), accepted };
  if (isNew || !targets) return { ...judged, rejected: undefined };
  const rejected = rejectionsOf(bytes, refused);
  if (targets === 'memory') {
    const rows = Buffer.concat([...rejectedNative(job, bytes, refused)]);
    return { ...judged, rejected, bytes: { accepted: lines, rejected: rows } };
  }
  if (accepted > 0) await write(targets.accepted, [lines]);
  if (rejected) await write(targets.rejected, rejectedNative(job, bytes, refused));
  return { ...judged, rejected };
}

/** By a stream: the library's call for a whole buffer works in one place of memory for all threads. */
async function write(file: string, pieces: Iterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(pieces), new Compressor(LEVEL), createWriteStream(file));
}

/** With a line break behind the last line, whether there is one or not. */
function linesOf(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafe(size + 1);
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
