import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { stepOf, type CommandContext } from '@app/event-store';
import { KeyedMutex } from '@app/flow';
import { MillraceError, ulid } from '@app/platform';
import type { Profile } from '../../aggregates/user.aggregate.js';
import { Accounts } from '../../people/accounts.js';
import { Memberships } from '../../people/memberships.js';
import { TokenSecrets } from '../../people/token-secrets.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../../projections/organizations.projection.js';
import { UsersProjection } from '../../projections/users.projection.js';

const FIRST_TOKEN = 'sign-up';

/** Makes an account at its owner's own request, with an organization of its own. */
export class SignUp {
  constructor(
    readonly account: Profile & { readonly password: string },
    /** Name of the organization. */
    readonly organization: string,
    /** The context has no actor, because this command makes the account. */
    readonly context: Omit<CommandContext, 'actor' | 'organizationId'>,
  ) {}
}

/**
 * The organization is made first and is the account's home, so that nobody else administers the
 * account. The account is no member of `default`, because other people's data is there. After a
 * crash in between, the e-mail belongs to an id without an account, and perhaps the organization,
 * too. The next sign-up with both continues with that id.
 */
@CommandHandler(SignUp)
export class SignUpHandler implements ICommandHandler<SignUp, string> {
  /** Sign-ups of one e-mail come one after the other: each finds what the one before has made. */
  private readonly queue = new KeyedMutex();

  constructor(
    private readonly accounts: Accounts,
    private readonly memberships: Memberships,
    private readonly secrets: TokenSecrets,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
  ) {}

  /** @returns the secret of the organization's first token. @throws {MillraceError} ALREADY_EXISTS */
  execute(command: SignUp): Promise<string> {
    return this.queue.run(command.account.email.toLowerCase(), () => this.signUp(command));
  }

  private async signUp({ account, organization: name, context }: SignUp): Promise<string> {
    if (this.users.byEmail(account.email)) throw emailTaken();
    if (this.isTaken(this.organizations.find(name))) throw nameTaken(name);
    const id = await this.accounts.reserve(account.email, { ...context, actor: 'anonymous' });
    const by = { ...context, actor: id };
    const user = await this.accounts.seal(id, { ...account, root: false });
    const home = await this.memberships.create(name, id, by);
    // Another request was faster.
    if (home.members.get(id) !== 'admin') throw nameTaken(name);
    const inHome = { ...by, organizationId: home.id };
    await this.accounts.store(user, inHome, true);
    return this.makeToken(home, inHome);
  }

  /** The name is free if only a sign-up has it that a crash has ended. */
  private isTaken(organization: Organization | undefined): boolean {
    return [...(organization?.members.keys() ?? [])].some((id) => this.users.byId(id));
  }

  private async makeToken({ id }: Organization, context: CommandContext): Promise<string> {
    const { secret, fingerprint } = this.secrets.make();
    const { actor: madeBy, occurredAt: madeAt } = context;
    const token = { name: FIRST_TOKEN, role: 'editor', tokenId: ulid() } as const;
    const made = { ...token, fingerprint, madeBy, madeAt };
    await this.memberships.makeToken(id, made, stepOf(context, 'token'));
    return secret;
  }
}

const emailTaken = (): MillraceError => new MillraceError('ALREADY_EXISTS', 'User already exists');

const nameTaken = (name: string): MillraceError =>
  new MillraceError(
    'ALREADY_EXISTS',
    `there is an organization ${name} already; choose another name`,
  );
