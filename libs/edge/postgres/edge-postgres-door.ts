import {
  PostgresDoor,
  scramVerifier,
  type ScramVerifier,
  type TableHold,
} from '@app/postgres-wire';
import type { TableRegistry } from '../registry/table-registry.js';

/**
 * Lets clients of PostgreSQL in as HTTP does: where there is a token it is the password, whatever
 * the user is called. Databases of any name are one, since there is one set of tables.
 */
export class EdgePostgresDoor extends PostgresDoor {
  private readonly expected: Promise<ScramVerifier> | undefined;

  constructor(
    private readonly tables: Pick<TableRegistry, 'hold'>,
    token: string | undefined,
  ) {
    super();
    this.expected = token === undefined ? undefined : scramVerifier(token);
  }

  verifier(): Promise<ScramVerifier | undefined> {
    return this.expected ?? Promise.resolve(undefined);
  }

  hold(): TableHold {
    const { database, release } = this.tables.hold();
    return { organization: { id: 'edge', name: 'edge', database, share: 'edge' }, release };
  }
}
