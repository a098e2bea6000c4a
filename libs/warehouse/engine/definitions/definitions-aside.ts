import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ORGANIZATION_PREFIX } from '../../ddl/ddl.js';
import { isLocked } from '../../opening-refused.js';
import type { AsideTable } from '../../ports/table-health.js';
import type { TableName } from '../../warehouse.js';
import type { EngineEvent } from '../../child/engine-event.js';
import { databasesIn, mendDatabases } from './database-definitions.js';
import { definitionText, readDefinition, tableFiles } from './table-definitions.js';

/** The definition that keeps the engine from starting, by the engine's message. */
const NAMED = /metadata file (store\/[0-9a-f]{3}\/([0-9a-f-]{36})\/([\w%]+)\.sql)/;
const CODES = /\bCode: (\d+)\./g;
/** Error numbers for what the machine has not got: memory, threads, or room on the disk. */
const OF_MACHINE = new Set([173, 241, 243, 439]);
/** The system's words for the same, and for more open files than it allows. No table is at fault. */
const OF_SYSTEM =
  /Cannot allocate memory|Too many open files|No space left on device|Disk quota exceeded|Read-only file system|Resource temporarily unavailable/;
/** More tables than so many are no accident of one file: the data directory is to be restored. */
const MOST = 20;
const REASON_MAX = 600;
const DEFINITION = '.sql';
/** A definition that somebody has put another one in place of. */
const REPLACED = '.replaced';

const keyOf = ({ database, table }: TableName): string => `${database}.${table}`;

/**
 * Definitions of organizations' tables that the engine cannot load: with one of them it does not
 * start at all. They lie in a folder of their own while the process runs, and the engine goes on
 * without their tables. The rows stay where they are. Each start tries all of them again, since
 * somebody may have mended one, or the cause may be gone.
 */
export class DefinitionsAside {
  private readonly tables = new Map<string, AsideTable>();
  /** The definitions that the last start has put back, by their places. */
  private readonly back = new Map<string, string>();

  /**
   * @param store the engine's folder
   * @param folder takes the definitions, by database
   */
  constructor(
    private readonly store: string,
    private readonly folder: string,
    private readonly tell: (event: EngineEvent) => void,
  ) {}

  all(): readonly AsideTable[] {
    return [...this.tables.values()];
  }

  find(table: TableName): AsideTable | undefined {
    return this.tables.get(keyOf(table));
  }

  /**
   * Starts the engine, without the tables that keep it from starting.
   * @param launch fails with the engine's message
   */
  async launch<T>(launch: () => Promise<T>): Promise<T> {
    for (;;) {
      for (const database of mendDatabases(this.store))
        this.tell({ of: 'warehouse', type: 'mended', database });
      try {
        return await launch();
      } catch (error) {
        const { message } = error as Error;
        // The other process has these set aside.
        if (isLocked(message)) this.withdraw();
        const found = this.take(message);
        if (!found) throw error;
        this.tell({ of: 'warehouse', type: 'aside', table: found });
      }
    }
  }

  /** Puts all definitions back to their places, for the first start. */
  putBack(): void {
    this.back.clear();
    for (const [file, place] of this.kept()) {
      if (existsSync(place)) renameSync(file, `${file}${REPLACED}`);
      else {
        renameSync(file, place);
        this.back.set(place, file);
      }
    }
  }

  /**
   * The table is dropped: its rows go with its definition, unless another definition says that they
   * are its own.
   * @param streamId the stream whose table it is to be; absent: it is that of no stream
   */
  forget(table: TableName, streamId?: string): void {
    const found = this.find(table);
    if (!found) return;
    const { uuid, comment } = readDefinition(definitionText(found.file));
    if (streamId !== undefined && comment !== undefined && comment !== streamId) return;
    if (uuid !== undefined && !this.isShared(uuid, found.file))
      rmSync(join(this.store, 'store', uuid.slice(0, 3), uuid), { recursive: true, force: true });
    rmSync(found.file, { recursive: true, force: true });
    this.tables.delete(keyOf(table));
  }

  forgetDatabase(database: string): void {
    for (const table of this.all()) if (table.database === database) this.forget(table);
  }

  private withdraw(): void {
    for (const [place, file] of this.back) if (existsSync(place)) renameSync(place, file);
    this.back.clear();
  }

  private take(message: string): AsideTable | undefined {
    const [, path, uuid = '', name = ''] = NAMED.exec(message) ?? [];
    const database = databasesIn(this.store).get(uuid);
    const code = Number([...message.matchAll(CODES)].at(-1)?.[1]);
    if (path === undefined || !database?.startsWith(ORGANIZATION_PREFIX)) return undefined;
    if (OF_MACHINE.has(code) || OF_SYSTEM.test(message) || this.tables.size >= MOST)
      return undefined;
    // The other one may be the wrong one, which would show its people the rows of this one.
    const { uuid: own } = readDefinition(definitionText(join(this.store, path)));
    if (own !== undefined && this.isShared(own, join(this.store, path))) return undefined;
    const table = decodeURIComponent(name);
    const file = join(this.folder, database, `${name}${DEFINITION}`);
    mkdirSync(join(this.folder, database), { recursive: true, mode: 0o700 });
    renameSync(join(this.store, path), file);
    const found = { database, table, file, reason: message.slice(0, REASON_MAX) };
    this.tables.set(keyOf(found), found);
    return found;
  }

  /** Tells whether another definition than that in the file has the number of its table. */
  private isShared(uuid: string, file: string): boolean {
    const others = [...tableFiles(this.store), ...this.all().map((each) => each.file)];
    const isSame = (other: string): boolean => readDefinition(definitionText(other)).uuid === uuid;
    return others.some((other) => realpathSync(other) !== realpathSync(file) && isSame(other));
  }

  /** Each definition in the folder, with its place. */
  private *kept(): Iterable<readonly [file: string, place: string]> {
    if (!existsSync(this.folder)) return;
    for (const database of readdirSync(this.folder))
      for (const name of readdirSync(join(this.folder, database))) {
        const place = join(this.store, 'metadata', database);
        if (name.endsWith(DEFINITION) && existsSync(place))
          yield [join(this.folder, database, name), join(place, name)];
      }
  }
}
