import { setTimeout as sleep } from 'node:timers/promises';
import type { Ddl } from '../ddl/ddl.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import { WriterEpochs, type Claim } from '../sql/batches/writer-epochs.js';
import { FencedError } from '../warehouse-errors.js';

/** The pause between checks whether an insert that was cancelled has ended. */
const LOOK_MS = 100;
const PREFIX = 'millrace-insert-';

/** The prefix of the server's ids of inserts with this claim. */
export const idPrefix = ({ partition, epoch, attempt }: Claim): string =>
  `${PREFIX}${partition}-${epoch}-${attempt}-`;

interface Standing {
  readonly claim: Claim;
  /** An insert with this claim may still be on its way, or may be running. */
  isDoubtful: boolean;
}

/**
 * This process's claims on partitions. An insert whose answer was lost may still be on its way to
 * the server, or run there: in that case the partition is claimed again before anything is read or
 * sent, so that the lost insert is refused if it still arrives.
 */
export class PartitionClaims {
  private readonly epochs: WriterEpochs;
  private readonly standing = new Map<number, Standing>();
  private readonly claiming = new Map<number, Promise<Claim>>();

  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
  ) {
    this.epochs = new WriterEpochs(runner, ddl);
  }

  /** Claims again, and waits until no insert with an older claim runs. @throws {FencedError} */
  claim(partition: number, epoch?: bigint): Promise<Claim> {
    const before = this.claiming.get(partition)?.catch(() => undefined);
    const claiming = Promise.resolve(before).then(() => this.make(partition, epoch));
    this.claiming.set(partition, claiming);
    return claiming.finally(() => {
      if (this.claiming.get(partition) === claiming) this.claiming.delete(partition);
    });
  }

  /**
   * The current claim, which is made if there is none.
   * @throws {FencedError} if another one has a greater epoch.
   */
  async current(partition: number, epoch?: bigint): Promise<Claim> {
    await this.claiming.get(partition)?.catch(() => undefined);
    const { claim, isDoubtful } = this.standing.get(partition) ?? {};
    const wanted = epoch ?? claim?.epoch;
    if (!claim || isDoubtful) return this.claim(partition, wanted);
    if (wanted === claim.epoch) return claim;
    if (wanted !== undefined && wanted < claim.epoch) throw new FencedError(partition, wanted);
    return this.claim(partition, wanted);
  }

  /** The outcome of an insert with this claim is unknown. */
  doubt(claim: Claim): void {
    const standing = this.standing.get(claim.partition);
    if (standing?.claim === claim) standing.isDoubtful = true;
  }

  /** The current claim; undefined if there is none. */
  standingOf(partition: number): Claim | undefined {
    return this.standing.get(partition)?.claim;
  }

  /** Tells whether this process has a claim that is the newest of all. */
  async holds(partition: number): Promise<boolean> {
    const claim = this.standingOf(partition);
    return claim !== undefined && (await this.epochs.isNewest(claim));
  }

  /** Resolves when the outcome of every insert of this process is known. @throws {FencedError} */
  async settle(partition: number): Promise<void> {
    const standing = this.standing.get(partition);
    if (standing?.isDoubtful === true) await this.claim(partition, standing.claim.epoch);
  }

  /** Tells whether a later claim of this process for the same epoch has replaced this one. */
  async isOutrunByOwn(claim: Claim): Promise<boolean> {
    return (await this.laterOwn(claim))?.epoch === claim.epoch;
  }

  /** The claim of this process that has replaced this one, in whatever epoch. */
  async laterOwn(claim: Claim): Promise<Claim | undefined> {
    await this.claiming.get(claim.partition)?.catch(() => undefined);
    const own = this.standing.get(claim.partition)?.claim;
    return own === claim ? undefined : own;
  }

  private async make(partition: number, epoch?: bigint): Promise<Claim> {
    const claim = await this.epochs.claim(partition, epoch).catch((error: unknown) => {
      if (error instanceof FencedError) this.standing.delete(partition);
      throw error;
    });
    const older = `startsWith(query_id, '${PREFIX}${partition}-') AND NOT startsWith(query_id, '${idPrefix(claim)}')`;
    for (;;) {
      await this.runner.command(this.ddl.kill(older));
      const left = await this.runner.rows(
        `SELECT query_id FROM ${this.ddl.processes} WHERE ${older}`,
      );
      if (left.length === 0) break;
      await sleep(LOOK_MS);
    }
    this.standing.set(partition, { claim, isDoubtful: false });
    return claim;
  }
}
