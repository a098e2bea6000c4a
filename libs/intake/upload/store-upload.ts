import { Injectable } from '@nestjs/common';
import type { SchemaKeeper } from '@app/acceptance';
import { PartAcceptance, type AcceptPart } from '../store/accept-parts.js';
import { endsOf, streamsOf, type EnqueuedChunk } from '../store/enqueue-batches.js';
import type { RecordUnit } from '../frame/frame-records.js';
import type { KeyedUpload } from './request/idempotency-key.js';
import { PartsStore } from '../store/store-parts.js';
import type { UploadRequest } from './request/upload-request.js';
import { resultOf, type UploadResult } from './outcome/upload-result.js';

interface StoredUpload {
  readonly request: UploadRequest;
  readonly keeper: SchemaKeeper;
  /** They come as they arrive. */
  readonly parts: AsyncIterable<AcceptPart>;
  readonly unit: RecordUnit;
  readonly keyed: KeyedUpload | undefined;
}

/** Accepts and stores the parts of an upload to one stream, and sums it up. */
@Injectable()
export class UploadStore {
  constructor(
    private readonly acceptance: PartAcceptance,
    private readonly parts: PartsStore,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async store({ request, keeper, parts, unit, keyed }: StoredUpload): Promise<UploadResult> {
    const { organization, stream } = request;
    const of = { keeper, organizationId: organization.id, stream };
    const accepted = await this.acceptance.all(of, parts);
    const results = (): EnqueuedChunk[] => accepted.map(({ result }) => result);
    let sum = resultOf(stream, results(), unit);
    const to = { organization, stream, keeper };
    const stored = await this.parts.store([{ to, accepted }], () => {
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
