import type { RecordedEvent } from '../event.js';

const ORGANIZATION = 'organization-';

/**
 * Lanes of what is carried out for an organization: a slow table of one keeps no other waiting. What
 * was asked of no organization goes by its event stream; so does an organization's end, with all
 * else of the organization.
 */
export function byOrganization({
  stream,
  metadata: { organizationId },
}: Pick<RecordedEvent, 'stream' | 'metadata'>): readonly string[] {
  return [organizationId === undefined ? stream : `${ORGANIZATION}${organizationId}`];
}

/** The organization of such a lane; undefined: what is there was asked of none. */
export const organizationOfLane = (lane: string): string | undefined =>
  lane.startsWith(ORGANIZATION) ? lane.slice(ORGANIZATION.length) : undefined;
