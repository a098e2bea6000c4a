import type { TableHold } from '@app/query';
import type { ScramVerifier } from './protocol/scram.js';

/** Whom the program lets in by this protocol, and to which tables. Handed in by the app. */
export abstract class PostgresDoor {
  /** @returns what a password is held against; undefined: nobody has to show one. */
  abstract verifier(user: string): Promise<ScramVerifier | undefined>;

  /** @throws {MillraceError} */
  abstract hold(user: string, database: string): TableHold;
}
