import type { ServerKey } from '@app/key-store';

const PURPOSE = 'audit-trail';

/**
 * Makes the key of the audit trail's hashes from the server's key that was in force at the event.
 */
export const auditKey =
  (serverKey: ServerKey) =>
  (position: bigint): Uint8Array =>
    serverKey.deriveAt(PURPOSE, position);
