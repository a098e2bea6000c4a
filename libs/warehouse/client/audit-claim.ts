import { randomUUID } from 'node:crypto';
import type { AuditFence } from '../sql/sql-audit-tables.js';
import { isNewest, type Claim } from '../sql/batches/writer-epochs.js';
import {
  FENCED,
  FencedError,
  NETWORK_ERROR,
  toWarehouseError,
  type WarehouseError,
} from '../warehouse-errors.js';
import { idPrefix, type PartitionClaims } from './partition-claims.js';

/** The engine's error number for a statement that another one has ended. */
const CANCELLED = 394;
/** The number of a partition that no queue has: see `FIRST_PARTITIONS` of the ingest queue. */
const PARTITION = 2 ** 32 - 1;

/** Lets one process at a time append to the audit trail, as one has each partition of the queue. */
export class AuditClaim implements AuditFence {
  constructor(private readonly claims: PartitionClaims) {}

  async claim(): Promise<void> {
    await this.claims.claim(PARTITION);
  }

  holds(): Promise<boolean> {
    return this.claims.holds(PARTITION);
  }

  settle(): Promise<void> {
    return this.claims.settle(PARTITION);
  }

  async insert(run: (condition: string, id: string) => Promise<void>): Promise<void> {
    const standing = this.claims.standingOf(PARTITION);
    if (!standing) throw new FencedError(PARTITION, 0n);
    const claim = await this.claims.current(PARTITION, standing.epoch);
    try {
      await run(isNewest(claim), `${idPrefix(claim)}${randomUUID()}`);
    } catch (error) {
      const failure = toWarehouseError(error);
      if (failure.code === NETWORK_ERROR) this.claims.doubt(claim);
      if (failure.code !== FENCED && !(await this.wasEnded(failure, claim))) throw failure;
      throw new FencedError(PARTITION, claim.epoch, { cause: failure });
    }
  }

  /**
   * A process that claims first ends running inserts of others, and then its claim takes effect.
   * The same holds if this process claims again because an answer was lost.
   */
  private async wasEnded({ code }: WarehouseError, claim: Claim): Promise<boolean> {
    if (code !== CANCELLED) return false;
    return (await this.claims.laterOwn(claim)) !== undefined || !(await this.holds());
  }
}
