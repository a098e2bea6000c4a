import { Injectable } from '@nestjs/common';
import { addressPrefix, MillraceError, type Caller } from '@app/platform';
import { permissionsOf } from '../aggregates/roles.js';
import type { Token } from '../aggregates/tokens.js';
import { Passcodes } from '../people/passcode.js';
import { PersonalData } from '../people/personal-data.js';
import { TokenSecrets } from '../people/token-secrets.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { UsersProjection, type User } from '../projections/users.projection.js';
import { DEFAULT_ORGANIZATION } from './default-organization.js';
import { FailedLogins } from './throttle/failed-logins.js';
import { KnownAddresses } from './throttle/known-addresses.js';
import { LoginThrottle, type Attempt } from './throttle/login-throttle.js';
import { VerifiedCredentials, type Credentials } from './verified-credentials.js';

/** The part that every attempt has, whatever is sent to show who it is. */
interface TokenAttempt {
  readonly secret: string;
  /** The organization that the request's path names, if any; it need not exist. */
  readonly organization: string | undefined;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}

interface LoginAttempt extends TokenAttempt {
  readonly email: string;
}

/** Finds out who sends a request: by password, by the passcode of the organization it is for, or by one of its tokens. */
@Injectable()
export class Login {
  private readonly throttle = new LoginThrottle();

  constructor(
    private readonly credentials: VerifiedCredentials,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
    private readonly passcodes: Passcodes,
    private readonly tokens: TokenSecrets,
    private readonly people: PersonalData,
    private readonly knownAddresses: KnownAddresses,
    private readonly failures: FailedLogins,
  ) {}

  /** @returns undefined when the credentials are wrong. @throws {MillraceError} TOO_MANY_REQUESTS */
  async attempt(attempt: LoginAttempt): Promise<Caller | undefined> {
    // It is random and long: a right one was not guessed, and a wrong one is a wrong password.
    const byPasscode = this.byPasscode(attempt);
    if (byPasscode) return callerOfUser(byPasscode, true);
    const { email, secret: password, address } = attempt;
    try {
      const user = await this.check({ email, password, ...addressPrefix(address) });
      if (!user) this.count(attempt, 'failed');
      return user && callerOfUser(user, false);
    } catch (error) {
      if (isTooMany(error)) this.count(attempt, 'refused');
      throw error;
    }
  }

  /**
   * A token is random and long, as a passcode is: a right one always passes. One that is unknown,
   * revoked, expired or of another organization is a failed login of the address it came from.
   * @returns undefined when it opens nothing here. @throws {MillraceError} TOO_MANY_REQUESTS
   */
  async byToken(attempt: TokenAttempt): Promise<Caller | undefined> {
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
      this.countToken(attempt, isHere ? own : undefined, 'failed');
      return undefined;
    } catch (error) {
      if (isTooMany(error)) this.countToken(attempt, isHere ? own : undefined, 'refused');
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

  /** An organization is shown that a token of its own was sent after it has expired. */
  private countToken(
    { address, userAgent, requestId }: TokenAttempt,
    own: Organization | undefined,
    outcome: 'failed' | 'refused',
  ): void {
    const concerned = own ?? this.organizations.find(DEFAULT_ORGANIZATION);
    const login = {
      account: 'token',
      token: true as const,
      userId: undefined,
      organizationId: concerned?.id,
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

const isTooMany = (error: unknown): boolean =>
  error instanceof MillraceError && error.kind === 'TOO_MANY_REQUESTS';

export function callerOfToken({ organizationId, tokenId, name, role, streams }: Token): Caller {
  return {
    userId: `token ${name} ${tokenId}`,
    email: '',
    root: false,
    byPasscode: false,
    token: {
      organizationId,
      may: permissionsOf(role),
      ...(streams ? { streams: new Set(streams) } : {}),
    },
  };
}

export function callerOfUser({ id, email, root }: User, byPasscode: boolean): Caller {
  return { userId: id, email, root, byPasscode };
}
