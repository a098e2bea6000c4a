import { Injectable } from '@nestjs/common';
import { traced } from '@app/platform';
import {
  type AcceptOptions,
  acceptRecords,
  type Chunk,
  type CsvShape,
  FairJudge,
  type SchemaKeeper,
} from '@app/acceptance';
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
      const isPlain = this.spool.staysPlain(bytes) && !growsMuch(chunk, csv);
      yield async (first) => {
        const accept = () =>
          acceptRecords(judge, evolvingAfter(first, keeper), { ...chunk, csv, isPlain }, options);
        const result = await traced('accept', accept, { attributes: { bytes } });
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

/** The bytes that a row of CSV, and a field without a value, get in addition when they become JSON. */
const [MORE_OF_ROW, MORE_OF_FIELD] = [24, 5];

/** Tells whether lines of CSV may become more than twice as long. */
const growsMuch = ({ lines = 0, bytes }: Chunk, csv: CsvShape | undefined): boolean =>
  csv !== undefined && bytes < lines * (MORE_OF_ROW + MORE_OF_FIELD * csv.columns.length);
