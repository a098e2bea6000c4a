import { Injectable } from '@nestjs/common';
import { traced } from '@app/platform';
import { CsvAcceptance } from '../accept/accept-csv.js';
import { acceptRecords, type SchemaKeeper } from '../accept/accept-records.js';
import type { AcceptedChunk, AcceptOptions, SpooledChunk } from '../accept/chunk.js';
import type { CsvShape } from '../accept/csv-records.js';
import { FairEngine } from '../accept/fair-engine.js';
import { FairJudge } from '../accept/fair-judge.js';
import type { AcceptPart } from './accept-parts.js';

/**
 * Sized so that one is accepted in a fraction of a second on one core, and that a handful of them
 * in work stay far below 256 MiB. Smaller ones were measured: both the judge and inserts get slower.
 */
export const CHUNK_BYTES = 16 * 1024 * 1024;

export interface ChunkOptions extends AcceptOptions {
  /** Whose turns of the engine it takes. */
  readonly share: string;
  readonly csv?: CsvShape | undefined;
}

/** Makes parts of an upload out of its spooled chunks. */
@Injectable()
export class ChunkAcceptance {
  constructor(
    private readonly engine: FairEngine,
    private readonly judge: FairJudge,
  ) {}

  async *parts(
    keeper: SchemaKeeper,
    chunks: AsyncIterable<SpooledChunk>,
    options: ChunkOptions,
  ): AsyncIterable<AcceptPart> {
    const { share, uploadId, csv } = options;
    const ofCsv = csv && new CsvAcceptance(csv, keeper);
    const accept = (chunk: SpooledChunk, first?: Promise<unknown>): Promise<AcceptedChunk> => {
      const judge = this.judge.for(share, uploadId, chunk.bytes);
      return ofCsv
        ? ofCsv.accept(this.engine.for(share, uploadId, chunk.bytes), judge, chunk, options)
        : acceptRecords(judge, evolvingAfter(first, keeper), chunk, options);
    };
    for await (const chunk of chunks) {
      const { bytes } = chunk;
      yield async (first) => {
        if (ofCsv) await first;
        return {
          ...(await traced('accept', () => accept(chunk, first), { attributes: { bytes } })),
          recordBytes: bytes,
        };
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
