import type { Projection, RecordedEvent } from '@app/event-store';
import type { OrganizationDeletedData, StreamsProjection } from '@app/streams';
import type { DeadLetter } from './dead-letter.js';

/**
 * Takes batches of deleted organizations out of this process's dead letter. What waits on the queue
 * is passed over by the writer, for the catalog says so; comes after the catalog.
 */
export class ForgottenBatchesProjection implements Projection {
  readonly name = 'forgotten-batches';
  private live = false;

  constructor(
    private readonly deadLetter: DeadLetter,
    private readonly streams: Pick<StreamsProjection, 'deletedDatabases'>,
  ) {}

  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply({ type, data }: RecordedEvent): Promise<void> {
    if (!this.live || type !== 'OrganizationDeleted') return;
    const { database } = data as OrganizationDeletedData;
    await this.deadLetter.forgetDatabases(new Set([database]));
  }

  /** What a crash left undone. */
  async caughtUp(): Promise<void> {
    await this.deadLetter.forgetDatabases(this.streams.deletedDatabases);
    this.live = true;
  }
}
