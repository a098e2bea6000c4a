import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventMetadata, NewEvent, RecordedEvent } from '../event.js';

/** The MAC that the first event of a stream has before it. */
export const NO_MAC = '';

/** The MAC has 132 bits. An attacker can test a guess only by letting this program judge it. */
const CHARACTERS = 22;

/** An event at its place in a stream. */
type Placed = NewEvent & Pick<RecordedEvent, 'stream' | 'revision'>;

/**
 * The first bytes of an HMAC-SHA-256, in base64url, over the event and its place. Its metadata tell the MAC of our event
 * before it in the same stream, so that one covers all before.
 */
export function macOf(key: Uint8Array, event: Placed): string {
  const { id, stream, revision, type, data } = event;
  // Another program may have written anything there.
  const metadata = { ...(event.metadata as EventMetadata | null), mac: undefined };
  const content = JSON.stringify([stream, revision, id, type, data, metadata]);
  return createHmac('sha256', key).update(content).digest('base64url').slice(0, CHARACTERS);
}

/** Gives the event its MAC, and adds the fields that the MAC covers. */
export function withMac(key: Uint8Array, event: Placed, previousMac: string): NewEvent {
  const { id, type, data } = event;
  const metadata = { ...event.metadata, previousMac };
  const mac = macOf(key, { ...event, metadata });
  return { id, type, data, metadata: { ...metadata, mac } };
}

/**
 * Reads the MAC of an event from its metadata, which may hold anything that somebody has put there.
 */
export const storedMac = (metadata: unknown): unknown =>
  typeof metadata === 'object' && metadata !== null && 'mac' in metadata ? metadata.mac : undefined;

/** Reads events from before MACs, too, which another program may have left without any metadata. */
export const previousMacOf = ({ metadata }: Pick<NewEvent, 'metadata'>): string | undefined =>
  (metadata as EventMetadata | null | undefined)?.previousMac;

const MAC = new RegExp(`^[\\w-]{${CHARACTERS}}$`);

/** Tells whether an event has all fields of an event with a MAC, whatever the key is. */
export const looksAuthentic = (event: Pick<NewEvent, 'metadata'>): boolean => {
  const mac = storedMac(event.metadata);
  return typeof mac === 'string' && MAC.test(mac) && typeof previousMacOf(event) === 'string';
};

export function isMac(given: unknown, mac: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(mac)];
  return a.length === b.length && timingSafeEqual(a, b);
}
