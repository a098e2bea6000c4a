import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Session } from 'chdb';
// The file alone: a double starts often, and the whole lib would be loaded for it.
import { quoteIdentifier, quoteText } from '../../../libs/warehouse/ddl/identifier.js';
import { DoubleError } from './double-error.js';
import { REMOTE_SERVERS } from './one-node-cluster.js';
import type { DoubleRequest } from './read-request.js';

/** The operator of this server lets nobody drop anything, unless the statement says that it may. */
const serverOf = (backups: string): string => `<clickhouse>
  <backups><allowed_path>${backups}</allowed_path></backups>
  <max_table_size_to_drop>1</max_table_size_to_drop>
  <max_partition_size_to_drop>1</max_partition_size_to_drop>
  ${REMOTE_SERVERS}
  <database_atomic_delay_before_drop_table_sec>1</database_atomic_delay_before_drop_table_sec>
</clickhouse>
`;
/** The HTTP interface takes these settings for itself. */
const OF_THE_INTERFACE = new Set(['wait_end_of_query', 'buffer_size', 'stacktrace']);

/** The embedded engine, with the statements of each request in a session with the request's settings. */
export class DoubleEngine {
  private readonly path: string;
  private readonly root: Session;
  private readonly sessions = new Map<string, Session>();
  private settings: ReadonlySet<string> = new Set();

  constructor(directory: string) {
    this.path = join(directory, 'store');
    mkdirSync(this.path, { recursive: true });
    const config = join(directory, 'server.xml');
    writeFileSync(config, serverOf(join(directory, 'backups')));
    this.root = new Session(this.path, { connectionArgs: [`--config-file=${config}`] });
  }

  /** Must be awaited before the first request. */
  async learnSettings(): Promise<void> {
    const names = await this.root.queryAsync('SELECT name FROM system.settings', { format: 'TSV' });
    this.settings = new Set(names.text().trim().split('\n'));
  }

  /** A session for a request; `release` it. */
  async open(request: DoubleRequest): Promise<{ session: Session; release: () => void }> {
    const { sessionId } = request;
    const kept = sessionId === undefined ? undefined : this.sessions.get(sessionId);
    if (sessionId !== undefined) this.sessions.delete(sessionId);
    const session = kept ?? this.fresh(request.settings);
    const release = (): void => {
      if (sessionId === undefined) session.close();
      else this.sessions.set(sessionId, session);
    };
    try {
      if (kept) for (const [name, value] of request.settings) await set(session, name, value);
      if (request.database !== undefined)
        await session.queryAsync(`USE ${quoteIdentifier(request.database)}`);
      for (const [name, value] of request.params) await set(session, `param_${name}`, value);
    } catch (error) {
      release();
      throw error;
    }
    return { session, release };
  }

  /**
   * Tells whether the text is more than one statement: the embedded engine would run them all. Most
   * have nothing that could stand between two, and are not looked at, which would take the engine
   * longer than a small one itself.
   */
  async isSeveral(statement: string): Promise<boolean> {
    if (!statement.includes(';')) return false;
    try {
      await this.root.queryBindAsync('SELECT formatQuerySingleLine({q:String})', { q: statement });
      return false;
    } catch (error) {
      return (error as Error).message.includes('Multi-statements are not allowed');
    }
  }

  close(): void {
    for (const session of this.sessions.values()) session.close();
    this.root.close();
  }

  private fresh(settings: ReadonlyMap<string, string>): Session {
    const own = [...settings].filter(([name]) => !OF_THE_INTERFACE.has(name));
    for (const [name] of own) {
      if (!this.settings.has(name))
        throw new DoubleError(115, 'UNKNOWN_SETTING', `Setting ${name} is neither a builtin setting nor started with the prefix 'SQL_' registered for user-defined settings.`); // prettier-ignore
    }
    try {
      const connectionArgs = own.map(([name, value]) => `--${name}=${value}`);
      return new Session(this.path, { connectionArgs });
    } catch {
      throw new DoubleError(27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED', 'a setting has a bad value');
    }
  }
}

async function set(session: Session, name: string, value: string): Promise<void> {
  await session.queryAsync(`SET ${name} = ${quoteText(value)}`);
}
