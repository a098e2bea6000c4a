import type { RecordedEvent } from '../event.js';

/**
 * Lanes of what is carried out for an organization: a slow table of one keeps no other waiting. What
 * was asked of no organization goes by its event stream; so does an organization's end, with all
 * else of the organization.
 */
export function byOrganization({
  stream,
  metadata: { organizationId },
}: Pick<RecordedEvent, 'stream' | 'metadata'>): readonly string[] {
  return [organizationId === undefined ? stream : `organization-${organizationId}`];
}
