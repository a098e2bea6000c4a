import { isOfData, passes, WarehouseError } from '@app/warehouse';

/** `count`: again, but not often; `apart`: none of these batches is known to be at fault. */
export type Verdict = 'wait' | 'count' | 'apart' | 'give-up';

/** The tries before a batch that fails for its own reason is set aside. */
const TRIES = 3;

/**
 * Tells how long a table is waited for that takes no batches although the warehouse answers: that has
 * not got it, or a column of it, or fails in a way that nobody has thought of. A node of a cluster
 * that has just taken over lags for seconds, and has three minutes for a statement that all carry
 * out. All batches of the partition wait meanwhile, so it is not for ever.
 */
export const MAX_WAIT_MS = 5 * 60_000;

interface Failing {
  /** The time by a clock that cannot be set. */
  readonly since: number;
  isGivenUp: boolean;
}

/** Knows which tables fail and since when, and decides what happens to a batch that failed. */
export class TableRetryPolicy {
  private readonly failing = new Map<string, Failing>();

  constructor(private readonly maxWaitMs: number) {}

  /** Judges an insert into `table`, or what else is done with it. */
  judge(table: string, error: unknown, tries: number): Verdict {
    const alone = judgeAlone(error, tries);
    if (alone !== 'apart') return alone;
    const failing = this.failing.get(table) ?? { since: performance.now(), isGivenUp: false };
    this.failing.set(table, failing);
    if (performance.now() - failing.since < this.maxWaitMs) return 'wait';
    failing.isGivenUp = true;
    return 'apart';
  }

  /** The next failure is waited for as long again. */
  succeeded(table: string): void {
    this.failing.delete(table);
  }

  /** Tables that are waited for just now. */
  get waitedFor(): number {
    return [...this.failing.values()].filter(({ isGivenUp }) => !isGivenUp).length;
  }
}

/** Judges a batch that has been waited for with others of its table. */
export function judgeAlone(error: unknown, tries: number): Verdict {
  if (!(error instanceof WarehouseError) || passes(error)) return 'wait';
  if (isOfData(error)) return tries < TRIES ? 'count' : 'give-up';
  return 'apart';
}
