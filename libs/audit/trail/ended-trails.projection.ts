import type { Projection, RecordedEvent } from '@app/event-store';
import type { AuditTrailProjection } from './audit-trail.projection.js';

/** Comes before the databases of deleted organizations are dropped: a trail that is written meanwhile would make its database again. */
export class EndedTrailsProjection implements Projection {
  readonly name = 'ended-trails';

  constructor(private readonly trail: Pick<AuditTrailProjection, 'end'>) {}

  /** While stored events are replayed nothing is dropped. */
  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply({ type, data }: RecordedEvent): Promise<void> {
    if (type === 'OrganizationDeleted')
      await this.trail.end((data as { readonly database: string }).database);
  }
}
