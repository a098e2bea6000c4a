import type { TableHold } from '@app/query';
import type { ScramVerifier } from './protocol/scram.js';

/**
 * Decides which clients may connect by this protocol, and which tables they see. The app provides
 * it.
 */
export abstract class PostgresDoor {
  /** @returns what a password is held against; undefined: nobody has to show one. */
  abstract verifier(user: string): Promise<ScramVerifier | undefined>;

  /** @throws {MillraceError} */
  abstract hold(user: string, database: string): TableHold;
}
