import { Inject, Injectable } from '@nestjs/common';
import { RateLimiter, Semaphore } from '@app/flow';
import { MillraceError } from '@app/platform';
import type { QueryProgress } from '@app/warehouse';

/** The limits of all queries of one organization together. */
export interface OrganizationQueryLimits {
  /** This many queries run at once; others wait for their turn. */
  readonly running: number;
  /** If so many queries wait, further ones are refused. */
  readonly waiting: number;
  /** The longest time that a query may wait. */
  readonly waitSeconds: number;
  /** The seconds of all queries together in a minute. */
  readonly seconds: number;
  /** The bytes that are sent to clients in a minute, before compression. */
  readonly resultBytes: number;
  /** The rows that the engine reads in a minute. */
  readonly readRows: number;
  readonly readBytes: number;
}

export const ORGANIZATION_QUERY_LIMITS = Symbol('ORGANIZATION_QUERY_LIMITS');

/** The turn of a query, which ends when the query reports what it used. */
export interface Turn {
  /** May be called more than once; the first call counts. */
  end(resultBytes: number, read?: QueryProgress): void;
}

/** The resources for which an organization has an allowance. */
type Allowed = 'seconds' | 'resultBytes' | 'readRows' | 'readBytes';

const WORDS: Readonly<Record<Allowed, string>> = {
  seconds: 'seconds of queries',
  resultBytes: 'bytes of results',
  readRows: 'rows read',
  readBytes: 'bytes read',
};
const ALLOWED = Object.keys(WORDS) as Allowed[];

const MINUTE_SECONDS = 60;

/**
 * Keeps one organization's queries from taking everything: so many run at a time, in order, and
 * they may use so much a minute. The usage of a query is known only when it has ended, so one query
 * may exceed the rest of the allowance; the next ones wait until time has made up for it.
 */
@Injectable()
export class OrganizationQueries {
  private readonly running = new Map<string, Semaphore>();
  private readonly allowances: Readonly<Record<Allowed, RateLimiter>>;

  constructor(@Inject(ORGANIZATION_QUERY_LIMITS) private readonly limits: OrganizationQueryLimits) {
    const perMinute = (burst: number): RateLimiter =>
      new RateLimiter({ perSecond: burst / MINUTE_SECONDS, burst });
    this.allowances = {
      seconds: perMinute(limits.seconds),
      resultBytes: perMinute(limits.resultBytes),
      readRows: perMinute(limits.readRows),
      readBytes: perMinute(limits.readBytes),
    };
  }

  /** @throws {MillraceError} TOO_MANY_REQUESTS; the signal's reason when it is aborted while waiting */
  async enter(share: string, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    this.checkAllowance(share);
    const running = this.running.get(share) ?? new Semaphore(this.limits.running);
    this.running.set(share, running);
    const release = await this.turn(running, signal);
    const startedAt = performance.now();
    let ended = false;
    return {
      end: (resultBytes, read) => {
        if (ended) return;
        ended = true;
        const { allowances } = this;
        allowances.seconds.use(share, (performance.now() - startedAt) / 1000);
        allowances.resultBytes.use(share, resultBytes);
        allowances.readRows.use(share, read?.rowsRead ?? 0);
        allowances.readBytes.use(share, read?.bytesRead ?? 0);
        release();
        if (running.isIdle) this.running.delete(share);
      },
    };
  }

  private checkAllowance(share: string): void {
    for (const each of ALLOWED) {
      const wait = this.allowances[each].wait(share, 0);
      if (wait === 0) continue;
      throw tooMany(
        `${this.limits[each]} ${WORDS[each]} a minute are used up; wait, or ask for less`,
        Math.ceil(wait / 1000) + 1,
      );
    }
  }

  /** @returns the function that ends the turn */
  private async turn(running: Semaphore, signal: AbortSignal): Promise<() => void> {
    const { running: most, waiting, waitSeconds } = this.limits;
    if (!running.isFull) return running.acquire();
    if (running.waiting >= waiting)
      throw tooMany(`${most} queries run and ${waiting} wait; send fewer at a time`, 1);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(tooMany(`no turn within ${waitSeconds} s: other queries run`, waitSeconds));
    }, waitSeconds * 1000);
    try {
      return await running.acquire(AbortSignal.any([signal, late.signal]));
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooMany(message: string, retryAfterSeconds: number): MillraceError {
  return new MillraceError('TOO_MANY_REQUESTS', message, { retryAfterSeconds });
}
