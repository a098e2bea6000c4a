import { PostgresDoor, scramVerifier, type ScramVerifier } from '@app/postgres-wire';
import type { TableHold } from '@app/query';
import { holdTables } from '../registry/hold-tables.js';
import type { TableRegistry } from '../registry/table-registry.js';

/**
 * Lets clients of PostgreSQL in as HTTP does: if a token is configured, it is the password, and any
 * user name is accepted. Databases of any name are one, since there is one set of tables.
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
    return holdTables(this.tables);
  }
}
