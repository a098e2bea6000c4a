import { isOfData, passes, TableAsideError, WarehouseError } from '@app/warehouse';

/**
 * `count`: try again, but not often; `apart`: none of these batches is known to be at fault, so
 * each is tried alone.
 */
export type Verdict = 'wait' | 'count' | 'apart' | 'give-up';

/** The number of attempts before a batch that is itself at fault is set aside. */
const TRIES = 3;

/**
 * The writer waits so long for a table that takes no batches although the warehouse answers: the
 * table or a column is missing, or the failure is unknown. A node of a cluster that has just taken
 * over lags for seconds, and has three minutes for a statement that all carry out. All batches of
 * the partition wait meanwhile, so it is not for ever.
 */
export const MAX_WAIT_MS = 5 * 60_000;

interface Failing {
  /** The time by a clock that cannot be set. */
  readonly since: number;
  isGivenUp: boolean;
}

/** Remembers which tables fail and since when, and decides what happens to a batch that failed. */
export class TableRetryPolicy {
  private readonly failing = new Map<string, Failing>();

  constructor(private readonly maxWaitMs: number) {}

  /** Decides about a failed insert into `table`, or about other failed work on it. */
  judge(table: string, error: unknown, tries: number): Verdict {
    const alone = judgeAlone(error, tries);
    if (alone !== 'apart') return alone;
    const failing = this.failing.get(table) ?? { since: performance.now(), isGivenUp: false };
    this.failing.set(table, failing);
    if (performance.now() - failing.since < this.maxWaitMs) return 'wait';
    failing.isGivenUp = true;
    return 'apart';
  }

  /** After the next failure the writer waits as long again. */
  succeeded(table: string): void {
    this.failing.delete(table);
  }

  /** The tables that the writer waits for now. */
  get waitedFor(): number {
    return [...this.failing.values()].filter(({ isGivenUp }) => !isGivenUp).length;
  }
}

/** Decides about a batch that has waited together with others of its table. */
export function judgeAlone(error: unknown, tries: number): Verdict {
  // No other process has the table, and this one will not have it either.
  if (error instanceof TableAsideError) return 'give-up';
  if (!(error instanceof WarehouseError) || passes(error)) return 'wait';
  if (isOfData(error)) return tries < TRIES ? 'count' : 'give-up';
  return 'apart';
}
