import { Injectable } from '@nestjs/common';
import { IngestQueue } from '@app/ingest-queue';
import { type RejectedRemoval, WriteProgress } from '@app/writer';
import { AcceptedStore } from '../store/store-accepted.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import type { RejectedOf } from './rejected-records.js';
import { RetryNames } from './retry-names.js';
import { removalOf, type RetryRequest } from './retry-request.js';

/** Keeps the retries of a stream in one order, on all nodes. */
@Injectable()
export class RetryOrder {
  constructor(
    private readonly queue: IngestQueue,
    private readonly store: AcceptedStore,
    private readonly schemas: StreamSchemas,
    private readonly progress: WriteProgress,
  ) {}

  names({ streamId }: RejectedOf): RetryNames {
    return new RetryNames(this.queue, streamId);
  }

  /**
   * Waits until removals of earlier retries are done, because records that these have moved must
   * not be read again.
   */
  async awaitAllBefore(
    { organization, stream, uploader }: RetryRequest,
    of: RejectedOf,
  ): Promise<void> {
    const keeper = this.schemas.keeper(organization, stream, uploader);
    const to = { organization, stream, keeper };
    const removal = (): RejectedRemoval => ({ ...removalOf(of), rows: [] });
    const stored = await this.store.store([{ to, accepted: [], removal }]);
    const position = 'positions' in stored ? stored.positions.at(-1) : undefined;
    if (position) await this.progress.awaitWritten(position);
  }
}
