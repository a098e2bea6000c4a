import { createHash } from 'node:crypto';
import { reservation } from '@app/event-store';

/** A stream's name, which one stream of an organization has at a time. */
export const streamName = reservation('StreamName');

/** Tells where the events of a name are. */
export function streamNameStream(organizationId: string, name: string): string {
  const digest = createHash('sha256').update(`${organizationId}/${name}`).digest('hex');
  return `streamname-${digest}`;
}
