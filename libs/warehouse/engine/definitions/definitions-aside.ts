import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AUDIT_TABLE, ORGANIZATION_PREFIX } from '../../ddl/ddl.js';
import { isLocked } from '../../opening-refused.js';
import type { AsideTable } from '../../ports/table-health.js';
import type { TableName } from '../../warehouse.js';
import type { EngineEvent } from '../../child/engine-event.js';
import { mayBeUnnamed, namedDefinition } from './at-fault.js';
import { databasesIn, mendDatabases } from './database-definitions.js';
import { firstThatFails } from './first-that-fails.js';
import { HiddenDefinitions } from './hidden-definitions.js';
import { DEFINITION, definitionText, endsEngine, placedDefinitions, readDefinition, unlikeTrail, type PlacedDefinition } from './table-definitions.js'; // prettier-ignore
import { TableNumbers } from './table-numbers.js';

/** More tables than so many are no accident of one file: the data directory is to be restored. */
const MOST = 20;
const REASON_MAX = 600;
/** A definition that somebody has put another one in place of. */
const REPLACED = '.replaced';

const NUMBERS = 'table-numbers.json';

const numberIn = (file: string): string | undefined => readDefinition(definitionText(file)).uuid;

const unusable = ({ place }: PlacedDefinition, reason: string): Error =>
  new Error(`the definition ${place} cannot be used: ${reason}; put a good one back (docs/operations.md, "Damaged definitions")`); // prettier-ignore

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
  private readonly numbers: TableNumbers;

  /**
   * @param store the engine's folder
   * @param folder takes the definitions, by database
   */
  constructor(
    private readonly store: string,
    private readonly folder: string,
    private readonly tell: (event: EngineEvent) => void,
  ) {
    this.numbers = new TableNumbers(store, join(dirname(folder), NUMBERS));
  }

  all(): readonly AsideTable[] {
    return [...this.tables.values()];
  }

  find(table: TableName): AsideTable | undefined {
    return this.tables.get(keyOf(table));
  }

  /**
   * Starts the engine, without the tables that keep it from starting.
   * @param launch fails with the engine's message
   * @param probe does the same, and ends the engine again
   */
  async launch<T>(launch: () => Promise<T>, probe: () => Promise<void>): Promise<T> {
    for (;;) {
      const loaded = this.mended();
      try {
        const engine = await launch();
        this.numbers.keep(loaded, new Set(this.tables.keys()));
        return engine;
      } catch (error) {
        const { message } = error as Error;
        // The other process has these set aside.
        if (isLocked(message)) this.withdraw();
        if (!this.take(message) && !(await this.takeUnnamed(error, probe))) throw error;
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

  /** One of Millrace's tables in an organization's database was made, or was there. */
  made({ database, table }: TableName): void {
    const place = join(this.store, 'metadata', database, `${table}${DEFINITION}`);
    this.numbers.note({ database, table, place, text: definitionText(place) });
  }

  /** The engine has ended in good order. */
  close(): void {
    this.numbers.save();
  }

  private withdraw(): void {
    for (const [place, file] of this.back) if (existsSync(place)) renameSync(place, file);
    this.back.clear();
  }

  /** Mends what can be mended, and takes away what the engine would load and not survive. */
  private mended(): readonly PlacedDefinition[] {
    for (const database of mendDatabases(this.store))
      this.tell({ of: 'warehouse', type: 'mended', database });
    const found = placedDefinitions(this.store);
    const numbered = this.numbers.mend(found, this.all().map(({ file }) => numberIn(file))); // prettier-ignore
    for (const { database, table } of numbered)
      this.tell({ of: 'warehouse', type: 'mended', database, table });
    const whole = numbered.length > 0 ? placedDefinitions(this.store) : found;
    return whole.filter((each) => {
      const { table, place, text } = each;
      const crash = endsEngine(text);
      // One trail whose table is another one would fail what is asked of all trails at the start.
      const reason = crash ?? (table === AUDIT_TABLE ? unlikeTrail(text) : undefined);
      if (reason !== undefined && this.setAside(each, place, reason)) return false;
      if (crash !== undefined) throw unusable(each, crash);
      return true;
    });
  }

  /** @returns whether there is one to set aside */
  private take(message: string): boolean {
    const named = namedDefinition(message);
    const database = named && databasesIn(this.store).get(named.uuid);
    if (!named || database === undefined) return false;
    const { table, path } = named;
    return this.setAside({ database, table }, join(this.store, path), message.slice(0, REASON_MAX));
  }

  /**
   * Finds the table that the engine does not name by starting it with fewer and fewer of them.
   * @returns whether there is one to set aside
   */
  private async takeUnnamed(error: unknown, probe: () => Promise<void>): Promise<boolean> {
    if (!mayBeUnnamed(error)) return false;
    const { message } = error as Error;
    this.tell({ of: 'warehouse', type: 'searching', reason: message });
    const [all, before] = [placedDefinitions(this.store), this.tables.size];
    const hidden = new HiddenDefinitions(this.folder);
    let found: PlacedDefinition | undefined;
    try {
      found = await firstThatFails(all, (count) => {
        hidden.leave(all, count);
        return this.runs(probe);
      });
    } finally {
      hidden.showAll();
    }
    if (!found) return this.tables.size > before;
    const reason = `the engine ends when it loads the table: ${message}`.slice(0, REASON_MAX);
    if (!this.setAside(found, found.place, reason)) throw unusable(found, reason);
    return true;
  }

  private async runs(probe: () => Promise<void>): Promise<boolean> {
    for (;;) {
      try {
        await probe();
        return true;
      } catch (error) {
        if (this.take((error as Error).message)) continue;
        if (mayBeUnnamed(error)) return false;
        throw error;
      }
    }
  }

  private setAside(table: TableName, place: string, reason: string): boolean {
    if (this.tables.size >= MOST || !table.database.startsWith(ORGANIZATION_PREFIX)) return false;
    // The other one may be the wrong one, which would show its people the rows of this one.
    const { uuid: own } = readDefinition(definitionText(place));
    if (own !== undefined && this.isShared(own, place)) return false;
    const file = join(this.folder, table.database, basename(place));
    mkdirSync(join(this.folder, table.database), { recursive: true, mode: 0o700 });
    renameSync(place, file);
    const found = { database: table.database, table: table.table, file, reason };
    this.tables.set(keyOf(found), found);
    this.tell({ of: 'warehouse', type: 'aside', table: found });
    return true;
  }

  /** Tells whether another definition than that in the file has the number of its table. */
  private isShared(uuid: string, file: string): boolean {
    const placed = placedDefinitions(this.store).map(({ place }) => place);
    const others = [...placed, ...this.all().map((each) => each.file)];
    const isSame = (other: string): boolean => numberIn(other) === uuid;
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
