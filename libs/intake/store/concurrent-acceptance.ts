import { Injectable } from '@nestjs/common';
import { FairEngine, FairJudge, isCompressed, type SchemaKeeper } from '@app/acceptance';
import { syncPath } from '@app/files';
import { KeyedMutex } from '@app/flow';
import type { EnqueuedChunk } from './enqueue-batches.js';

/**
 * The number of chunks that are in acceptance or wait for it. A client that sends faster is slowed
 * down.
 */
const CHUNKS_IN_WORK = 4;
/**
 * When so many chunks wait for the engine and the judge, an upload has only one chunk in work, so
 * that waiting chunks do not fill the disk.
 */
const CROWDED = 8;

/**
 * Accepts a chunk of an upload under the current schema of its stream. It may have to be done
 * again. A chunk that might change the schema waits for `first`, the upload's first chunk, so that
 * the first records decide about columns.
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

  /** The first chunk goes alone if it has to create the stream. The next ones arrive meanwhile. */
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
            const result = await accept(before);
            accepted[index] = { accept, result };
            beginSync(result);
          });
        const begun = before && !of.keeper.current() ? before.then(begin) : begin();
        first ??= begun;
        const work = begun.then(() => {
          working.delete(work);
        });
        // A failure is noticed where the set is awaited. It must not count as unhandled before.
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

  /**
   * If many uploads come to a new stream, one of them surveys its records and creates the stream,
   * and the others wait for that.
   */
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

/**
 * Has the disk write what is not compressed while the rest of the upload still comes. The queue
 * syncs all files, and tells what fails; then there is less left to write.
 */
function beginSync({ accepted }: EnqueuedChunk): void {
  if (!accepted || accepted.content || isCompressed(accepted.file)) return;
  syncPath(accepted.file).catch(() => undefined);
}
