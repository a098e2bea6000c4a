import type { Logger } from '@app/platform';
import type { Workshop } from '../prepare/open-source.js';
import type { PreparedTable } from '../prepare/prepare-table.js';
import { createGeneration, dropGeneration, type Generation } from '../generation.js';
import { dropAskedCopy, type AskedCopy } from './asked-copy.js';

/** The tables of a generation, of which some are copies in memory. */
interface Twin {
  /** The database of the generation. */
  readonly of: string;
  readonly generation: Generation;
  readonly copies: ReadonlyMap<PreparedTable, AskedCopy>;
  uses: number;
  isDropping: boolean;
}

/** The use of a twin by one statement. */
export interface LentTables extends Generation {
  /** May be called more than once. */
  readonly release: () => void;
}

/**
 * Databases in which copies in memory take the place of tables that are read in place. A statement
 * that may read the copies is sent there; the generation itself stays as it is, for the statement
 * that may not. A twin or a copy that has gone out of use is dropped when its last statement ends.
 */
export class Twins {
  /** The newest twin of each generation. */
  private readonly twins = new Map<string, Twin>();
  /** Older ones that are still in use, too. */
  private readonly all = new Set<Twin>();
  private readonly copies = new Map<PreparedTable, AskedCopy>();
  private readonly dropped = new WeakSet<AskedCopy>();
  private readonly making = new Map<string, Promise<void>>();

  /** @param generations those that exist */
  constructor(
    private readonly workshop: Pick<Workshop, 'engine' | 'holding'>,
    private readonly generations: () => readonly Generation[],
    private readonly logger: Logger,
  ) {}

  has(table: PreparedTable): boolean {
    return this.copies.has(table);
  }

  /** Lends the copies of these tables; a first twin is made in the background. */
  lend(database: string, tables: readonly PreparedTable[]): LentTables | undefined {
    if (tables.length === 0) return undefined;
    const twin = this.twins.get(database);
    if (!twin || tables.some((table) => !twin.copies.has(table))) {
      void this.make(database);
      return undefined;
    }
    twin.uses += 1;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      twin.uses -= 1;
      this.retire(twin);
    };
    return { ...twin.generation, release };
  }

  /** Takes a copy into use. Statements read it when this resolves. */
  async put(table: PreparedTable, copy: AskedCopy): Promise<void> {
    this.copies.set(table, copy);
    for (const { database, tables } of this.generations())
      if ([...tables.values()].includes(table)) await this.make(database);
  }

  /** Statements that come from now on do not read the copy. */
  letGo(table: PreparedTable): void {
    const copy = this.copies.get(table);
    if (!copy) return;
    this.copies.delete(table);
    for (const twin of [...this.twins.values()]) if (twin.copies.has(table)) this.letGoOf(twin);
    if (![...this.all].some((twin) => twin.copies.get(table) === copy)) this.drop(copy);
  }

  /** Lets go what belongs to generations that exist no longer. */
  sweep(): void {
    const alive = this.generations();
    const databases = new Set(alive.map(({ database }) => database));
    for (const twin of [...this.twins.values()]) if (!databases.has(twin.of)) this.letGoOf(twin);
    const tables = new Set(alive.flatMap((each) => [...each.tables.values()]));
    for (const table of [...this.copies.keys()]) if (!tables.has(table)) this.letGo(table);
  }

  private letGoOf(twin: Twin): void {
    this.twins.delete(twin.of);
    this.retire(twin);
  }

  private make(database: string): Promise<void> {
    const before = this.making.get(database) ?? Promise.resolve();
    const made = before
      .then(() => this.makeOne(database))
      .catch((error: unknown) =>
        this.logger.warn({ err: error }, 'copies in memory cannot be read'),
      )
      .finally(() => {
        if (this.making.get(database) === made) this.making.delete(database);
      });
    this.making.set(database, made);
    return made;
  }

  private async makeOne(database: string): Promise<void> {
    const { statements } = this.workshop.engine;
    const tables = this.generations().find((each) => each.database === database)?.tables;
    if (!tables) return;
    const there = new Set(tables.values());
    const copies = new Map([...this.copies].filter(([table]) => there.has(table)));
    const before = this.twins.get(database);
    if (copies.size === 0 || (before && isSame(before.copies, copies))) return;
    const replaced = [...tables].map(([name, table]) => {
      const copy = copies.get(table);
      return [name, copy ? { ...table, copy, count: undefined } : table] as const;
    });
    const generation = await createGeneration(new Map(replaced), statements);
    const twin = { of: database, generation, copies, uses: 0, isDropping: false };
    this.all.add(twin);
    const isLate = [...copies].some(([table, copy]) => this.copies.get(table) !== copy);
    if (isLate || !this.generations().some((each) => each.database === database))
      return this.retire(twin);
    this.twins.set(database, twin);
    if (before) this.retire(before);
  }

  private retire(twin: Twin): void {
    if (twin.uses > 0 || twin.isDropping || this.twins.get(twin.of) === twin) return;
    twin.isDropping = true;
    dropGeneration(twin.generation, this.workshop.engine.statements)
      .catch((error: unknown) => this.logger.error({ err: error }, 'old tables stay'))
      .finally(() => {
        this.all.delete(twin);
        const used = new Set([...this.all].flatMap(({ copies }) => [...copies.values()]));
        for (const [table, copy] of twin.copies)
          if (this.copies.get(table) !== copy && !used.has(copy)) this.drop(copy);
      });
  }

  private drop(copy: AskedCopy): void {
    if (this.dropped.has(copy)) return;
    this.dropped.add(copy);
    dropAskedCopy(copy, this.workshop).catch((error: unknown) =>
      this.logger.error({ err: error }, 'an old copy stays'),
    );
  }
}

const isSame = <Key, Value>(
  one: ReadonlyMap<Key, Value>,
  other: ReadonlyMap<Key, Value>,
): boolean => one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
