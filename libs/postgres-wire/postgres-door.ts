import type { TableHold } from '@app/query';
import type { ScramVerifier } from './protocol/scram.js';

/**
 * Decides which clients may connect by this protocol, and which tables they see. The app provides
 * it.
 */
export abstract class PostgresDoor {
  /** @returns the stored secret of the password; undefined: no password is needed. */
  abstract verifier(user: string): Promise<ScramVerifier | undefined>;

  /** @throws {MillraceError} */
  abstract hold(user: string, database: string): TableHold;
}
