import { Injectable } from '@nestjs/common';
import type { SchemaKeeper } from '@app/acceptance';
import { ConcurrentAcceptance, type AcceptChunk } from '../store/concurrent-acceptance.js';
import { endsOf, streamsOf, type EnqueuedChunk } from '../store/enqueue-batches.js';
import type { RecordUnit } from '../frame/frame-records.js';
import type { KeyedUpload } from './request/idempotency-key.js';
import { AcceptedStore } from '../store/store-accepted.js';
import type { UploadRequest } from './request/upload-request.js';
import { resultOf, type UploadResult } from './outcome/upload-result.js';

interface StoredUpload {
  readonly request: UploadRequest;
  readonly keeper: SchemaKeeper;
  /** The chunks, as they arrive. */
  readonly chunks: AsyncIterable<AcceptChunk>;
  readonly unit: RecordUnit;
  readonly keyed: KeyedUpload | undefined;
}

/** Accepts and stores the chunks of an upload to one stream, and sums it up. */
@Injectable()
export class UploadStore {
  constructor(
    private readonly acceptance: ConcurrentAcceptance,
    private readonly accepted: AcceptedStore,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async store({ request, keeper, chunks, unit, keyed }: StoredUpload): Promise<UploadResult> {
    const { organization, stream } = request;
    const of = { keeper, organizationId: organization.id, stream };
    const accepted = await this.acceptance.all(of, chunks);
    const results = (): EnqueuedChunk[] => accepted.map(({ result }) => result);
    let sum = resultOf(stream, results(), unit);
    const to = { organization, stream, keeper };
    const stored = await this.accepted.store([{ to, accepted }], () => {
      sum = resultOf(stream, results(), unit);
      return keyed?.append(sum, streamsOf(results()));
    });
    if ('before' in stored) {
      if (keyed) return keyed.answerOf(stored.before);
      throw new Error('only an upload with a key can have come before');
    }
    return { ...sum, ...endsOf(stored) };
  }
}
