import { Injectable } from '@nestjs/common';
import { addressPrefix, type Caller } from '@app/platform';
import { callerOfUser } from './logins/callers.js';
import { CountedFailures, isTooMany } from './logins/counted-failures.js';
import type { LoginAttempt, TokenAttempt } from './logins/login-attempt.js';
import { PasscodeLogin } from './logins/passcode-login.js';
import { PasswordLogin } from './logins/password-login.js';
import { TokenLogin } from './logins/token-login.js';

/**
 * Finds out who sends a request: by password, by the passcode of the request's organization, or by
 * one of its tokens.
 */
@Injectable()
export class Login {
  constructor(
    private readonly passwords: PasswordLogin,
    private readonly passcodes: PasscodeLogin,
    private readonly tokens: TokenLogin,
    private readonly failures: CountedFailures,
  ) {}

  /** @returns undefined when the credentials are wrong. @throws {MillraceError} TOO_MANY_REQUESTS */
  async attempt(attempt: LoginAttempt): Promise<Caller | undefined> {
    // The passcode is random and long. So a correct one was not guessed, and a wrong one counts as
    // a wrong password.
    const byPasscode = this.passcodes.find(attempt);
    if (byPasscode) return callerOfUser(byPasscode, true);
    const { email, secret: password, address } = attempt;
    try {
      const user = await this.passwords.check({ email, password, ...addressPrefix(address) });
      if (!user) this.failures.count(attempt, 'failed');
      return user && callerOfUser(user, false);
    } catch (error) {
      if (isTooMany(error)) this.failures.count(attempt, 'refused');
      throw error;
    }
  }

  /** @returns undefined when it is not valid here. @throws {MillraceError} TOO_MANY_REQUESTS */
  byToken(attempt: TokenAttempt): Promise<Caller | undefined> {
    return this.tokens.attempt(attempt);
  }

  /**
   * Tells whether this is the password of a user who is logged in. It is checked at the pace of
   * logins: an attacker who has taken over a session must not find the password by it.
   * @throws {MillraceError} TOO_MANY_REQUESTS
   */
  async confirm(email: string, password: string, address: string): Promise<boolean> {
    return (
      (await this.passwords.check({ email, password, ...addressPrefix(address) })) !== undefined
    );
  }
}
