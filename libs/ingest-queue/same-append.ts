import type { KeptAppend } from './ingest-queue.js';

/** Not another one that got the same name when it was free again. */
export const isSameAppend = (one: KeptAppend, other: KeptAppend): boolean =>
  one.answer === other.answer &&
  one.fingerprint === other.fingerprint &&
  one.position?.partition === other.position?.partition &&
  one.position?.offset === other.position?.offset;
