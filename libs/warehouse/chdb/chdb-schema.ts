import * as ddl from '../ddl.js';
import type { ClientPool } from './client-pool.js';
import type {
  Column,
  StreamStatistics,
  TableName,
  TableStatistics,
  WarehouseSchema,
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

const COLUMNS =
  "SELECT database, table, name, type FROM system.columns WHERE default_kind != 'MATERIALIZED' AND database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')";

/** Data definition and table statistics, through the client. */
export class ChdbSchema implements WarehouseSchema, StreamStatistics {
  constructor(private readonly clients: ClientPool) {}

  createDatabase(database: string): Promise<void> {
    return this.clients.command(ddl.createDatabase(database));
  }

  createTable(table: TableName, columns: readonly Column[]): Promise<void> {
    return this.clients.command(ddl.createTable(table, columns));
  }

  createRejectedTable(database: string): Promise<void> {
    return this.createTable({ database, table: ddl.REJECTED_TABLE }, ddl.REJECTED_COLUMNS);
  }

  addColumns(table: TableName, columns: readonly Column[]): Promise<void> {
    return columns.length === 0
      ? Promise.resolve()
      : this.clients.command(ddl.addColumns(table, columns));
  }

  modifyColumn(table: TableName, column: Column): Promise<void> {
    return this.clients.command(ddl.modifyColumn(table, column));
  }

  dropTable(table: TableName): Promise<void> {
    return this.clients.command(ddl.dropTable(table));
  }

  async columns({ database, table }: TableName): Promise<readonly Column[]> {
    const rows = await this.clients.rows<ColumnRow>(
      `${COLUMNS} AND database = {database:String} AND table = {table:String} ORDER BY position`,
      { database, table },
    );
    return rows.map(({ name, type }) => ({ name, type }));
  }

  async allColumns(): Promise<ReadonlyMap<string, readonly Column[]>> {
    const tables = new Map<string, Column[]>();
    for (const { database, table, name, type } of await this.clients.rows<ColumnRow>(
      `${COLUMNS} ORDER BY database, table, position`,
    )) {
      const key = `${database}.${table}`;
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
    const parts = await this.clients.rows<StatisticsRow>(
      `SELECT t.name AS table, toFloat64(sum(p.rows)) AS rows, toFloat64(sum(p.data_uncompressed_bytes)) AS uncompressed, toFloat64(sum(p.bytes_on_disk)) AS compressed
       FROM system.tables AS t LEFT JOIN (SELECT * FROM system.parts WHERE active) AS p ON p.database = t.database AND p.table = t.name
       WHERE t.database = {database:String} AND t.name IN {tables:Array(String)} GROUP BY t.name`,
      { database, tables },
    );
    const entries = parts.map(async (part): Promise<[string, TableStatistics]> => {
      const [timeMin, timeMax] =
        part.rows > 0 ? await this.timeRange({ database, table: part.table }) : [0, 0];
      return [
        part.table,
        {
          rows: part.rows,
          timeMin,
          timeMax,
          uncompressedBytes: part.uncompressed,
          compressedBytes: part.compressed,
        },
      ];
    });
    return new Map(await Promise.all(entries));
  }

  private async timeRange(table: TableName): Promise<[number, number]> {
    const [range] = await this.clients.rows<{ low: number; high: number }>(
      `SELECT toFloat64(toUnixTimestamp64Micro(min(_timestamp))) AS low, toFloat64(toUnixTimestamp64Micro(max(_timestamp))) AS high FROM ${ddl.qualified(table)}`,
    );
    return [range?.low ?? 0, range?.high ?? 0];
  }
}
