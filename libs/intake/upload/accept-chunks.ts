import { Injectable } from '@nestjs/common';
import { syncPath } from '@app/files';
import { traced } from '@app/platform';
import {
  type AcceptOptions,
  acceptRecords,
  type Chunk,
  type ColumnarFile,
  type CsvShape,
  FairJudge,
  type SchemaKeeper,
} from '@app/acceptance';
import { IngestQueue } from '@app/ingest-queue';
import { Spool } from '../spool/spool.js';
import type { AcceptChunk } from '../store/concurrent-acceptance.js';

/**
 * The size is chosen so that one core accepts a chunk in a fraction of a second, and that a handful
 * of them stay far below 256 MiB. With smaller chunks, both the judge and inserts were measured to
 * be slower.
 */
export const CHUNK_BYTES = 16 * 1024 * 1024;
/**
 * A chunk of CSV is smaller, because its rows are written anew, and longer, beside the lines. So it
 * takes as much memory as one of JSON.
 */
export const CSV_CHUNK_BYTES = 12 * 1024 * 1024;

/** For fewer bytes their compression takes a few milliseconds at most. */
const PLAIN_BYTES = 1024 * 1024;

/** Lines are cut where they end, so a chunk may be a little smaller than it is meant to be. */
const CUT_BYTES = 256 * 1024;

/**
 * The size of chunks by which an upload has an even number of them. Two are judged and inserted at
 * a time, and one that is left over would have half of the machine wait.
 * @param most bytes of a chunk
 * @param bytes of the upload, if they are known
 */
export function evenChunkBytes(most: number, bytes: number | undefined): number {
  if (bytes === undefined || bytes <= most) return most;
  const pairs = Math.ceil(bytes / (2 * most));
  return Math.min(most, Math.ceil(bytes / (2 * pairs)) + CUT_BYTES);
}

export interface ChunkOptions extends AcceptOptions {
  /** The share in whose turns the judge works. */
  readonly share: string;
  readonly csv?: CsvShape | undefined;
}

/** Makes the function that accepts the spooled chunks of an upload, one by one. */
@Injectable()
export class ChunkAcceptance {
  constructor(
    private readonly judge: FairJudge,
    private readonly queue: IngestQueue,
    private readonly spool: Spool,
  ) {}

  async *each(
    keeper: SchemaKeeper,
    chunks: AsyncIterable<Chunk>,
    options: ChunkOptions,
  ): AsyncIterable<AcceptChunk> {
    const { share, uploadId, csv } = options;
    for await (const chunk of chunks) {
      const { bytes } = chunk;
      const judge = this.judge.for(share, uploadId, bytes);
      const isPlain = bytes >= PLAIN_BYTES && this.spool.bytes <= this.queue.plainBytesMax();
      yield async (first) => {
        const accept = () =>
          acceptRecords(judge, evolvingAfter(first, keeper), { ...chunk, csv, isPlain }, options);
        const result = await traced('accept', accept, { attributes: { bytes } });
        if (isPlain) beginSync(result.accepted);
        return { ...result, recordBytes: bytes };
      };
    }
  }
}

const evolvingAfter = (
  first: Promise<unknown> | undefined,
  keeper: SchemaKeeper,
): SchemaKeeper => ({
  current: () => keeper.current(),
  evolve: async (survey) => {
    await first;
    return keeper.evolve(survey);
  },
});

/**
 * Has the disk write lines while the rest of the upload still comes. The queue syncs them all, and
 * tells what fails; then there is less left to write.
 */
function beginSync(lines: ColumnarFile | undefined): void {
  if (lines) syncPath(lines.file).catch(() => undefined);
}
