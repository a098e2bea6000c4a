import type { Ddl } from '../ddl.js';
import {
  insertRows,
  ONE_PART_SETTINGS,
  readStoredOffsets,
  selectBatches,
} from '../sql/batch-statements.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import { WriterEpochs, type Claim } from '../sql/writer-epochs.js';
import { FENCED, FencedError, WarehouseError } from '../warehouse-errors.js';
import type { BatchInsert, TableName, WarehouseWriter, WriterFence } from '../warehouse.js';

const SETTINGS = Object.entries(ONE_PART_SETTINGS)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ');

/** Inserts columnar files as parts whose rows carry their queue position. */
export class ChdbWriter implements WarehouseWriter {
  private readonly epochs: WriterEpochs;
  private readonly claims = new Map<number, Claim>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly runner: SqlRunner,
    ddl: Ddl,
  ) {
    this.epochs = new WriterEpochs(runner, ddl);
  }

  async claim(partition: number, epoch: bigint): Promise<void> {
    this.claims.set(partition, await this.epochs.claim(partition, epoch));
    // The engine is in this process, and so is every insert.
    await Promise.allSettled(this.running);
  }

  async insert(insert: BatchInsert): Promise<void> {
    const { fence } = insert;
    const rows = `(${selectBatches(insert.columns, insert.batches)})`;
    const statement = insertRows(insert, rows, fence && this.claimOf(fence));
    const running = this.runner.command(`${statement} SETTINGS ${SETTINGS}`);
    this.running.add(running);
    try {
      await running;
    } catch (error) {
      if (!fence || !(error instanceof WarehouseError) || error.code !== FENCED) throw error;
      throw new FencedError(fence.partition, fence.epoch, { cause: error });
    } finally {
      this.running.delete(running);
    }
  }

  async storedOffsets(
    table: TableName,
    partition: number,
    from: bigint,
    epoch?: bigint,
  ): Promise<Set<bigint>> {
    if (epoch !== undefined) this.claimOf({ partition, epoch });
    return readStoredOffsets(this.runner, table, partition, from);
  }

  private claimOf({ partition, epoch }: WriterFence): Claim {
    const claim = this.claims.get(partition);
    if (claim?.epoch !== epoch) throw new FencedError(partition, epoch);
    return claim;
  }
}
