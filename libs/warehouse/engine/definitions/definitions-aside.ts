import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AUDIT_TABLE, ORGANIZATION_PREFIX } from '../../ddl/ddl.js';
import { isLocked } from '../../opening-refused.js';
import type { AsideTable } from '../../ports/table-health.js';
import type { TableName } from '../../warehouse.js';
import type { EngineEvent } from '../../child/engine-event.js';
import { databasesIn, mendDatabases } from './database-definitions.js';
import { definitionText, readDefinition, tableFiles, unlikeTrail } from './table-definitions.js';

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
 * Definitions of organizations' tables that the engine cannot load, or that are of other tables:
 * with one of them it does not start at all. They lie in a folder of their own while the process runs, and the engine goes on
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
      this.takeUnlikeTrails();
      try {
        return await launch();
      } catch (error) {
        const { message } = error as Error;
        // The other process has these set aside.
        if (isLocked(message)) this.withdraw();
        if (!this.take(message)) throw error;
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

  /** One trail whose table is another one would fail what is asked of all trails at the start. */
  private takeUnlikeTrails(): void {
    for (const database of databasesIn(this.store).values()) {
      if (!database.startsWith(ORGANIZATION_PREFIX)) continue;
      const place = join(this.store, 'metadata', database, `${AUDIT_TABLE}${DEFINITION}`);
      const reason = unlikeTrail(definitionText(place));
      if (reason !== undefined) this.setAside({ database, table: AUDIT_TABLE }, place, reason);
    }
  }

  /** @returns whether there is one to set aside */
  private take(message: string): boolean {
    const [, path, uuid = '', name = ''] = NAMED.exec(message) ?? [];
    const database = databasesIn(this.store).get(uuid);
    const code = Number([...message.matchAll(CODES)].at(-1)?.[1]);
    if (path === undefined || !database?.startsWith(ORGANIZATION_PREFIX)) return false;
    if (OF_MACHINE.has(code) || OF_SYSTEM.test(message)) return false;
    const table = { database, table: decodeURIComponent(name) };
    return this.setAside(table, join(this.store, path), message.slice(0, REASON_MAX));
  }

  private setAside(table: TableName, place: string, reason: string): boolean {
    if (this.tables.size >= MOST) return false;
    // The other one may be the wrong one, which would show its people the rows of this one.
    const { uuid: own } = readDefinition(definitionText(place));
    if (own !== undefined && this.isShared(own, place)) return false;
    const file = join(this.folder, table.database, basename(place));
    mkdirSync(join(this.folder, table.database), { recursive: true, mode: 0o700 });
    renameSync(place, file);
    const found = { ...table, file, reason };
    this.tables.set(keyOf(found), found);
    this.tell({ of: 'warehouse', type: 'aside', table: found });
    return true;
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
