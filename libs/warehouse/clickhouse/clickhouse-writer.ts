import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClickHouseSettings } from '@clickhouse/client';
import { POSITION_COLUMNS, type Ddl } from '../ddl.js';
import { quoteText } from '../identifier.js';
import {
  insertRows,
  ONE_PART_SETTINGS,
  readStoredOffsets,
  selectBatches,
} from '../sql/batch-statements.js';
import type { BatchInsert, LocalEngine, TableName, WarehouseWriter } from '../warehouse.js';
import {
  FENCED,
  FencedError,
  NETWORK_ERROR,
  toWarehouseError,
  WarehouseError,
} from '../warehouse-errors.js';
import { runAll } from '../sql/sql-runner.js';
import type { Claim } from '../sql/writer-epochs.js';
import type { ClickHouseConnection } from './clickhouse-connection.js';
import { idPrefix, type PartitionClaims } from './partition-claims.js';

/** Passes: the batches are read back and inserted again. */
const ABORTED = 236;

const SETTINGS: ClickHouseSettings = Object.fromEntries(
  Object.entries(ONE_PART_SETTINGS).map(([name, value]) => [name, String(value)]),
);

/** Another replica has it too before it counts; and who is the newest writer is asked of all. */
const CLUSTER_SETTINGS: ClickHouseSettings = {
  insert_quorum: 'auto',
  select_sequential_consistency: '1',
};

/**
 * Inserts batches as one part. The server cannot read our files, so the engine in this process
 * makes one file of them, each row with its position, which is the data of one INSERT. Each insert
 * is fenced; without an epoch of the caller's by one of its own, newer than all there were.
 */
export class ClickHouseWriter implements WarehouseWriter {
  private readonly settings: ClickHouseSettings;

  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly ddl: Ddl,
    private readonly claims: PartitionClaims,
    private readonly engine: LocalEngine,
    /** Absolute; for files on their way. What is there was left by a process that is gone. */
    private readonly directory: string,
  ) {
    this.settings = ddl.cluster === undefined ? SETTINGS : { ...SETTINGS, ...CLUSTER_SETTINGS };
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }

  async claim(partition: number, epoch: bigint): Promise<void> {
    await this.claims.claim(partition, epoch);
  }

  async insert(insert: BatchInsert): Promise<void> {
    const { batches, fence } = insert;
    const [first] = batches;
    if (!first) return;
    const claim = await this.claims.current(first.position.partition, fence?.epoch);
    const file = join(this.directory, `${randomUUID()}.native.zst`);
    try {
      const structure = await this.write(insert, file);
      const table = this.ddl.stored(insert.table);
      const rows = `input(${quoteText(structure)})`;
      const query = `${insertRows({ ...insert, table }, rows, claim)} FORMAT Native`;
      await this.connection.send({
        query,
        file,
        settings: this.settings,
        id: `${idPrefix(claim)}${randomUUID()}`,
      });
    } catch (error) {
      throw await this.outcome(claim, toWarehouseError(error));
    } finally {
      await rm(file, { force: true });
    }
  }

  async storedOffsets(
    table: TableName,
    partition: number,
    from: bigint,
    epoch?: bigint,
  ): Promise<Set<bigint>> {
    await this.claims.current(partition, epoch);
    await runAll(this.connection, this.ddl.catchUp(table));
    return readStoredOffsets(this.connection, table, partition, from);
  }

  /** @returns what `input()` is to read from the file. */
  private async write({ columns, batches }: BatchInsert, file: string): Promise<string> {
    const target = `file(${quoteText(file)}, Native)`;
    // By number: the statement would name every column of a wide table several times.
    const names = [...columns, ...POSITION_COLUMNS].map((_, index) => `c${index}`).join(', ');
    await this.engine.run(
      `INSERT INTO FUNCTION ${target} WITH rows(${names}) AS (${selectBatches(columns, batches)}) SELECT * FROM rows`,
    );
    return this.structure(target);
  }

  private async outcome(claim: Claim, error: WarehouseError): Promise<WarehouseError> {
    if (error.code === NETWORK_ERROR) this.claims.doubt(claim);
    if (error.code !== FENCED) return error;
    if (await this.claims.isOutrunByOwn(claim))
      return new WarehouseError(ABORTED, 'ABORTED', 'given up for another insert', {
        cause: error,
      });
    return new FencedError(claim.partition, claim.epoch, { cause: error });
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
