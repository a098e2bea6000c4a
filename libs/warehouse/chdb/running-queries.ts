import type { Session } from 'chdb';
import { Semaphore } from '@app/flow';
import { quoteText } from '../ddl/identifier.js';
import type { QueryProgress } from '../warehouse.js';

/**
 * The engine's list of running queries. A query is found in it by the comment at its beginning.
 * Aborting only the call would leave the engine at work.
 */
export class RunningQueries {
  /** A session runs one statement at a time. */
  private readonly asking = new Semaphore(1);

  /** @param session must not be read-only, because a read-only session cannot end queries. */
  constructor(private readonly session: Session) {}

  /** Adds the comment to the statement, so that it can be found by `id`. */
  static marked(id: string, sql: string): string {
    return `${mark(id)}${sql}`;
  }

  /**
   * Makes the query fail at its next block. A query that cannot be ended runs into its time limit.
   */
  async kill(id: string): Promise<void> {
    await this.run(`KILL QUERY WHERE startsWith(query, ${quoteText(mark(id))})`).catch(() => '');
  }

  /**
   * Gives the numbers of rows and bytes read so far. It is undefined when the query does not run.
   */
  async progress(id: string): Promise<QueryProgress | undefined> {
    const text = await this.run(
      `SELECT read_rows, read_bytes FROM system.processes WHERE startsWith(query, ${quoteText(mark(id))})`,
    ).catch(() => '');
    const [rows, bytes] = text.trimEnd().split('\t');
    return bytes === undefined ? undefined : { rowsRead: Number(rows), bytesRead: Number(bytes) };
  }

  private async run(sql: string): Promise<string> {
    const answer = await this.asking.run(() => this.session.queryAsync(sql, { format: 'TSVRaw' }));
    return answer.text();
  }
}

const mark = (id: string): string => `/* ${id} */ `;
