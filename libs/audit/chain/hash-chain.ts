import { createHmac } from 'node:crypto';
import type { RecordedEvent } from '@app/event-store';

/** The key of an entry, by the position of its event: the server's key may be changed. */
export type ChainKey = (position: bigint) => Uint8Array;

/** The hash that stands before the first entry of a chain. */
export const CHAIN_START = '0'.repeat(64);

/**
 * The hash of an entry: HMAC-SHA-256, in hex, over the hash before it and the event as it is
 * stored. A change of the events changes all later hashes, and nobody can compute those without the
 * key. It covers sealed texts, not what is in them, so erasing a person changes none.
 */
export function chainHash(key: Uint8Array, previousHash: string, event: RecordedEvent): string {
  const { id, stream, revision, position, type, data, metadata } = event;
  const content = JSON.stringify([String(position), id, stream, revision, type, data, metadata]);
  return createHmac('sha256', key).update(`${previousHash}\n${content}`).digest('hex');
}
