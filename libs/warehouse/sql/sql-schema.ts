import { REJECTED_TABLE, ORGANIZATION_PREFIX, OUR_DATABASES, type Ddl } from '../ddl/ddl.js';
import { indexName, isUnfiltered, type IndexKind } from '../ddl/column-indexes.js';
import { quoteText } from '../ddl/identifier.js';
import { newDatabaseName } from '../ddl/database-name.js';
import type { StorageUse } from '../ports/storage-use.js';
import { fullestDisk, storedBytes } from './stored-bytes.js';
import { columnsOf, SqlColumns } from './sql-columns.js';
import { runAll, type SqlRunner } from './sql-runner.js';
import { timeRanges } from './time-ranges.js';
import type {
  Column,
  Indexed,
  RejectedRows,
  StreamStatistics,
  TableName,
  TableStatistics,
  WarehouseSchema,
  WarehouseTable,
} from '../warehouse.js';

interface ColumnRow extends Column {
  readonly database: string;
  readonly table: string;
}

interface StatisticsRow {
  readonly table: string;
  readonly rows: number;
  readonly uncompressed: number;
  readonly compressed: number;
}

interface TableRow {
  readonly database: string;
  readonly name: string;
  readonly comment: string;
  /**
   * The engine, keys, TTL and settings of a table, without the columns, whose names people chose.
   */
  readonly engine_full: string;
}

const COLUMNS = columnsOf(OUR_DATABASES);
const TABLES = `SELECT database, name, comment, engine_full FROM system.tables WHERE ${OUR_DATABASES}`;

/** The days after which rows are deleted, as the engine writes them; 0 when the table has no such rule. */
function retentionOf(definition: string | undefined): number {
  return Number(/ TTL `?_timestamp`? \+ toIntervalDay\((\d+)\)/.exec(definition ?? '')?.[1] ?? 0);
}

const keyOf = ({ database, table }: TableName): string => `${database}.${table}`;

const isIndexed =
  (kind: IndexKind, indexes: ReadonlySet<string> = new Set()) =>
  (column: string): boolean =>
    indexes.has(indexName(kind, column));

/** Manages the rights to read an organization's database. */
interface DatabaseAccess {
  createRole?(database: string): Promise<void>;
  dropRole?(database: string): Promise<void> | void;
  /** Makes a name whose reader exists already. */
  newDatabase?(): string;
}

/** The first and the last time of a table without rows. */
const NO_TIMES = [0, 0] as const;

