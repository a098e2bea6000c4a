import { Injectable } from '@nestjs/common';
import type { NamedAppend, QueueRecord } from '@app/ingest-queue';
import { certain, type TraceContext } from '@app/platform';
import type { RejectedRemoval } from '@app/writer';
import type { AcceptedChunk } from './concurrent-acceptance.js';
import {
  BatchEnqueuer,
  type Appended,
  type Destination,
  type OutdatedChunk,
  type Put,
  type StreamChunks,
} from './enqueue-batches.js';

/**
 * The accepted records of a stream, with the removal that goes onto the queue together with them.
 */
export interface AcceptedStream {
  readonly to: Destination;
  /** The files that they need exist until all is stored. */
  readonly accepted: AcceptedChunk[];
  /** Makes the removal for the accepted records when they go onto the queue. */
  readonly removal?: () => RejectedRemoval;
  /** The trace that the work belongs to, if streams of one append have traces of their own. */
  readonly trace?: TraceContext;
}

/**
 * Puts what was accepted on the queue, all of it or nothing: the one way there for uploads, bulk
 * requests, messages of other producers and records that are tried again. Chunks that a change of
 * columns has made outdated are accepted again first, as often as that happens.
 */
@Injectable()
export class AcceptedStore {
  constructor(private readonly enqueuer: BatchEnqueuer) {}

  /**
   * Stores all batches in one append of their own.
   * @param once names the append; it is called when the answer is known
   * @throws {MillraceError} with nothing stored: QUEUE_FULL, STORAGE_FULL
   */
  async store(
    streams: readonly AcceptedStream[],
    once: () => NamedAppend | undefined = () => undefined,
  ): Promise<Appended> {
    let appended: Appended = { positions: [] };
    await this.untilCurrent(streams, async (chunks) => {
      const enqueued = await this.enqueuer.enqueueAll(chunks, once());
      if ('outdated' in enqueued) return enqueued.outdated;
      appended = enqueued;
      return [];
    });
    return appended;
  }

  /** Stores the batches in the caller's append, which takes all batches. */
  storeBy(
    streams: readonly AcceptedStream[],
    put: (records: readonly QueueRecord[]) => Promise<Put>,
  ): Promise<void> {
    return this.untilCurrent(streams, (chunks) => this.enqueuer.enqueueTogether(chunks, put));
  }

  private async untilCurrent(
    streams: readonly AcceptedStream[],
    enqueue: (chunks: readonly StreamChunks[]) => Promise<readonly OutdatedChunk[]>,
  ): Promise<void> {
    for (;;) {
      const outdated = await enqueue(streams.map(chunksOf));
      if (outdated.length === 0) return;
      for (const { stream, chunk } of outdated) {
        const { accepted } = certain(streams[stream], 'stream of an outdated chunk');
        const before = certain(accepted[chunk], 'outdated chunk');
        accepted[chunk] = { ...before, result: await before.accept() };
      }
    }
  }
}

const chunksOf = ({ to, accepted, removal, trace }: AcceptedStream): StreamChunks => ({
  to,
  chunks: accepted.map(({ result }) => result),
  removal: removal?.(),
  ...(trace && { trace }),
});
