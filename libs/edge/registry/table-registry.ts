import { Semaphore } from '@app/flow';
import { MillraceError, type Logger, type RequestOrganization } from '@app/platform';
import { Catalog, tupleFields, type FieldWithin, type TableDescription } from '@app/query';
import type { Column } from '@app/warehouse';
import type { DescribedTable } from '../table-description.js';
import { createGeneration, dropGeneration, type Generation } from './generation.js';
import type { Workshop } from './prepare/open-source.js';
import { COPIES, dropCopy, type Copy } from './prepare/copies.js';
import { MemoryCopies } from './memory/memory-copies.js';
import { prepareTable, type PreparedTable } from './prepare/prepare-table.js';

/** A change of the tables, which is made completely or not at all. */
export interface TableChange {
  /**
   * New tables, which replace tables with the same name. A followed table replaces only a followed
   * one.
   */
  readonly put?: readonly DescribedTable[];
  /** Names of existing tables to drop; followed tables are not dropped by this. */
  readonly drop?: readonly string[];
  /**
   * Names of followed tables to drop. A name is skipped if no table has it, or if its table is not
   * followed.
   */
  readonly forget?: readonly string[];
  /** Names of existing tables, to be read again. */
  readonly reload?: readonly string[];
}

/** A request's hold on the tables as they were when it came. */
interface Hold {
  readonly database: string;
  /** May be called more than once. */
  readonly release: () => void;
}

interface Replacement {
  readonly drop: readonly string[];
  readonly forget: readonly string[];
  /**
   * Replacements for tables that were read again. A table that was dropped or replaced meanwhile is
   * not changed.
   */
  readonly again: ReadonlySet<DescribedTable>;
  readonly keep: () => Promise<void>;
}

interface Held {
  readonly generation: Generation;
  holds: number;
}

/**
 * The tables of the program. A change makes a new generation of them beside the one that is in
 * use, and then takes its place in one step: queries that run go on with the tables they began
 * with, and nobody waits.
 */
export class TableRegistry extends Catalog {
  override readonly hasLastingTables = true;
  private current: Held | undefined;
  private readonly held = new Map<string, Held>();
  private readonly dropped = new WeakSet<Copy>();
  /** Copies in memory of tables that are asked again. */
  readonly memory: MemoryCopies;
  /** Changes are made one after the other. */
  private readonly changing = new Semaphore(1);

  constructor(
    private readonly workshop: Workshop,
    private readonly logger: Logger,
  ) {
    super();
    const generations = () => [...this.held.values()].map(({ generation }) => generation);
    this.memory = new MemoryCopies(workshop, generations, logger);
  }

  /** Must be called once, before anything else. */
  async open(tables: readonly DescribedTable[]): Promise<void> {
    await this.statements.run(`CREATE DATABASE ${COPIES}`);
    await this.change({ put: tables });
  }

  /**
   * Reads the new tables while queries and other changes go on, then changes all tables in one
   * step.
   * @param keep is called when nothing else can fail, in the order of the changes; its errors are
   *   passed on
   * @throws {MillraceError} INVALID_PARAMETER, STREAM_NOT_FOUND; nothing has changed then
   */
  async change(
    { put = [], drop = [], forget = [], reload = [] }: TableChange,
    keep: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    for (const name of drop) this.droppable(name);
    const again = reload.map((name) => this.known(name).described);
    const all = await Promise.allSettled(
      [...put, ...again].map((table) => prepareTable(table, this.workshop)),
    );
    const prepared = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    try {
      for (const each of all) if (each.status === 'rejected') throw each.reason;
      await this.changing.run(() =>
        this.replace(prepared, { drop, forget, again: new Set(again), keep }),
      );
    } catch (error) {
      // The first tables are all or none: without them the program ends, and the engine with it.
      if (this.current) for (const table of prepared) this.dropOwn(table);
      throw error;
    }
  }

  /** The tables as they are now, until released. */
  hold(): Hold {
    const { current } = this;
    if (!current) throw new MillraceError('NOT_READY', 'the tables are not loaded yet');
    current.holds += 1;
    let released = false;
    return {
      database: current.generation.database,
      release: () => {
        if (released) return;
        released = true;
        current.holds -= 1;
        this.retire(current);
      },
    };
  }

  /** The table that currently has the name. */
  described(name: string): DescribedTable | undefined {
    return this.now().get(name)?.described;
  }

  /** The tables of a generation that somebody holds, by name. */
  prepared(database: string): ReadonlyMap<string, PreparedTable> {
    return this.held.get(database)?.generation.tables ?? new Map<string, PreparedTable>();
  }