/** Data definition and table statistics, each call a few statements. */
export class SqlSchema implements WarehouseSchema, StreamStatistics, StorageUse {
  private readonly ofTable: SqlColumns;

  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
    /** The rights of users; undefined where the engine does not know who may do what. */
    private readonly access?: DatabaseAccess,
  ) {
    this.ofTable = new SqlColumns(runner, ddl);
  }

  newDatabase(): string {
    return this.access?.newDatabase?.() ?? newDatabaseName();
  }

  async createDatabase(database: string): Promise<void> {
    await runAll(this.runner, this.ddl.createDatabase(database));
    await this.access?.createRole?.(database);
  }

  /** The right to read is removed first, so that nobody sees a half-deleted database. */
  async dropDatabase(database: string): Promise<void> {
    await this.access?.dropRole?.(database);
    await runAll(this.runner, this.ddl.dropDatabase(database));
  }

  async databases(): Promise<readonly string[]> {
    const rows = await this.runner.rows<{ name: string }>(
      `SELECT name FROM system.databases WHERE startsWith(name, ${quoteText(ORGANIZATION_PREFIX)})`,
    );
    return rows.map(({ name }) => name);
  }

  createTable(table: TableName, columns: readonly Column[], streamId: string): Promise<void> {
    return runAll(this.runner, this.ddl.createTable(table, columns, streamId));
  }

  createRejectedTable(database: string): Promise<void> {
    return runAll(this.runner, this.ddl.createRejectedTable(database));
  }

  addColumns(table: TableName, columns: readonly Column[]): Promise<void> {
    return this.ofTable.add(table, columns);
  }

  /** Indexes that columns of the new types cannot have are dropped before the change, and created again for the new types. */
  async modifyColumns(table: TableName, columns: readonly Column[]): Promise<void> {
    const unfiltered = columns.filter(({ type }) => isUnfiltered(type));
    const found = unfiltered.length > 0 ? await this.indexes() : undefined;
    const has = isIndexed('partition_key', found?.get(keyOf(this.ddl.stored(table))));
    const indexed = unfiltered.filter(({ name }) => has(name));
    const names = indexed.map(({ name }) => indexName('partition_key', name));
    const again = indexed.map(({ name, type }) => ({ indexed: name, type }));
    await runAll(this.runner, this.ddl.dropIndexes(table, names));
    await this.ofTable.modify(table, columns);
    await runAll(this.runner, this.ddl.addIndexes(table, 'partition_key', again));
  }

  dropUntyped(table: TableName, names: readonly string[]): Promise<void> {
    return this.ofTable.dropUntyped(table, names);
  }

  dropTable(table: TableName): Promise<void> {
    return runAll(this.runner, this.ddl.dropTable(table));
  }

  columns(table: TableName): Promise<readonly Column[]> {
    return this.ofTable.columns(table);
  }

  async dropStreamTable(table: TableName, streamId: string): Promise<void> {
    const [found] = await this.find(table);
    if (found?.comment === streamId) await this.dropTable(table);
  }

  async setRetention(table: TableName, days: number): Promise<void> {
    const [found] = await this.find(this.ddl.stored(table));
    if (!found || retentionOf(found.engine_full) === days) return;
    await this.runner.command(this.ddl.setRetention(table, days));
  }

  setSkipIndexes(table: TableName, columns: readonly Indexed[]): Promise<void> {
    return this.setIndexes(table, 'partition_key', columns);
  }

  setTextIndexes(table: TableName, columns: readonly Indexed[]): Promise<void> {
    return this.setIndexes(table, 'full_text', columns);
  }

  private async setIndexes(
    table: TableName,
    kind: IndexKind,
    columns: readonly Indexed[],
  ): Promise<void> {
    const indexes = (await this.indexes()).get(keyOf(this.ddl.stored(table))) ?? new Set<string>();
    const wanted = new Map(columns.map((indexed) => [indexName(kind, indexed), indexed]));
    const surplus = [...indexes].filter((name) => name.startsWith(`${kind}_`) && !wanted.has(name));
    await runAll(this.runner, this.ddl.dropIndexes(table, surplus));
    const types = new Map((await this.columns(table)).map(({ name, type }) => [name, type]));
    const missing = [...wanted].flatMap(([name, indexed]) => {
      const type = typeof indexed === 'string' ? types.get(indexed) : indexed.type;
      return type === undefined || indexes.has(name) ? [] : [{ indexed, type }];
    });
    await runAll(this.runner, this.ddl.addIndexes(table, kind, missing));
  }

  async tables(): Promise<readonly WarehouseTable[]> {
    const [rows, columns, indexes] = await Promise.all([
      this.runner.rows<TableRow>(TABLES),
      this.allColumns(),
      this.indexes(),
    ]);
    const definitions = new Map(
      rows.map(({ database, name, engine_full }) => [
        keyOf({ database, table: name }),
        engine_full,
      ]),
    );
    const shown = rows.filter(({ database }) => database.startsWith(ORGANIZATION_PREFIX));
    return shown.map(({ database, name, comment }) => {
      const table = { database, table: name };
      const stored = keyOf(this.ddl.stored(table));
      const ofTable = columns.get(keyOf(table)) ?? [];
      const names = ofTable.map((column) => column.name);
      const indexed = indexes.get(stored);
      return {
        ...table,
        streamId: comment,
        columns: ofTable,
        retentionDays: retentionOf(definitions.get(stored)),
        skipIndexes: names.filter(isIndexed('partition_key', indexed)),
        textIndexes: names.filter(isIndexed('full_text', indexed)),
      };
    });
  }

  async rejectedStreams(database: string): Promise<readonly string[]> {
    const rows = await this.runner.rows<{ id: string }>(
      'SELECT DISTINCT partition AS id FROM system.parts WHERE active AND database = {database:String} AND table = {table:String}',
      { database, table: REJECTED_TABLE },
    );
    return rows.map(({ id }) => id);
  }

  dropRejected(database: string, streamId: string): Promise<void> {
    return this.runner.command(this.ddl.dropRejected(database, streamId));
  }

  private find({ database, table }: TableName): Promise<TableRow[]> {
    const named = `${TABLES} AND database = {database:String} AND name = {table:String}`;
    return this.runner.rows<TableRow>(named, { database, table });
  }

  async removeRejected(
    database: string,
    streamId: string,
    rows: readonly RejectedRows[],
  ): Promise<void> {
    if (rows.length > 0)
      await this.runner.command(this.ddl.removeRejected(database, streamId, rows));
  }

  /** The names of indexes, by table. */
  private async indexes(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const indexes = new Map<string, Set<string>>();
    for (const { name, ...table } of await this.runner.rows<TableName & { readonly name: string }>(
      `SELECT database, table, name FROM system.data_skipping_indices WHERE ${OUR_DATABASES}`,
    )) {
      const key = keyOf(table);
      indexes.set(key, (indexes.get(key) ?? new Set()).add(name));
    }
    return indexes;
  }

  private async allColumns(): Promise<ReadonlyMap<string, readonly Column[]>> {
    const tables = new Map<string, Column[]>();
    for (const { name, type, ...table } of await this.runner.rows<ColumnRow>(
      `${COLUMNS} ORDER BY database, table, position`,
    )) {
      const key = keyOf(table);
      const columns = tables.get(key) ?? [];
      columns.push({ name, type });
      tables.set(key, columns);
    }
    return tables;
  }

  async statistics(
    database: string,
    tables: readonly string[],
  ): Promise<ReadonlyMap<string, TableStatistics>> {
    const parts = await this.runner.rows<StatisticsRow>(
      `SELECT t.name AS table, toFloat64(sum(p.rows)) AS rows, toFloat64(sum(p.data_uncompressed_bytes)) AS uncompressed, toFloat64(sum(p.bytes_on_disk)) AS compressed
       FROM system.tables AS t LEFT JOIN (SELECT table, rows, data_uncompressed_bytes, bytes_on_disk FROM ${this.ddl.parts} WHERE active AND database = {stored:String}) AS p ON p.table = t.name
       WHERE t.database = {database:String} AND t.name IN {tables:Array(String)} GROUP BY t.name`,
      { database, tables, stored: this.ddl.stored({ database, table: '' }).database },
    );
    const filled = parts.filter(({ rows }) => rows > 0).map(({ table }) => table);
    const ranges = await timeRanges(this.runner, database, filled);
    const known = parts.flatMap(({ table, rows, uncompressed, compressed }) => {
      const range = rows === 0 ? NO_TIMES : ranges.get(table);
      if (!range) return [];
      const [timeMin, timeMax] = range;
      const sizes = { uncompressedBytes: uncompressed, compressedBytes: compressed };
      return [[table, { rows, timeMin, timeMax, ...sizes }] as const];
    });
    return new Map(known);
  }

  keptBytes(): Promise<ReadonlyMap<string, number>> {
    return storedBytes(this.runner, this.ddl);
  }

  disk(): Promise<{ readonly free: number; readonly size: number }> {
    return fullestDisk(this.runner, this.ddl);
  }

  async version(table: TableName): Promise<string | undefined> {
    if (this.ddl.stored(table).database !== table.database) return undefined;
    const [found] = await this.runner.rows<{ version: string }>(
      `SELECT hex(sipHash128(toString(any(t.uuid)), any(t.create_table_query), arraySort(groupArray((p.name, p.hash_of_all_files))))) AS version
       FROM system.tables AS t LEFT JOIN (SELECT table, name, hash_of_all_files FROM ${this.ddl.parts} WHERE active AND database = {database:String}) AS p ON p.table = t.name
       WHERE t.database = {database:String} AND t.name = {table:String} GROUP BY t.name`,
      { ...table },
    );
    return found?.version;
  }
}
