import { Injectable } from '@nestjs/common';
import type { SchemaKeeper } from '../accept/accept-records.js';
import { PartAcceptance, type AcceptedPart, type AcceptPart } from './accept-parts.js';
import { BatchEnqueuer, streamsOf } from './enqueue-batches.js';
import type { RecordUnit } from './frame-records.js';
import type { KeyedUpload } from './idempotency-key.js';
import type { UploadRequest } from './upload-request.js';
import { resultOf, type UploadResult } from './upload-result.js';

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
    private readonly acceptance: PartAcceptance,
    private readonly enqueuer: BatchEnqueuer,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async store(upload: StoredUpload): Promise<UploadResult> {
    const { request, keeper, parts } = upload;
    const of = { keeper, organizationId: request.organization.id, stream: request.stream };
    return this.enqueue(upload, await this.acceptance.all(of, parts));
  }

  private async enqueue(
    { request, keeper, unit, keyed }: StoredUpload,
    accepted: AcceptedPart[],
  ): Promise<UploadResult> {
    const { organization, stream } = request;
    for (;;) {
      const results = accepted.map(({ result }) => result);
      const sum = resultOf(stream, results, unit);
      const to = { organization, stream, keeper };
      const enqueued = await this.enqueuer.enqueue(
        to,
        results,
        keyed?.append(sum, streamsOf(results)),
      );
      if (keyed && 'before' in enqueued) return keyed.answerOf(enqueued.before);
      if ('position' in enqueued) return { ...sum, ...enqueued };
      if (!('outdated' in enqueued)) continue;
      await this.acceptance.again(accepted, enqueued.outdated);
    }
  }
}
