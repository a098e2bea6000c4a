import { Injectable } from '@nestjs/common';
import { PersonalData } from '../../people/personal-data.js';
import { UsersProjection, type User } from '../../projections/users.projection.js';
import { KnownAddresses } from '../throttle/known-addresses.js';
import { LoginThrottle, type Attempt } from '../throttle/login-throttle.js';
import { VerifiedCredentials, type Credentials } from '../verified-credentials.js';

/** Checks passwords, at the pace of logins. */
@Injectable()
export class PasswordLogin {
  constructor(
    private readonly throttle: LoginThrottle,
    private readonly credentials: VerifiedCredentials,
    private readonly users: UsersProjection,
    private readonly people: PersonalData,
    private readonly knownAddresses: KnownAddresses,
  ) {}

  /** @returns undefined when the credentials are wrong. @throws {MillraceError} TOO_MANY_REQUESTS */
  async check(credentials: Credentials): Promise<User | undefined> {
    const remembered = this.credentials.recall(credentials);
    const account =
      (remembered && this.users.emailHashOf(remembered.id)) ??
      this.people.emailHash(credentials.email);
    if (remembered && !this.throttle.isFlooded(account, credentials)) return remembered;
    const user = await this.credentials.check(credentials, () => this.begin(account, credentials));
    if (user) this.knownAddresses.remember(user.id, credentials.prefix);
    return user;
  }

  private begin(account: string, { email, prefix, network }: Credentials): Promise<Attempt> {
    const known = this.knownAddresses.has(this.users.byEmail(email)?.id, prefix);
    return this.throttle.admit({ account, prefix, network, known });
  }
}
