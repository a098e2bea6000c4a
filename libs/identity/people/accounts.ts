import { Injectable } from '@nestjs/common';
import { CommandPipeline, stepOf, type CommandContext } from '@app/event-store';
import { MillraceError, ulid } from '@app/platform';
import { emailReservation, emailStream } from '../aggregates/reserved-names.js';
import { userAggregate, type Profile, type UserRegistered } from '../aggregates/user.aggregate.js';
import { hashPassword } from '../auth/password-hash.js';
import { UsersProjection } from '../projections/users.projection.js';
import { PersonalData } from './personal-data.js';

export interface NewAccount extends Profile {
  readonly password: string;
  readonly root: boolean;
  /** Nobody has shown yet that the e-mail belongs to the account. */
  readonly unproven?: boolean;
}

/** Makes, changes and erases accounts. Personal data is sealed before it goes into events. */
@Injectable()
export class Accounts {
  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly people: PersonalData,
    private readonly users: UsersProjection,
  ) {}

  /**
   * Reserves the e-mail first, so that it has one account at most. After a crash in between, the
   * e-mail belongs to an id without an account; the next request continues with that id.
   * @returns the account's id
   * @throws {MillraceError} ALREADY_EXISTS
   */
  async register(account: NewAccount, context: CommandContext): Promise<string> {
    const id = await this.reserve(account.email, context);
    await this.store(await this.seal(id, account), context, account.unproven);
    return id;
  }

  /** Makes the person's key, so that their later requests are sealed with it. */
  async seal(id: string, account: NewAccount): Promise<UserRegistered['data']> {
    const { email: address, firstName, lastName, password, root } = account;
    const profile = { email: address, firstName, lastName };
    const passwordHash = await hashPassword(password);
    const sealed = await this.people.sealAccount(id, { profile, passwordHash });
    return { id, emailHash: this.people.emailHash(address), root, ...sealed };
  }

  /** @throws {MillraceError} ALREADY_EXISTS */
  async store(
    user: UserRegistered['data'],
    context: CommandContext,
    unproven = false,
  ): Promise<void> {
    const stream = `user-${user.id}`;
    const command = { type: 'register', user, unproven } as const;
    await this.pipeline.handle({ decider: userAggregate, stream, command, context });
  }

  /** @throws {MillraceError} USER_NOT_FOUND */
  async change(
    id: string,
    changes: { readonly profile?: Profile; readonly password?: string },
    context: CommandContext,
  ): Promise<void> {
    const { profile, password } = changes;
    const command = {
      type: 'change' as const,
      ...(profile ? { profile: await this.people.sealProfile(id, profile) } : {}),
      ...(password === undefined
        ? {}
        : { credential: await this.people.sealCredential(id, await hashPassword(password)) }),
    };
    const stream = `user-${id}`;
    await this.pipeline.handle({ decider: userAggregate, stream, command, context });
  }

  /** @throws {MillraceError} USER_NOT_FOUND */
  async proveEmail(id: string, context: CommandContext): Promise<void> {
    const stream = `user-${id}`;
    const command = { type: 'prove-email' } as const;
    await this.pipeline.handle({ decider: userAggregate, stream, command, context });
  }

  /**
   * Deletes the account and its key, and so all its personal data. Its e-mail may be registered
   * again.
   */
  async erase(id: string, address: string, context: CommandContext): Promise<void> {
    const command = { type: 'erase' } as const;
    const stream = `user-${id}`;
    // The person's name must be out of the audit trail before they get the answer.
    await this.pipeline.handle({
      decider: userAggregate,
      stream,
      command,
      context,
      isWritten: true,
    });
    await this.release(address, id, context);
  }

  /** Reserves the e-mail. @returns the id that its account has, or will have */
  async reserve(address: string, context: CommandContext): Promise<string> {
    for (const step of ['reserve', 'reserve-again']) {
      const id = ulid();
      const holder = await this.pipeline.handle({
        decider: emailReservation,
        stream: this.streamOf(address),
        command: { type: 'reserve', holder: id },
        context: stepOf(context, step),
      });
      if (holder !== undefined && !this.users.isErased(holder)) return holder;
      // The account is erased, but a crash kept the e-mail from being released.
      if (holder !== undefined) await this.release(address, holder, context);
    }
    throw new MillraceError('CONFLICT', 'this e-mail is being registered; try again', {
      retryAfterSeconds: 1,
    });
  }

  private async release(address: string, holder: string, context: CommandContext): Promise<void> {
    await this.pipeline.handle({
      decider: emailReservation,
      stream: this.streamOf(address),
      command: { type: 'release', holder },
      context: stepOf(context, 'release'),
    });
  }

  private streamOf(address: string): string {
    return emailStream(this.people.emailHash(address));
  }
}
