import { Injectable } from '@nestjs/common';
import { addressPrefix, type Caller } from '@app/platform';
import { TokenSecrets } from '../../people/token-secrets.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { LoginThrottle } from '../throttle/login-throttle.js';
import { callerOfToken } from './callers.js';
import { CountedFailures, isTooMany } from './counted-failures.js';
import type { TokenAttempt } from './login-attempt.js';

/** Finds the token that a request carries, and its organization. */
@Injectable()
export class TokenLogin {
  constructor(
    private readonly throttle: LoginThrottle,
    private readonly tokens: TokenSecrets,
    private readonly organizations: OrganizationsProjection,
    private readonly failures: CountedFailures,
  ) {}

  /**
   * A token is random and long, as a passcode is: a correct one always passes. One that is unknown,
   * revoked, expired or of another organization is a failed login of the address it came from.
   * @returns undefined when it opens nothing here.
   * @throws {MillraceError} TOO_MANY_REQUESTS
   */
  async attempt(attempt: TokenAttempt): Promise<Caller | undefined> {
    const { secret, organization: name, address } = attempt;
    const found = this.tokens.find(secret);
    const own = found && this.organizations.get(found.token.organizationId);
    const isHere = name === undefined || own?.name === name;
    if (found && !found.expired && isHere) return callerOfToken(found.token);
    const { prefix, network } = addressPrefix(address);
    const account = `token ${prefix}`;
    try {
      const paced = await this.throttle.admit({ account, prefix, network, known: false });
      paced.wrong();
      this.failures.countToken(attempt, isHere ? own : undefined, 'failed');
      return undefined;
    } catch (error) {
      if (isTooMany(error)) this.failures.countToken(attempt, isHere ? own : undefined, 'refused');
      throw error;
    }
  }
}
