import { Inject, Injectable } from '@nestjs/common';
import { Semaphore } from '@app/flow';
import { MillraceError } from '@app/platform';
import type { QueryProgress } from '@app/warehouse';

/** Bounds of all queries of one organization together. */
export interface OrganizationQueryLimits {
  /** At the same time; more wait for their turn. */
  readonly running: number;
  /** More than so many waiting are turned away. */
  readonly waiting: number;
  /** Longest wait. */
  readonly waitSeconds: number;
  /** The seconds of all queries together in a minute. */
  readonly seconds: number;
  /** Sent to clients, before compression, per minute. */
  readonly resultBytes: number;
  /** Read by the engine, per minute. */
  readonly readRows: number;
  readonly readBytes: number;
}

export const ORGANIZATION_QUERY_LIMITS = Symbol('ORGANIZATION_QUERY_LIMITS');

/** A query's turn, until it is told what it took. */
export interface Turn {
  /** May be told more than once; the first counts. */
  end(resultBytes: number, read?: QueryProgress): void;
}

/** The things that an organization has an allowance of. */
type Allowed = 'seconds' | 'resultBytes' | 'readRows' | 'readBytes';

const WORDS: Readonly<Record<Allowed, string>> = {
  seconds: 'seconds of queries',
  resultBytes: 'bytes of results',
  readRows: 'rows read',
  readBytes: 'bytes read',
};
const ALLOWED = Object.keys(WORDS) as Allowed[];

interface Account {
  readonly running: Semaphore;
  /** The rest of a minute's allowance. It is below 0 until it is made good. */
  readonly left: Record<Allowed, number>;
  refilledAt: number;
}

const MINUTE_MS = 60_000;

/**
 * Keeps one organization's queries from taking everything: so many at a time, in order, and so much
 * a minute. What a query takes is known when it has ended, so one may go below what is left; the
 * next ones wait until it is made good.
 */
@Injectable()
export class OrganizationQueries {
  private readonly accounts = new Map<string, Account>();

  constructor(
    @Inject(ORGANIZATION_QUERY_LIMITS) private readonly limits: OrganizationQueryLimits,
  ) {}

  /** @throws {MillraceError} TOO_MANY_REQUESTS; the signal's reason when it is aborted while waiting */
  async enter(share: string, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    const account = this.account(share);
    this.checkAllowance(account);
    const release = await this.turn(account, signal);
    const startedAt = performance.now();
    let ended = false;
    return {
      end: (resultBytes, read) => {
        if (ended) return;
        ended = true;
        account.left.seconds -= (performance.now() - startedAt) / 1000;
        account.left.resultBytes -= resultBytes;
        account.left.readRows -= read?.rowsRead ?? 0;
        account.left.readBytes -= read?.bytesRead ?? 0;
        release();
        this.forget(share, account);
      },
    };
  }

  private account(share: string): Account {
    const { seconds, resultBytes, readRows, readBytes } = this.limits;
    const account = this.accounts.get(share) ?? {
      running: new Semaphore(this.limits.running),
      left: { seconds, resultBytes, readRows, readBytes },
      refilledAt: performance.now(),
    };
    this.accounts.set(share, account);
    const refilled = (performance.now() - account.refilledAt) / MINUTE_MS;
    account.refilledAt = performance.now();
    for (const each of ALLOWED) {
      const whole = this.limits[each];
      account.left[each] = Math.min(whole, account.left[each] + refilled * whole);
    }
    return account;
  }

  private checkAllowance({ left }: Account): void {
    for (const each of ALLOWED) {
      const allowance = this.limits[each];
      if (left[each] > 0) continue;
      throw tooMany(
        `${allowance} ${WORDS[each]} a minute are used up; wait, or ask for less`,
        Math.ceil((-left[each] / allowance) * (MINUTE_MS / 1000)) + 1,
      );
    }
  }

  /** @returns what ends the turn */
  private async turn(account: Account, signal: AbortSignal): Promise<() => void> {
    const { running, waiting, waitSeconds } = this.limits;
    if (!account.running.isFull) return account.running.acquire();
    if (account.running.waiting >= waiting)
      throw tooMany(`${running} queries run and ${waiting} wait; send fewer at a time`, 1);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(tooMany(`no turn within ${waitSeconds} s: other queries run`, waitSeconds));
    }, waitSeconds * 1000);
    try {
      return await account.running.acquire(AbortSignal.any([signal, late.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** An organization that asks nothing needs no account once its allowance is whole. */
  private forget(share: string, account: Account): void {
    if (!account.running.isIdle) return;
    if (ALLOWED.every((each) => account.left[each] >= this.limits[each]))
      this.accounts.delete(share);
  }
}

function tooMany(message: string, retryAfterSeconds: number): MillraceError {
  return new MillraceError('TOO_MANY_REQUESTS', message, { retryAfterSeconds });
}
