import { byOrganization, type Projection, type RecordedEvent } from '@app/event-store';
import type { OrganizationDeletedData, StreamsProjection } from './streams.projection.js';

/** The batches that no table took, which this process keeps. */
interface KeptBatches {
  /** Deletes all kept batches of these databases. */
  forgetDatabases(databases: ReadonlySet<string>): Promise<void>;
}

/**
 * Deletes batches of deleted organizations that this process keeps because no table took them. The
 * writer skips the batches of such organizations on the queue, because the catalog lists the
 * deletion. The projection runs after the catalog.
 */
export class ForgottenBatchesProjection implements Projection {
  readonly name = 'forgotten-batches';
  readonly lanes = byOrganization;
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

  /** Does the work that a crash left undone. */
  async caughtUp(): Promise<void> {
    await this.kept.forgetDatabases(this.streams.deletedDatabases);
    this.live = true;
  }
}
