import { createHash } from 'node:crypto';
import { reservation } from '@app/event-store';

/** The name of a stream. Only one stream of an organization has it at a time. */
export const streamName = reservation('StreamName');

/** The event stream of a name. */
export function streamNameStream(organizationId: string, name: string): string {
  const digest = createHash('sha256').update(`${organizationId}/${name}`).digest('hex');
  return `streamname-${digest}`;
}
