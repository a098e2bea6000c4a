import { Injectable } from '@nestjs/common';
import { RateLimiter } from '@app/flow';
import { callerOf, MillraceError, type AuthenticatedRequest } from '@app/platform';

/**
 * A person who sets up a team can add it all at once. A person who tries out names gets ten a
 * minute.
 */
const PACE = { perSecond: 1 / 6, burst: 50 };
const IPV6_PREFIX_GROUPS = 4;

/**
 * Limits the rate of calls that reveal whether a name is taken, as the creation of an organization
 * or an account must. The limits are by account and by address, and apply before anything is looked
 * up. Root sees all names anyway.
 */
@Injectable()
export class NamingPace {
  private readonly accounts = new RateLimiter(PACE);
  private readonly addresses = new RateLimiter(PACE);

  /** @throws {MillraceError} TOO_MANY_REQUESTS */
  take(request: AuthenticatedRequest): void {
    const { userId, root } = callerOf(request);
    if (root) return;
    const wait = this.accounts.take(userId) || this.addresses.take(prefixOf(request.ip));
    if (wait === 0) return;
    throw new MillraceError(
      'TOO_MANY_REQUESTS',
      'too many accounts and organizations named in a while; wait and go on more slowly',
      { retryAfterSeconds: Math.ceil(wait / 1000) },
    );
  }
}

/** Gives the prefix of an address: the owner of an IPv6 address has all of its /64. */
function prefixOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [before = '', after = ''] = address.split('::', 2);
  const first = before.split(':').filter((group) => group !== '');
  const last = after.split(':').filter((group) => group !== '');
  const zeros = address.includes('::')
    ? Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
    : [];
  return [...first, ...zeros, ...last].slice(0, IPV6_PREFIX_GROUPS).join(':');
}
