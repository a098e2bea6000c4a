import { Injectable } from '@nestjs/common';
import type { NamedAppend, QueueRecord } from '@app/ingest-queue';
import type { TraceContext } from '@app/platform';
import type { RejectedRemoval } from '@app/writer';
import type { AcceptedPart } from './accept-parts.js';
import {
  BatchEnqueuer,
  type Appended,
  type Destination,
  type OutdatedChunk,
  type Put,
  type StreamChunks,
} from './enqueue-batches.js';

/** The accepted records of a stream, and what goes onto the queue with them. */
export interface StreamParts {
  readonly to: Destination;
  /** Files they need stay until all is stored. */
  readonly accepted: AcceptedPart[];
  /** The removal of what is accepted when it goes onto the queue. */
  readonly removal?: () => RejectedRemoval;
  /** The trace that it is done for, where parts of one append have traces of their own. */
  readonly trace?: TraceContext;
}

/**
 * Puts what was accepted on the queue, all of it or nothing: the one way there for uploads, bulk
 * requests, messages of other producers and records that are tried again. What a change of columns
 * has outdated meanwhile is accepted again first, as often as that happens.
 */
@Injectable()
export class PartsStore {
  constructor(private readonly enqueuer: BatchEnqueuer) {}

  /**
   * In one append of our own.
   * @param once names it; it is asked for when its answer is known
   * @throws {MillraceError} with nothing stored: QUEUE_FULL, STORAGE_FULL
   */
  async store(
    parts: readonly StreamParts[],
    once: () => NamedAppend | undefined = () => undefined,
  ): Promise<Appended> {
    let appended: Appended = { positions: [] };
    await this.untilCurrent(parts, async (chunks) => {
      const enqueued = await this.enqueuer.enqueueAll(chunks, once());
      if ('outdated' in enqueued) return enqueued.outdated;
      appended = enqueued;
      return [];
    });
    return appended;
  }

  /** In an append of the caller's, which takes all batches. */
  storeBy(
    parts: readonly StreamParts[],
    put: (records: readonly QueueRecord[]) => Promise<Put>,
  ): Promise<void> {
    return this.untilCurrent(parts, (chunks) => this.enqueuer.enqueueTogether(chunks, put));
  }

  private async untilCurrent(
    parts: readonly StreamParts[],
    enqueue: (chunks: readonly StreamChunks[]) => Promise<readonly OutdatedChunk[]>,
  ): Promise<void> {
    for (;;) {
      const outdated = await enqueue(parts.map(chunksOf));
      if (outdated.length === 0) return;
      for (const { part, chunk } of outdated) {
        const accepted = parts[part]?.accepted;
        const before = accepted?.[chunk];
        if (before) accepted[chunk] = { ...before, result: await before.accept() };
      }
    }
  }
}

const chunksOf = ({ to, accepted, removal, trace }: StreamParts): StreamChunks => ({
  to,
  chunks: accepted.map(({ result }) => result),
  removal: removal?.(),
  ...(trace && { trace }),
});
