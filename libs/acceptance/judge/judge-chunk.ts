import { closeSync, createWriteStream, fstatSync, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { link, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ChunkMemory } from './chunk/chunk-memory.js';
import { isCompressed } from './chunk/compression.js';
import type { CsvShape } from './chunk/csv-shape.js';
import { CsvJudge } from './csv/judge-csv.js';
import type { JudgedChunk, JudgedRejections, JudgeJob } from './chunk/judge-job.js';
import { LinesJudge } from './json-lines/judge-lines.js';
import { lineCompressor } from './line-compressor.js';
import type { RefusedRecords } from './refusals/refused-records.js';
import { rejectedNative } from './refusals/rejected-native.js';

/** This many bytes of the first refused record are examined, to explain the reason in more detail. */
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
  const judged = job.csv ? judgedCsv(bytes, job, job.csv, memory) : judgedLines(bytes, job, memory);
  const { lines, refused, refusedBytes, ...told } = judged;
  if (told.isNew || !targets) return { ...told, rejected: undefined };
  const rejected = rejectionsOf(refusedBytes, refused);
  if (targets === 'memory') {
    const rows = Buffer.concat([...rejectedNative(job, refusedBytes, refused)]);
    return { ...told, rejected, bytes: { accepted: Buffer.concat(lines), rejected: rows } };
  }
  if (told.accepted > 0) await writeLines(targets.accepted, lines, job, bytes);
  if (rejected) await compress(targets.rejected, rejectedNative(job, refusedBytes, refused));
  return { ...told, rejected };
}

/** The verdict of a judge on a chunk. */
interface Judged extends Pick<JudgedChunk, 'isNew' | 'survey' | 'changing' | 'accepted' | 'times'> {
  readonly lines: readonly Buffer[];
  readonly refused: RefusedRecords;
  /** Tells where the refused records stand. */
  readonly refusedBytes: Buffer;
}

function judgedCsv(bytes: Buffer, job: JudgeJob, shape: CsvShape, memory: ChunkMemory): Judged {
  const judge = new CsvJudge(bytes, job, shape, memory);
  const lines = judge.judge();
  const { isNew, accepted, refused } = judge;
  const survey = judge.surveyed();
  const refusedBytes = judge.refusedBytes();
  const told = { isNew, survey, changing: [], accepted, times: 'microseconds' } as const;
  return { ...told, lines, refused, refusedBytes };
}

/** Judges again if a time can only be written in microseconds. */
function judgedLines(bytes: Buffer, job: JudgeJob, memory: ChunkMemory): Judged {
  const judge = new LinesJudge(bytes, job, 'by magnitude', memory);
  const lines = judge.judge();
  if (!judge.wantsMicroseconds) return ofLines(bytes, judge, lines);
  memory.freeAll();
  const again = new LinesJudge(bytes, job, 'microseconds', memory);
  return ofLines(bytes, again, again.judge());
}

function ofLines(bytes: Buffer, judge: LinesJudge, lines: readonly Buffer[]): Judged {
  const { isNew, accepted, refused, times } = judge;
  const told = { isNew, survey: judge.surveyed(), changing: judge.changing(), accepted, times };
  return { ...told, lines, refused, refusedBytes: bytes };
}

async function compress(file: string, pieces: Iterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(pieces), lineCompressor(), createWriteStream(file));
}

/**
 * The name says whether the lines are compressed. Those that are not need no file of their own
 * where all of them stay as they came.
 */
async function writeLines(
  file: string,
  lines: readonly Buffer[],
  { source }: JudgeJob,
  bytes: Buffer,
): Promise<void> {
  if (isCompressed(file)) return compress(file, lines);
  // A chunk that is judged again may be linked there: to write into it would change the chunk.
  await rm(file, { force: true });
  if (typeof source === 'string' && isWhole(lines, bytes)) {
    const failed = await link(source, file).catch((error: unknown) => error);
    // Not every file system knows links.
    if (failed === undefined) return;
  }
  await pipeline(Readable.from(lines), createWriteStream(file));
}

/** Tells whether the lines are all bytes. A line break was added behind the last one, which may be one too many. */
function isWhole([first, ...others]: readonly Buffer[], bytes: Buffer): boolean {
  return (
    others.length === 0 &&
    first?.buffer === bytes.buffer &&
    first.byteOffset === bytes.byteOffset &&
    first.length >= bytes.length - 1
  );
}

/** Reads the lines with a line break behind the last one, whether there is one or not. */
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
  const { from, to } = refused.textAt(0, bytes);
  const firstText = bytes.toString('utf8', from, Math.min(to, from + KNOWN_BYTES));
  return { lines, reasonOf, reasons, bytes: refused.bytes, firstText };
}