  /** Lists the tables as they are now. */
  list(): readonly PreparedTable[] {
    return [...this.now().values()];
  }

  tables({ database }: RequestOrganization): readonly TableDescription[] {
    const tables = this.held.get(database)?.generation.tables ?? this.now();
    return [...tables].map(([name, { columns }]) => describe(name, columns));
  }

  table({ database }: RequestOrganization, name: string): TableDescription | undefined {
    const found = this.held.get(database)?.generation.tables.get(name);
    return found && describe(name, found.columns);
  }

  override missing(_organization: RequestOrganization, name: string): string {
    return `there is no table ${JSON.stringify(name)}`;
  }

  private get statements() {
    return this.workshop.engine.statements;
  }

  private now(): ReadonlyMap<string, PreparedTable> {
    return this.current?.generation.tables ?? new Map<string, PreparedTable>();
  }

  private async replace(
    prepared: readonly PreparedTable[],
    { drop, forget, again, keep }: Replacement,
  ): Promise<void> {
    const tables = new Map(this.now());
    for (const name of drop) {
      this.droppable(name);
      tables.delete(name);
    }
    for (const name of forget) if (tables.get(name)?.described.followed) tables.delete(name);
    for (const table of prepared) {
      const { described } = table;
      const there = tables.get(described.name)?.described;
      const isLate = again.has(described) && there !== described;
      const isTaken = described.followed && there && !there.followed;
      if (isLate || isTaken) this.dropOwn(table);
      else tables.set(described.name, table);
    }
    if (this.isAsBefore(tables)) return void (await keep());
    const generation = await createGeneration(tables, this.statements);
    try {
      await keep();
    } catch (error) {
      await dropGeneration(generation, this.statements);
      throw error;
    }
    const before = this.current;
    this.current = { generation, holds: 0 };
    this.held.set(generation.database, this.current);
    if (before) this.retire(before);
  }

  /** Tables that are read in place have usually not changed. */
  private isAsBefore(tables: ReadonlyMap<string, PreparedTable>): boolean {
    const before = this.now();
    if (!this.current || tables.size !== before.size) return false;
    return [...tables].every(([name, table]) => {
      const there = before.get(name);
      if (there === table) return true;
      return there?.described === table.described && !table.copy && sameView(there, table);
    });
  }

  private known(name: string): PreparedTable {
    const table = this.now().get(name);
    if (table) return table;
    throw new MillraceError('STREAM_NOT_FOUND', `there is no table ${JSON.stringify(name)}`);
  }

  private droppable(name: string): void {
    if (!this.known(name).described.followed) return;
    throw new MillraceError(
      'INVALID_PARAMETER',
      `table ${JSON.stringify(name)} is a stream of the followed organization: it goes when it is deleted there; a table registered by its name takes its place here`,
    );
  }

  /**
   * A generation without readers is dropped, together with the copies that no other generation
   * uses.
   */
  private retire(held: Held): void {
    const { generation } = held;
    if (held === this.current || held.holds > 0 || !this.held.delete(generation.database)) return;
    this.memory.sweep();
    const alive = new Set(
      [...this.held.values()].flatMap((each) =>
        [...each.generation.tables.values()].flatMap(ownTables),
      ),
    );
    dropGeneration(generation, this.statements)
      .then(() => {
        for (const copy of [...generation.tables.values()].flatMap(ownTables))
          if (!alive.has(copy)) this.dropCopy(copy);
      })
      .catch((error: unknown) => this.logger.error({ err: error }, 'old tables stay'));
  }

  private dropOwn(table: PreparedTable): void {
    for (const copy of ownTables(table)) this.dropCopy(copy);
  }

  /** It may be called more than once, because a change that fails late has dropped some already. */
  private dropCopy(copy: Copy): void {
    if (this.dropped.has(copy)) return;
    this.dropped.add(copy);
    dropCopy(copy, this.workshop).catch((error: unknown) =>
      this.logger.error({ err: error }, 'an old copy stays'),
    );
  }
}

/** Tables of the engine that are there for it alone. */
const ownTables = ({ copy, asides }: PreparedTable): readonly Copy[] =>
  copy ? [copy, ...asides] : asides;

const sameView = (one: PreparedTable, other: PreparedTable): boolean =>
  one.select === other.select &&
  one.count === other.count &&
  JSON.stringify(one.columns) === JSON.stringify(other.columns);

/** A cache of the fields within columns, by the list of columns. */
const within = new WeakMap<readonly Column[], readonly FieldWithin[]>();

function describe(name: string, columns: readonly Column[]): TableDescription {
  const fields = within.get(columns) ?? tupleFields(columns);
  within.set(columns, fields);
  return { name, columns, within: fields };
}
