import { Injectable } from '@nestjs/common';
import { FairEngine, FairJudge, type SchemaKeeper } from '@app/acceptance';
import { KeyedMutex } from '@app/flow';
import type { EnqueuedChunk } from './enqueue-batches.js';

/** Chunks in acceptance or waiting for it; a client that sends faster is slowed down. */
const CHUNKS_IN_WORK = 4;
/**
 * When so many chunks wait for the engine and the judge, an upload has only one chunk in work: the
 * disk is no place for waiting chunks.
 */
const CROWDED = 8;

/**
 * Accepts a chunk of an upload under the stream's schema of now. It may have to be done again.
 * What might change the schema waits for `first`, the upload's first chunk, so that what comes first
 * decides about columns.
 */
export type AcceptChunk = (first?: Promise<unknown>) => Promise<EnqueuedChunk>;

export interface AcceptedChunk {
  readonly accept: AcceptChunk;
  readonly result: EnqueuedChunk;
}

/** The stream that the chunks are for. */
interface ChunksOf {
  readonly keeper: SchemaKeeper;
  readonly organizationId: string;
  readonly stream: string;
}

/** Accepts an upload's chunks while the next ones arrive. */
@Injectable()
export class ConcurrentAcceptance {
  /** The first chunks of a new stream come one after the other. */
  private readonly firsts = new KeyedMutex();

  constructor(
    private readonly engine: FairEngine,
    private readonly judge: FairJudge,
  ) {}

  /** The first goes alone where it has to make the stream. The next ones arrive meanwhile. */
  async all(of: ChunksOf, chunks: AsyncIterable<AcceptChunk>): Promise<AcceptedChunk[]> {
    const working = new Set<Promise<void>>();
    const accepted: AcceptedChunk[] = [];
    let first: Promise<void> | undefined;
    try {
      for await (const accept of chunks) {
        const index = accepted.push({ accept, result: NOTHING }) - 1;
        const before = first;
        const begin = (): Promise<void> =>
          this.firstAlone(of, async () => {
            accepted[index] = { accept, result: await accept(before) };
          });
        const begun = before && !of.keeper.current() ? before.then(begin) : begin();
        first ??= begun;
        const work = begun.then(() => {
          working.delete(work);
        });
        // Failure is seen where the set is awaited; it must not count as unhandled before.
        work.catch(() => undefined);
        working.add(work);
        const most = this.engine.waiting + this.judge.waiting > CROWDED ? 1 : CHUNKS_IN_WORK;
        while (working.size >= most) await Promise.race(working);
      }
      await Promise.all(working);
      return accepted;
    } finally {
      await Promise.allSettled(working);
    }
  }

  /** One of many uploads that come to a new stream surveys it and makes it; the others wait for that. */
  private firstAlone(
    { keeper, organizationId, stream }: ChunksOf,
    work: () => Promise<void>,
  ): Promise<void> {
    if (keeper.current()) return work();
    return this.firsts.run(JSON.stringify([organizationId, stream]), work);
  }
}

const NOTHING: EnqueuedChunk = {
  schema: undefined,
  accepted: undefined,
  rejected: undefined,
  recordBytes: 0,
};
