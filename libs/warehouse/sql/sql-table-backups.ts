import { randomUUID } from 'node:crypto';
import { pause } from '@app/flow';
import { ORGANIZATION_PREFIX, PERSON_KEYS, SHARD_PREFIX, type Ddl } from '../ddl/ddl.js';
import { quoteIdentifier, quoteText } from '../ddl/identifier.js';
import type { BackupOptions, BackupPlace, TableBackups } from '../ports/table-backups.js';
import { NETWORK_ERROR, WarehouseError } from '../warehouse-errors.js';
import type { SqlRunner } from './sql-runner.js';

const LOOK_MS = 100;
const OURS = `match(name, '^(${ORGANIZATION_PREFIX}|${SHARD_PREFIX})') OR name = ${quoteText(PERSON_KEYS.database)}`;
const DONE = new Set(['BACKUP_CREATED', 'RESTORED']);
const AT_WORK = new Set(['CREATING_BACKUP', 'RESTORING']);

interface State {
  readonly status: string;
  readonly error: string;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Runs backups in the background of the engine and asks for their progress, because a connection
 * that waits for hours would count as lost.
 */
export class SqlTableBackups implements TableBackups {
  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
  ) {}

  async backUpTables(to: BackupPlace, options: BackupOptions = {}): Promise<boolean> {
    const found = await this.runner.rows<{ name: string }>(
      `SELECT name FROM system.databases WHERE ${OURS} ORDER BY name`,
    );
    if (found.length === 0) return false;
    const databases = found.map(({ name }) => `DATABASE ${quoteIdentifier(name)}`).join(', ');
    await this.run(`BACKUP ${databases}${this.ddl.on} TO ${written(to)}`, options);
    return true;
  }

  async restoreTables(from: BackupPlace, options: BackupOptions = {}): Promise<void> {
    await this.run(`RESTORE ALL${this.ddl.on} FROM ${written(from)}`, options);
  }

  private async run(statement: string, { base, signal, onProgress }: BackupOptions): Promise<void> {
    signal?.throwIfAborted();
    const id = randomUUID();
    const settings = [`id = ${quoteText(id)}`, ...(base ? [`base_backup = ${written(base)}`] : [])];
    await this.runner.command(`${statement} SETTINGS ${settings.join(', ')} ASYNC`, id);
    for (;;) {
      const { status, error, ...progress } = await this.state(id);
      if (DONE.has(status)) return;
      if (!AT_WORK.has(status)) throw new WarehouseError(0, status, error);
      onProgress?.(progress);
      await pause(LOOK_MS, signal);
      if (signal?.aborted) {
        await this.runner.command(this.ddl.kill(`query_id = ${quoteText(id)}`));
        signal.throwIfAborted();
      }
    }
  }

  private async state(id: string): Promise<State> {
    const [state] = await this.runner.rows<State>(
      `SELECT toString(status) AS status, error, toFloat64(num_files) AS files, toFloat64(total_size) AS bytes FROM ${this.ddl.backups} WHERE id = {id:String}`,
      { id },
    );
    if (state) return state;
    throw new WarehouseError(
      NETWORK_ERROR,
      'NETWORK_ERROR',
      'the engine was started again while it copied the tables',
    );
  }
}

const written = (place: BackupPlace): string =>
  'folder' in place ? `File(${quoteText(place.folder)})` : place.destination;
