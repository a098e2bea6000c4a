import { byOrganization, type Projection, type RecordedEvent } from '@app/event-store';
import type { AuditTrailProjection } from './audit-trail.projection.js';

/**
 * Ends the trail of a deleted organization. It runs before the organization's database is dropped:
 * a trail that is written afterwards would create the database again.
 */
export class EndedTrailsProjection implements Projection {
  readonly name = 'ended-trails';
  readonly lanes = byOrganization;

  constructor(private readonly trail: Pick<AuditTrailProjection, 'end'>) {}

  /** Skips the stored events: nothing is dropped while they are replayed. */
  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply({ type, data }: RecordedEvent): Promise<void> {
    if (type === 'OrganizationDeleted')
      await this.trail.end((data as { readonly database: string }).database);
  }
}
