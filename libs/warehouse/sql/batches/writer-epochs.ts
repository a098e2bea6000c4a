import { randomUUID } from 'node:crypto';
import { qualified, WRITER_EPOCHS, type Ddl } from '../../ddl/ddl.js';
import { quoteText } from '../../ddl/identifier.js';
import { FencedError } from '../../warehouse-errors.js';
import { runAll, type SqlRunner } from '../sql-runner.js';

/**
 * A claim to write a partition's batches. The greatest claim is valid; claims compare by their
 * fields, in order.
 */
export interface Claim {
  readonly partition: number;
  readonly epoch: bigint;
  /** Counts claims of the same epoch. */
  readonly attempt: bigint;
  /** Distinguishes two claims at the same time. */
  readonly claimant: string;
}

interface ClaimRow {
  readonly epoch: string;
  readonly attempt: string;
  readonly claimant: string;
}

const TABLE = qualified(WRITER_EPOCHS);
const NEWEST = 'max((epoch, attempt, claimant))';

/** The claims of all writers, in a table of the warehouse, so that the engine itself can compare them. */
export class WriterEpochs {
  private made: Promise<void> | undefined;

  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
  ) {}

  /**
   * Claims a partition. From then on, an insert with an older claim finds out that its claim is
   * old. An insert that has begun may still run.
   * @param epoch without one, the next after the newest.
   * @throws {FencedError} when there is a newer one.
   */
  async claim(partition: number, epoch?: bigint): Promise<Claim> {
    await this.make();
    const newest = await this.newest(partition);
    const wanted = epoch ?? (newest ? newest.epoch + 1n : 1n);
    if (newest && newest.epoch > wanted) throw new FencedError(partition, wanted);
    const attempt = newest?.epoch === wanted ? newest.attempt + 1n : 1n;
    const claim: Claim = { partition, epoch: wanted, attempt, claimant: randomUUID() };
    await this.runner.command(
      `INSERT INTO ${TABLE} (partition, epoch, attempt, claimant) VALUES (${partition}, ${valuesOf(claim)})`,
    );
    const winner = await this.newest(partition);
    if (winner?.claimant !== claim.claimant) throw new FencedError(partition, wanted);
    return claim;
  }

  /** Tells whether nobody has claimed the partition since. */
  async isNewest({ partition, claimant }: Claim): Promise<boolean> {
    return (await this.newest(partition))?.claimant === claimant;
  }

  private async newest(partition: number): Promise<Claim | undefined> {
    const [row] = await this.runner.rows<ClaimRow>(
      `SELECT toString(newest.1) AS epoch, toString(newest.2) AS attempt, newest.3 AS claimant
       FROM (SELECT ${NEWEST} AS newest FROM ${TABLE} WHERE partition = ${partition} HAVING count() > 0)`,
    );
    if (!row) return undefined;
    const { epoch, attempt, claimant } = row;
    return { partition, epoch: BigInt(epoch), attempt: BigInt(attempt), claimant };
  }

  private make(): Promise<void> {
    this.made ??= runAll(this.runner, this.ddl.createWriterEpochs()).catch((error: unknown) => {
      this.made = undefined;
      throw error;
    });
    return this.made;
  }
}

const valuesOf = ({ epoch, attempt, claimant }: Claim): string =>
  `${epoch}, ${attempt}, ${quoteText(claimant)}`;

/** SQL: true, or the engine's error number {@link FENCED} when there is a newer claim. */
export const isNewest = (claim: Claim): string =>
  `(SELECT throwIf(${NEWEST} > (${valuesOf(claim)}), 'a newer writer has claimed the partition') FROM ${TABLE} WHERE partition = ${claim.partition}) = 0`;
