import { createHash, createHmac } from 'node:crypto';
import { certain } from '@app/platform';
import { AccessDdl, READER } from '../ddl/access-ddl.js';
import type { Ddl } from '../ddl/ddl.js';
import { runAll, type SqlRunner } from '../sql/sql-runner.js';
import type { QueryLimits } from '../warehouse.js';

const PURPOSE = 'millrace: the password of the user for queries';

/**
 * The rights of queries on the server. Queries run as a user of their own. This user has only the
 * rights of the role that a query names, which is that of its organization. See docs/adr/0013.
 */
export class QueryAccess {
  private readonly access: AccessDdl;

  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
    private readonly limits: QueryLimits,
  ) {
    this.access = new AccessDdl(ddl.cluster);
  }

  /** @param password as {@link readerUrls} has it */
  async createReader(password: string): Promise<void> {
    const hash = createHash('sha256').update(password).digest('hex');
    await runAll(this.runner, this.access.createReader(hash, this.limits));
  }

  /** Lets queries of an organization read its databases. */
  async createRole(database: string): Promise<void> {
    const { organization } = this.limits;
    const databases = this.ddl.databasesOf(database);
    await runAll(this.runner, this.access.createRole(database, databases, organization));
  }

  /** Drops the role of a deleted organization. */
  async dropRole(database: string): Promise<void> {
    await runAll(this.runner, this.access.dropRole(database));
  }
}

/** The password is derived from our own user's, so that all processes have the same one. */
export function readerPassword(urls: readonly string[]): string {
  const own = new URL(certain(urls[0], 'address of the server')).password;
  return createHmac('sha256', decodeURIComponent(own)).update(PURPOSE).digest('base64url');
}

/** The same addresses, with the user for queries. */
export const readerUrls = (urls: readonly string[], password: string): readonly string[] =>
  urls.map((text) => Object.assign(new URL(text), { username: READER, password }).href);
