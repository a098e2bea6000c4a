import { randomUUID } from 'node:crypto';
import type { ClickHouseSettings } from '@clickhouse/client';
import type { Ddl } from '../ddl/ddl.js';
import {
  insertRows,
  ONE_PART_SETTINGS,
  readStoredOffsets,
} from '../sql/batches/batch-statements.js';
import type { BatchInsert, TableName, WarehouseWriter } from '../warehouse.js';
import {
  FENCED,
  FencedError,
  NETWORK_ERROR,
  toWarehouseError,
  WarehouseError,
} from '../warehouse-errors.js';
import { runAll } from '../sql/sql-runner.js';
import type { Claim } from '../sql/batches/writer-epochs.js';
import type { BatchSource } from './batch-source.js';
import type { ClickHouseConnection } from './clickhouse-connection.js';
import { idPrefix, type PartitionClaims } from './partition-claims.js';

/** This failure is temporary: the batches are read back and inserted again. */
const ABORTED = 236;

const SETTINGS: ClickHouseSettings = Object.fromEntries(
  Object.entries(ONE_PART_SETTINGS).map(([name, value]) => [name, String(value)]),
);

/**
 * A row counts only when another replica also has it. All replicas are asked for the newest writer.
 */
const CLUSTER_SETTINGS: ClickHouseSettings = {
  insert_quorum: 'auto',
  select_sequential_consistency: '1',
};

/**
 * Inserts batches as one part. Each insert is fenced, by the caller's epoch, or by a new one that
 * is newer than all before.
 */
export class ClickHouseWriter implements WarehouseWriter {
  private readonly settings: ClickHouseSettings;

  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly ddl: Ddl,
    private readonly claims: PartitionClaims,
    private readonly source: BatchSource,
  ) {
    this.settings = ddl.cluster === undefined ? SETTINGS : { ...SETTINGS, ...CLUSTER_SETTINGS };
  }

  async claim(partition: number, epoch: bigint): Promise<void> {
    await this.claims.claim(partition, epoch);
  }

  async insert(insert: BatchInsert): Promise<void> {
    const { batches, fence } = insert;
    const [first] = batches;
    if (!first) return;
    const claim = await this.claims.current(first.position.partition, fence?.epoch);
    try {
      await this.source.offer(insert, async ({ rows, settings: reading, file }) => {
        const table = this.ddl.stored(insert.table);
        const query = insertRows({ ...insert, table }, rows, claim);
        const id = `${idPrefix(claim)}${randomUUID()}`;
        const settings = { ...this.settings, ...reading };
        if (file === undefined) await this.connection.run({ query, settings, id });
        else await this.connection.run({ query: `${query} FORMAT Native`, settings, id, file });
      });
    } catch (error) {
      throw await this.outcome(claim, toWarehouseError(error));
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

  private async outcome(claim: Claim, error: WarehouseError): Promise<WarehouseError> {
    if (error.code === NETWORK_ERROR) this.claims.doubt(claim);
    if (error.code !== FENCED) return error;
    if (await this.claims.isOutrunByOwn(claim))
      return new WarehouseError(ABORTED, 'ABORTED', 'given up for another insert', {
        cause: error,
      });
    return new FencedError(claim.partition, claim.epoch, { cause: error });
  }
}
