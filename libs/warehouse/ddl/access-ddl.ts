import { quoteIdentifier, quoteText } from './identifier.js';
import type { QueryLimits } from '../warehouse.js';

/**
 * The user who runs the queries of all organizations. It may do nothing without an organization's
 * role.
 */
export const READER = 'millrace_reader';

/** The engine writes the last one both ways. */
const ENGINE_DATABASES = ['system', 'information_schema', 'INFORMATION_SCHEMA'];

/**
 * Statements that restrict a query to the tables of its organization's role; the engine itself
 * enforces that. Each list must run in order, and may be repeated.
 */
export class AccessDdl {
  private readonly on: string;

  constructor(cluster: string | undefined) {
    this.on = cluster === undefined ? '' : ` ON CLUSTER ${quoteIdentifier(cluster)}`;
  }

  /** @param passwordHash SHA-256, in hex, so that no log of the server contains the password. */
  createReader(passwordHash: string, limits: QueryLimits): readonly string[] {
    const name = quoteIdentifier(READER);
    const identified = `IDENTIFIED WITH sha256_hash BY ${quoteText(passwordHash)} DEFAULT ROLE NONE`;
    // Each query sends its limits; these are for a query that forgets to.
    const settings = [
      `max_execution_time = ${limits.timeoutSeconds}`,
      `max_memory_usage = ${limits.memoryBytes}`,
      `max_rows_to_read = ${limits.readRows}`,
      `max_bytes_to_read = ${limits.readBytes}`,
      `max_result_rows = ${limits.resultRows}`,
      `max_result_bytes = ${limits.resultBytes}`,
    ].join(', ');
    return [
      `CREATE USER IF NOT EXISTS ${name}${this.on} ${identified} SETTINGS ${settings}`,
      `ALTER USER ${name}${this.on} ${identified} SETTINGS ${settings}`,
      // The guard refuses statements that name a table of the engine, and must know them all.
      ...ENGINE_DATABASES.map((each) => `GRANT${this.on} SHOW TABLES ON ${each}.* TO ${name}`),
    ];
  }

  /**
   * The role has the name of the database.
   * @param databases the organization's databases; more than one on a cluster
   */
  createRole(
    database: string,
    databases: readonly string[],
    limits: QueryLimits['organization'],
  ): readonly string[] {
    const role = quoteIdentifier(database);
    return [
      `CREATE ROLE IF NOT EXISTS ${role}${this.on}`,
      ...databases.map((each) => `GRANT${this.on} SELECT ON ${quoteIdentifier(each)}.* TO ${role}`),
      ...(limits === undefined ? [] : this.quota(role, limits)),
      `GRANT${this.on} ${role} TO ${quoteIdentifier(READER)}`,
    ];
  }

  /** After this, a query under this role has no rights. */
  dropRole(database: string): readonly string[] {
    const role = quoteIdentifier(database);
    return [`DROP QUOTA IF EXISTS ${role}${this.on}`, `DROP ROLE IF EXISTS ${role}${this.on}`];
  }

  /** The limits over all processes, because each process counts only its own queries. */
  private quota(
    role: string,
    { seconds, resultBytes }: NonNullable<QueryLimits['organization']>,
  ): readonly string[] {
    const limits = `FOR INTERVAL 1 minute MAX execution_time = ${seconds}, result_bytes = ${resultBytes} TO ${role}`;
    return [
      `CREATE QUOTA IF NOT EXISTS ${role}${this.on} ${limits}`,
      `ALTER QUOTA ${role}${this.on} ${limits}`,
    ];
  }
}
