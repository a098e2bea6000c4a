import type { ServerKey } from '@app/key-store';

const PURPOSE = 'audit-trail';

/** What the hashes of the audit trail are made with: by the key that was in force at the event. */
export const auditKey =
  (serverKey: ServerKey) =>
  (position: bigint): Uint8Array =>
    serverKey.deriveAt(PURPOSE, position);
