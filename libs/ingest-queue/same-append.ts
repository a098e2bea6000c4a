import type { KeptAppend } from './ingest-queue.js';

/**
 * Tells whether both are the same append. A later append may have the same name, after the name was
 * free again.
 */
export const isSameAppend = (one: KeptAppend, other: KeptAppend): boolean =>
  one.answer === other.answer &&
  one.fingerprint === other.fingerprint &&
  one.position?.partition === other.position?.partition &&
  one.position?.offset === other.position?.offset;
