import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { systemContext } from '@app/event-store';
import { MillraceError, OperatorError } from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../../auth/default-organization.js';
import { unlessUntold } from './unless-untold.js';
import { passwordProblem } from '../../auth/password-hash.js';
import { VerifiedCredentials } from '../../auth/verified-credentials.js';
import { Accounts } from '../../people/accounts.js';
import { Memberships } from '../../people/memberships.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection, type User } from '../../projections/users.projection.js';

/** Makes sure that there is a root account and the organization `default`. Runs at every start. */
export class EnsureRoot {
  constructor(
    readonly email: string,
    /** The password of the configuration; without one the first start makes a random one. */
    readonly password: string | undefined,
    /** The place where a random password is stored for its owner. */
    readonly dataDirectory: string,
  ) {}
}

export interface RootCredentials {
  readonly email: string;
  /**
   * It is defined when the password was made at this start. A password from the configuration is
   * not repeated.
   */
  readonly password: string | undefined;
  /** The place where a random password is stored, if there is one. */
  readonly file: string | undefined;
}

@CommandHandler(EnsureRoot)
export class EnsureRootHandler implements ICommandHandler<EnsureRoot, RootCredentials> {
  private readonly logger = new Logger('ensure-root');

  constructor(
    private readonly accounts: Accounts,
    private readonly memberships: Memberships,
    private readonly credentials: VerifiedCredentials,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
  ) {}

  async execute(command: EnsureRoot): Promise<RootCredentials> {
    const problem = command.password === undefined ? undefined : passwordProblem(command.password);
    if (problem) throw new OperatorError(`configuration: MILLRACE_ROOT_PASSWORD: ${problem}`);
    // This comes first, so that events of accounts have an audit trail to be written to.
    await this.ensureDefaultOrganization();
    const root = this.users.root();
    if (root) return this.updateRoot(root, command);
    // A second one would stay for ever once the first is understood again.
    if (this.users.hasUntold) {
      this.logger.error('no root account can be told: an event of an account is not understood');
      return { email: command.email, password: undefined, file: undefined };
    }
    try {
      return await this.registerRoot(command);
    } catch (error) {
      // Another node, which starts at the same moment, was faster.
      const made = this.users.root();
      if (!made || !(error instanceof MillraceError && error.kind === 'ALREADY_EXISTS'))
        throw error;
      rmSync(credentialsFile(command.dataDirectory), { force: true });
      return this.updateRoot(made, command);
    }
  }

  private async registerRoot({
    email,
    password,
    dataDirectory,
  }: EnsureRoot): Promise<RootCredentials> {
    const file = credentialsFile(dataDirectory);
    const chosen = password ?? keepPassword(file, email);
    if (password !== undefined) rmSync(file, { force: true });
    const profile = { email, firstName: 'root', lastName: '' };
    await this.accounts.register({ ...profile, password: chosen, root: true }, systemContext());
    return password === undefined
      ? { email, password: chosen, file }
      : { email, password: undefined, file: undefined };
  }

  private async updateRoot(
    root: User,
    { password, dataDirectory }: EnsureRoot,
  ): Promise<RootCredentials> {
    const file = credentialsFile(dataDirectory);
    if (password === undefined) {
      return { email: root.email, password: undefined, file: existsSync(file) ? file : undefined };
    }
    if (!(await this.credentials.checkHere(root.email, password)))
      await unlessUntold(this.logger, () =>
        this.accounts.change(root.id, { password }, systemContext()),
      );
    rmSync(file, { force: true });
    return { email: root.email, password: undefined, file: undefined };
  }

  private async ensureDefaultOrganization(): Promise<void> {
    if (!this.organizations.find(DEFAULT_ORGANIZATION))
      await unlessUntold(this.logger, () =>
        this.memberships.create(DEFAULT_ORGANIZATION, undefined, systemContext()),
      );
  }
}

function credentialsFile(dataDirectory: string): string {
  return join(dataDirectory, 'root-credentials');
}

/** Writes the file before the account exists, so that no crash in between loses the password. */
function keepPassword(file: string, email: string): string {
  const kept = existsSync(file)
    ? /^password=(.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]
    : undefined;
  const password = kept ?? `${randomBytes(15).toString('base64url')}-Aa1`;
  const text = `email=${email}\npassword=${password}\n`;
  writeFileSync(file, text, { mode: 0o600, flush: true });
  return password;
}
