import { Injectable } from '@nestjs/common';
import { addressPrefix, MillraceError, type Caller } from '@app/platform';
import { Passcodes } from '../people/passcode.js';
import { PersonalData } from '../people/personal-data.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { UsersProjection, type User } from '../projections/users.projection.js';
import { DEFAULT_ORGANIZATION } from './default-organization.js';
import { FailedLogins } from './failed-logins.js';
import { KnownAddresses } from './known-addresses.js';
import { LoginThrottle, type Attempt } from './login-throttle.js';
import { VerifiedCredentials, type Credentials } from './verified-credentials.js';

export interface LoginAttempt {
  readonly email: string;
  readonly secret: string;
  /** The organization that the request's path names, if any; it need not exist. */
  readonly organization: string | undefined;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}

/** Finds out who sends a request: by password, or by the passcode of the organization it is for. */
@Injectable()
export class Login {
  private readonly throttle = new LoginThrottle();

  constructor(
    private readonly credentials: VerifiedCredentials,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
    private readonly passcodes: Passcodes,
    private readonly people: PersonalData,
    private readonly knownAddresses: KnownAddresses,
    private readonly failures: FailedLogins,
  ) {}

  /** @returns undefined when the credentials are wrong. @throws {MillraceError} TOO_MANY_REQUESTS */
  async attempt(attempt: LoginAttempt): Promise<Caller | undefined> {
    // It is random and long: a right one was not guessed, and a wrong one is a wrong password.
    const byPasscode = this.byPasscode(attempt);
    if (byPasscode) return callerOf(byPasscode, true);
    const { email, secret: password, address } = attempt;
    try {
      const user = await this.check({ email, password, ...addressPrefix(address) });
      if (!user) this.count(attempt, 'failed');
      return user && callerOf(user, false);
    } catch (error) {
      if (error instanceof MillraceError && error.kind === 'TOO_MANY_REQUESTS')
        this.count(attempt, 'refused');
      throw error;
    }
  }

  /**
   * Whether this is the password of somebody who is logged in, at the pace of logins: whoever has
   * taken over a session must not find the password out by it.
   * @throws {MillraceError} TOO_MANY_REQUESTS
   */
  async confirm(email: string, password: string, address: string): Promise<boolean> {
    return (await this.check({ email, password, ...addressPrefix(address) })) !== undefined;
  }

  private async check(credentials: Credentials): Promise<User | undefined> {
    const account = this.people.emailHash(credentials.email);
    if (!this.throttle.isFlooded(account, credentials)) {
      const remembered = this.credentials.recall(credentials);
      if (remembered) return remembered;
    }
    const user = await this.credentials.check(credentials, () => this.begin(account, credentials));
    if (user) this.knownAddresses.remember(user.id, credentials.prefix);
    return user;
  }

  private begin(account: string, { email, prefix, network }: Credentials): Promise<Attempt> {
    const known = this.knownAddresses.has(this.users.byEmail(email)?.id, prefix);
    return this.throttle.admit({ account, prefix, network, known });
  }

  /** The passcode is the organization's: it opens for its members, and for root. */
  private byPasscode({ email, secret, organization: name }: LoginAttempt): User | undefined {
    const organization = name === undefined ? undefined : this.organizations.find(name);
    if (!organization || !this.passcodes.matches(organization, secret)) return undefined;
    const user = this.users.byEmail(email);
    return user && (user.root || organization.members.has(user.id)) ? user : undefined;
  }

  private count(attempt: LoginAttempt, outcome: 'failed' | 'refused'): void {
    const { email, address, userAgent, requestId } = attempt;
    const user = this.users.byEmail(email);
    const login = {
      account: this.people.emailHash(email),
      userId: user?.id,
      organizationId: this.concerned(user, attempt.organization)?.id,
      address,
      prefix: addressPrefix(address).prefix,
      userAgent,
      requestId,
    };
    this.failures.count(login, outcome);
  }

  /** A failure is shown to the organization it was tried at when the account is its member's, else to the operators of `default`. */
  private concerned(user: User | undefined, name: string | undefined): Organization | undefined {
    const named = name === undefined ? undefined : this.organizations.find(name);
    const isMembers = user !== undefined && named?.members.has(user.id);
    return isMembers ? named : this.organizations.find(DEFAULT_ORGANIZATION);
  }
}

function callerOf({ id, email, root }: User, byPasscode: boolean): Caller {
  return { userId: id, email, root, byPasscode };
}
