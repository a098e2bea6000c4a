import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CommandPipeline, type CommandContext } from '@app/event-store';
import { RateLimiter, Semaphore } from '@app/flow';
import { OutageLog, ulid } from '@app/platform';
import { UnlistedFailures } from './unlisted-failures.js';

const MINUTE_MS = 60_000;
const PER_DAY = 1 / (24 * 60 * 60);
/**
 * The number of events that strangers can cause. Beyond it, one event a minute counts the rest.
 * Accounts that exist have their own share, so that made-up e-mails do not displace failures of
 * real accounts.
 */
const LISTED = { perSecond: 2000 * PER_DAY, burst: 200 };
const LISTED_UNKNOWN = { perSecond: 500 * PER_DAY, burst: 50 };
const COUNTED_AT_ONCE_MAX = 2000;

/** An event about failed logins, for the audit trail. */
export type FailedLoginEvent =
  | {
      readonly type: 'LoginFailed';
      readonly data: {
        readonly userId?: string;
        readonly token?: true;
        readonly failed: number;
        readonly refused?: number;
        /** ISO 8601, UTC, both. */
        readonly first?: string;
        readonly last?: string;
      };
    }
  | {
      readonly type: 'LoginsFailed';
      readonly data: {
        readonly failed: number;
        readonly refused: number;
        readonly prefixes: number;
        readonly morePrefixes?: true;
      };
    };

export interface FailedLogin {
  /**
   * A fingerprint of the e-mail. The e-mail itself is not stored, because it may be a password in
   * the wrong field.
   */
  readonly account: string;
  /** The attempt used a token, which names no account. */
  readonly token?: true;
  /** The id of the account, when there is one. */
  readonly userId: string | undefined;
  /** The organization that is shown the failure. */
  readonly organizationId: string | undefined;
  readonly address: string;
  /** Stands for the address if one customer has many addresses. */
  readonly prefix: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}

interface Counter {
  readonly login: FailedLogin;
  /** The failures that no event reports yet. */
  failed: number;
  refused: number;
  first: number;
  last: number;
}

/**
 * Stores failed logins as events, for the audit trail. For an account and an address prefix, the
 * first failure of a minute is stored at once, and the number of further ones at the end of the
 * minute. Answers do not wait for it. The number of events is limited, for a minute and for a day.
 * Beyond the limit, one event a minute counts the rest, with the addresses that most of them came
 * from.
 */
@Injectable()
export class FailedLogins implements OnApplicationShutdown {
  private readonly logger = new Logger('failed-logins');
  private readonly listed = new RateLimiter(LISTED);
  private readonly listedUnknown = new RateLimiter(LISTED_UNKNOWN);
  private counters = new Map<string, Counter>();
  private unlisted = new UnlistedFailures();
  private minute: NodeJS.Timeout | undefined;
  /** Events are kept one after the other. */
  private readonly keeping = new Semaphore(1);
  private readonly outage = new OutageLog();

  constructor(private readonly pipeline: CommandPipeline) {}

  /**
   * @param outcome whether the password was wrong, or was not checked because there were too many
   *   attempts
   */
  count(login: FailedLogin, outcome: 'failed' | 'refused'): void {
    this.startMinute();
    const key = `${login.account} ${login.prefix} ${login.organizationId ?? ''}`;
    const known = this.counters.get(key);
    if (!known && this.counters.size >= COUNTED_AT_ONCE_MAX) {
      this.unlisted.add(login.prefix, { failed: 0, refused: 0, [outcome]: 1 });
      return;
    }
    const now = Date.now();
    const counter = known ?? { login, failed: 0, refused: 0, first: now, last: now };
    counter[outcome] += 1;
    counter.last = now;
    if (known) return;
    this.counters.set(key, counter);
    if (outcome === 'failed' && this.mayList(login))
      void this.keeping.run(() => this.list(counter));
  }

  /** No further attempts come, so the counts are stored now. */
  async onApplicationShutdown(): Promise<void> {
    await this.endMinute();
  }

  private async endMinute(): Promise<void> {
    clearTimeout(this.minute);
    this.minute = undefined;
    await this.keeping.run(() => this.keepAll());
  }

  private async keepAll(): Promise<void> {
    const counters = [...this.counters.values()].sort((one, other) => sumOf(other) - sumOf(one));
    this.counters = new Map();
    let reaches = true;
    for (const counter of counters) {
      if (sumOf(counter) === 0) continue;
      const isListed = reaches && this.mayList(counter.login);
      // If the store cannot be reached, it is not asked again for each failure.
      if (isListed) reaches = await this.list(counter);
      if (!isListed || !reaches) this.unlisted.add(counter.login.prefix, counter);
    }
    const { unlisted } = this;
    if (unlisted.isEmpty) return;
    this.unlisted = new UnlistedFailures();
    const event: FailedLoginEvent = { type: 'LoginsFailed', data: unlisted.summary() };
    const isKept = reaches && (await this.keep('logins', event, { address: unlisted.addresses() }));
    if (isKept) return;
    this.unlisted.merge(unlisted);
    this.startMinute();
  }

  private startMinute(): void {
    this.minute ??= setTimeout(() => void this.endMinute(), MINUTE_MS).unref();
  }

  private mayList({ userId }: FailedLogin): boolean {
    return (userId === undefined ? this.listedUnknown : this.listed).take('all') === 0;
  }

  /** @returns whether it is stored; if not, it is still counted. */
  private async list(counter: Counter): Promise<boolean> {
    const { login, failed, refused, first, last } = counter;
    const { userId, token, organizationId, address, userAgent, requestId } = login;
    counter.failed = 0;
    counter.refused = 0;
    const data = {
      ...(userId === undefined ? {} : { userId }),
      ...(token ? { token } : {}),
      failed,
      ...(refused > 0 ? { refused } : {}),
      ...(last > first ? { first: iso(first), last: iso(last) } : {}),
    };
    const isKept = await this.keep(
      `login-${login.account}`,
      { type: 'LoginFailed', data },
      {
        ...(organizationId === undefined ? {} : { organizationId }),
        ...(userId === undefined ? {} : { sealedFor: userId }),
        address,
        ...(userAgent === undefined ? {} : { userAgent }),
        requestId,
      },
    );
    if (isKept) return true;
    counter.failed += failed;
    counter.refused += refused;
    return false;
  }

  private async keep(
    stream: string,
    event: FailedLoginEvent,
    context: Partial<CommandContext>,
  ): Promise<boolean> {
    try {
      await this.pipeline.keep(stream, event, {
        commandId: ulid(),
        actor: 'anonymous',
        occurredAt: iso(Date.now()),
        ...context,
      });
      this.outage.succeeded();
      return true;
    } catch (error) {
      this.outage.failed(() =>
        this.logger.error(`failed logins could not be kept, and are tried again: ${String(error)}`),
      );
      return false;
    }
  }
}

const sumOf = ({ failed, refused }: Counter): number => failed + refused;
const iso = (time: number): string => new Date(time).toISOString();
