import type { Projection, RecordedEvent } from '@app/event-store';
import type { OrganizationDeletedData, StreamsProjection } from './streams.projection.js';

/** The batches that no table took, which this process keeps. */
interface KeptBatches {
  /** Forgets all that is kept for these databases. */
  forgetDatabases(databases: ReadonlySet<string>): Promise<void>;
}

/**
 * Has this process forget batches of deleted organizations that no table took. What waits on the
 * queue is passed over by the writer, for the catalog says so; comes after the catalog.
 */
export class ForgottenBatchesProjection implements Projection {
  readonly name = 'forgotten-batches';
  private live = false;

  constructor(
    private readonly streams: Pick<StreamsProjection, 'deletedDatabases'>,
    private readonly kept: KeptBatches,
  ) {}

  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply({ type, data }: RecordedEvent): Promise<void> {
    if (!this.live || type !== 'OrganizationDeleted') return;
    const { database } = data as OrganizationDeletedData;
    await this.kept.forgetDatabases(new Set([database]));
  }

  /** Finishes what a crash left undone. */
  async caughtUp(): Promise<void> {
    await this.kept.forgetDatabases(this.streams.deletedDatabases);
    this.live = true;
  }
}
