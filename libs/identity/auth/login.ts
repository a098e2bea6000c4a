import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { CommandPipeline } from '@app/event-store';
import type { Caller } from '@app/platform';
import { Passcodes } from '../people/passcode.js';
import { PersonalData } from '../people/personal-data.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { UsersProjection, type User } from '../projections/users.projection.js';
import { DEFAULT_ORGANIZATION } from './default-organization.js';
import { LoginThrottle } from './login-throttle.js';
import { VerifiedCredentials, type Outcome } from './verified-credentials.js';

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
    private readonly pipeline: CommandPipeline,
  ) {}

  /** @returns undefined when the credentials are wrong. @throws {MillraceError} TOO_MANY_REQUESTS */
  async attempt(attempt: LoginAttempt): Promise<Caller | undefined> {
    const { email, secret } = attempt;
    const known = this.credentials.recall(email, secret);
    if (known) return callerOf(known, false);
    const byPasscode = this.byPasscode(attempt);
    if (byPasscode) return callerOf(byPasscode, true);
    const user = await this.credentials.check(email, secret, () => this.begin(attempt));
    return user && callerOf(user, false);
  }

  /** The passcode is the organization's: it opens for its members, and for root. */
  private byPasscode({ email, secret, organization: name }: LoginAttempt): User | undefined {
    const organization = name === undefined ? undefined : this.organizations.find(name);
    if (!organization || !this.passcodes.matches(organization, secret)) return undefined;
    const user = this.users.byEmail(email);
    return user && (user.root || organization.members.has(user.id)) ? user : undefined;
  }

  private begin(attempt: LoginAttempt): Outcome {
    const account = this.people.emailHash(attempt.email);
    const admitted = this.throttle.admit(account, attempt.address);
    return {
      right: () => admitted.right(),
      undecided: () => admitted.undecided(),
      wrong: async () => {
        await this.recordFailure(account, attempt);
        admitted.wrong();
      },
    };
  }

  /** Never the e-mail that was tried: it may be a password typed into the wrong field. */
  private async recordFailure(account: string, attempt: LoginAttempt): Promise<void> {
    const user = this.users.byEmail(attempt.email);
    const organization = this.concerned(user, attempt.organization);
    const { address, userAgent, requestId } = attempt;
    await this.pipeline.record(
      `login-${account}`,
      { type: 'LoginFailed', data: user ? { userId: user.id } : {} },
      {
        commandId: ulid(),
        actor: 'anonymous',
        occurredAt: new Date().toISOString(),
        ...(organization ? { organizationId: organization.id } : {}),
        ...(user ? { sealedFor: user.id } : {}),
        address,
        ...(userAgent === undefined ? {} : { userAgent }),
        requestId,
      },
    );
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
