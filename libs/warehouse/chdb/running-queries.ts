import type { Session } from 'chdb';
import { Semaphore } from '@app/flow';
import { quoteText } from '../ddl/identifier.js';
import type { QueryProgress } from '../warehouse.js';

/**
 * The engine's list of what runs. A query is found in it by the comment it begins with: an aborted
 * call alone would leave the engine at work.
 */
export class RunningQueries {
  /** A session does one thing at a time. */
  private readonly asking = new Semaphore(1);

  /** @param session not read-only: such a one may not end queries. */
  constructor(private readonly session: Session) {}

  /** The statement, so that it can be found by `id`. */
  static marked(id: string, sql: string): string {
    return `${mark(id)}${sql}`;
  }

  /** Makes it fail at the next block it works on. One that cannot be ended runs into its time limit. */
  async kill(id: string): Promise<void> {
    await this.run(`KILL QUERY WHERE startsWith(query, ${quoteText(mark(id))})`).catch(() => '');
  }

  /** Gives what it has read by now. It is undefined when the query does not run. */
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
