import { byOrganization, type Projection, type RecordedEvent } from '@app/event-store';
import type { AuditDirectory } from '../audit-directory.js';
import { audited, organizationOfEntry } from '../audit-entry.js';
import type { TrailLeaderElection } from './trail-leader-election.js';

/**
 * Lets a process that does not lead wait with each event until the leader has carried the event
 * out. It runs before the catalog and before the projections that change shared tables.
 */
export class FollowLeaderProjection implements Projection {
  readonly name = 'lead';
  readonly lanes = byOrganization;

  constructor(
    private readonly lead: TrailLeaderElection,
    private readonly directory: AuditDirectory,
  ) {}

  starting(): Promise<void> {
    return this.lead.start();
  }

  /** Every past event has been carried out, or the leading process repairs it. */
  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply(event: RecordedEvent): Promise<void> {
    const entry = this.lead.isLeading ? undefined : audited(event);
    if (!entry) return;
    const database = this.databaseOf(entry);
    if (database === undefined) return;
    // The directory may know later events than this one: the organization may be deleted by then.
    const isGone = (): boolean => this.databaseOf(entry) !== database;
    await this.lead.follow(database, event.position, isGone);
  }

  private databaseOf(entry: RecordedEvent): string | undefined {
    const { directory } = this;
    return directory.database(
      organizationOfEntry(entry, (stream) => directory.organizationOfStream(stream)),
    );
  }
}
