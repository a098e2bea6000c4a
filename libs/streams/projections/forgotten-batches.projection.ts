import type { Projection, RecordedEvent } from '@app/event-store';
import type { OrganizationDeletedData, StreamsProjection } from './streams.projection.js';

/**
 * Has this process forget batches of deleted organizations that no table took. What waits on the
 * queue is passed over by the writer, for the catalog says so; comes after the catalog.
 */
export class ForgottenBatchesProjection implements Projection {
  readonly name = 'forgotten-batches';
  private live = false;

  constructor(
    private readonly streams: Pick<StreamsProjection, 'deletedDatabases'>,
    /** All that is kept for these databases. */
    private readonly forget: (databases: ReadonlySet<string>) => Promise<void>,
  ) {}

  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply({ type, data }: RecordedEvent): Promise<void> {
    if (!this.live || type !== 'OrganizationDeleted') return;
    const { database } = data as OrganizationDeletedData;
    await this.forget(new Set([database]));
  }

  /** Finishes what a crash left undone. */
  async caughtUp(): Promise<void> {
    await this.forget(this.streams.deletedDatabases);
    this.live = true;
  }
}
