import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClickHouseSettings } from '@clickhouse/client';
import { POSITION_COLUMNS } from '../ddl.js';
import { quoteText } from '../identifier.js';
import {
  insertRows,
  ONE_PART_SETTINGS,
  readStoredOffsets,
  selectBatches,
} from '../sql/batch-statements.js';
import type { BatchInsert, LocalEngine, TableName, WarehouseWriter } from '../warehouse.js';
import type { ClickHouseConnection } from './clickhouse-connection.js';

const SETTINGS: ClickHouseSettings = Object.fromEntries(
  Object.entries(ONE_PART_SETTINGS).map(([name, value]) => [name, String(value)]),
);

/**
 * Inserts batches as one part. The server cannot read our files, so the engine in this process
 * makes one file of them, each row with its position, which is the data of one INSERT.
 */
export class ClickHouseWriter implements WarehouseWriter {
  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly engine: LocalEngine,
    /** Absolute; for files on their way. What is there was left by a process that is gone. */
    private readonly directory: string,
  ) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }

  async insert({ batches, ...insert }: BatchInsert): Promise<void> {
    const id = randomUUID();
    const file = join(this.directory, `${id}.native.zst`);
    try {
      const source = `file(${quoteText(file)}, Native)`;
      // By number: names of many columns would be too long for the address of a request.
      const names = [...insert.columns, ...POSITION_COLUMNS].map((_, index) => `c${index}`);
      const rows = selectBatches(insert.columns, batches);
      await this.engine.run(
        `INSERT INTO FUNCTION ${source} WITH rows(${names.join(', ')}) AS (${rows}) SELECT * FROM rows`,
      );
      const structure = await this.structure(source);
      const statement = insertRows(insert, `input(${quoteText(structure)})`);
      await this.connection.send(`${statement} FORMAT Native`, file, SETTINGS, id);
    } finally {
      await rm(file, { force: true });
    }
  }

  storedOffsets(table: TableName, partition: number, from: bigint): Promise<Set<bigint>> {
    return readStoredOffsets(this.connection, table, partition, from);
  }

  /** Names and types as `input()` takes them. */
  private async structure(source: string): Promise<string> {
    const description = await this.engine.run(`DESCRIBE TABLE ${source}`);
    return description
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t', 2).join(' '))
      .join(', ');
  }
}
