import { Injectable } from '@nestjs/common';
import type { SchemaKeeper } from '../accept/accept-records.js';
import { FairEngine } from '../accept/fair-engine.js';
import { BatchEnqueuer, type EnqueuedChunk } from './enqueue-batches.js';
import type { RecordUnit } from './frame-records.js';
import type { KeyedUpload } from './idempotency-key.js';
import { SchemaGate } from './schema-gate.js';
import { Spool } from './spool.js';
import type { UploadRequest } from './upload-request.js';
import { resultOf, type UploadResult } from './upload-result.js';

/** Parts in acceptance or waiting for it; a client that sends faster is slowed down. */
const PARTS_IN_WORK = 4;
/** With so much waiting for the engine an upload gets no further than one part: the disk is not for queueing. */
const CROWDED = 8;

/** Accepts a part of an upload under the stream's schema of now. It may have to be done again. */
export type AcceptPart = () => Promise<EnqueuedChunk>;

export interface StoredUpload {
  readonly request: UploadRequest;
  readonly keeper: SchemaKeeper;
  /** Parts come as they arrive; files they need stay until all is stored. */
  readonly parts: AsyncIterable<AcceptPart>;
  readonly unit: RecordUnit;
  readonly keyed: KeyedUpload | undefined;
}

/** Accepts an upload's parts and puts what comes of them on the queue, all of it or nothing. */
@Injectable()
export class PartsStore {
  constructor(
    private readonly enqueuer: BatchEnqueuer,
    private readonly spool: Spool,
    private readonly gate: SchemaGate,
    private readonly engine: FairEngine,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async store(upload: StoredUpload): Promise<UploadResult> {
    return this.enqueue(upload, await this.acceptAll(upload));
  }

  /** Accepts parts while the next ones arrive. The first goes alone: it may have to make the stream. */
  private async acceptAll(upload: StoredUpload): Promise<Accepted[]> {
    const working = new Set<Promise<void>>();
    const accepted: Accepted[] = [];
    try {
      for await (const accept of upload.parts) {
        const index = accepted.push({ accept, result: NOTHING }) - 1;
        const work = this.firstAlone(upload, async () => {
          accepted[index] = { accept, result: await accept() };
        }).then(() => {
          working.delete(work);
        });
        // Failure is seen where the set is awaited; it must not count as unhandled before.
        work.catch(() => undefined);
        working.add(work);
        if (index > 0) await this.spool.checkFree();
        const most = index === 0 || this.engine.waiting > CROWDED ? 1 : PARTS_IN_WORK;
        while (working.size >= most) await Promise.race(working);
      }
      await Promise.all(working);
      return accepted;
    } finally {
      await Promise.allSettled(working);
    }
  }

  /** Of many uploads that come to a stream that is new, one surveys it and makes it; the others wait for that. */
  private firstAlone(
    { keeper, request: { organization, stream } }: StoredUpload,
    work: () => Promise<void>,
  ): Promise<void> {
    if (keeper.current()) return work();
    return this.gate.alone(JSON.stringify(['first', organization.id, stream]), work);
  }

  private async enqueue(
    { request, keeper, unit, keyed }: StoredUpload,
    accepted: Accepted[],
  ): Promise<UploadResult> {
    const { organization, stream } = request;
    for (;;) {
      const results = accepted.map(({ result }) => result);
      const sum = resultOf(stream, results, unit);
      const to = { organization, stream, keeper };
      const enqueued = await this.enqueuer.enqueue(to, results, keyed?.named(sum));
      if (keyed && 'before' in enqueued) return keyed.answerOf(enqueued.before);
      if ('position' in enqueued) return { ...sum, ...enqueued };
      if (!('outdated' in enqueued)) continue;
      for (const index of enqueued.outdated) {
        const again = accepted[index];
        if (again) accepted[index] = { ...again, result: await again.accept() };
      }
    }
  }
}

interface Accepted {
  readonly accept: AcceptPart;
  readonly result: EnqueuedChunk;
}

const NOTHING: EnqueuedChunk = {
  schema: undefined,
  accepted: undefined,
  rejected: undefined,
  recordBytes: 0,
};
