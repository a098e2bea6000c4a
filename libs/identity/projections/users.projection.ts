import { Injectable } from '@nestjs/common';
import { OperatorError } from '@app/platform';
import type { RecordedEvent, SnapshottedProjection } from '@app/event-store';
import {
  userAggregate,
  type Profile,
  type UserEvent,
  type UserState,
} from '../aggregates/user.aggregate.js';
import { FOREIGN_KEYS, PersonalData } from '../people/personal-data.js';

type Registered = NonNullable<UserState>;

export interface User extends Profile {
  readonly id: string;
  readonly root: boolean;
  /** The sealed password. If it changes, the password has changed. */
  readonly credential: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The organization whose admin registered the account, by id; root has none. */
  readonly registeredIn?: string;
}

interface Entry {
  readonly user: Registered;
  readonly createdAt: number;
  readonly registeredIn?: string;
  /**
   * The tenant behind the account: see {@link UsersProjection.tenantOf}. Absent means the account
   * itself.
   */
  readonly tenant?: string;
}

/**
 * Accounts by id and by e-mail, in any case of letters. Personal data stays sealed until it is
 * read.
 */
@Injectable()
export class UsersProjection implements SnapshottedProjection {
  readonly name = 'users';
  readonly snapshotVersion = 3;
  private entries = new Map<string, Entry>();
  private readonly ids = new Map<string, string>();
  private rootId: string | undefined;
  private untold = 0;

  constructor(private readonly people: PersonalData) {}

  apply(event: RecordedEvent): Promise<void> | undefined {
    return event.stream.startsWith('user-') ? this.follow(event) : undefined;
  }

  private async follow(event: RecordedEvent): Promise<void> {
    const id = event.stream.slice('user-'.length);
    const entry = this.entries.get(id);
    if (!entry && event.notUnderstood !== undefined) this.untold += 1;
    const user = userAggregate.evolve(entry?.user, event as unknown as UserEvent);
    if (!user) return;
    // Code that finds the account can then read it.
    if (!user.erased) await this.people.learn(user);
    this.index(
      entry ? { ...entry, user } : { user, ...registration(event), ...this.tenancy(event) },
    );
    if (user.erased) await this.people.erase(id);
  }

  /** Keys of erased people that came back with an old copy of the data. */
  async caughtUp(): Promise<void> {
    for (const id of this.erasedIds()) if (this.people.hasKey(id)) await this.people.erase(id);
  }

  byEmail(email: string): User | undefined {
    const id = this.ids.get(this.people.emailHash(email));
    return id === undefined ? undefined : this.byId(id);
  }

  /** It is undefined for somebody erased. */
  byId(id: string): User | undefined {
    const entry = this.entries.get(id);
    if (!entry || entry.user.erased) return undefined;
    const profile = this.people.profile(entry.user);
    if (!profile) return undefined;
    const { user, createdAt, registeredIn } = entry;
    const { root, credential } = user;
    const where = registeredIn === undefined ? {} : { registeredIn };
    return { id, root, credential, createdAt, ...where, ...profile };
  }

  /**
   * Gives only the e-mail, without making the whole account. It is undefined for an erased person.
   */
  emailOf(id: string): string | undefined {
    const user = this.entries.get(id)?.user;
    return user && !user.erased ? this.people.profile(user)?.email : undefined;
  }

  /**
   * The account that is behind this one. An account that registers accounts is behind them, so that
   * a tenant does not multiply its bounds by more accounts. No account is behind those that root
   * has registered.
   */
  tenantOf(id: string): string {
    return this.entries.get(id)?.tenant ?? id;
  }

  private tenancy({ metadata: { actor } }: RecordedEvent): Pick<Entry, 'tenant'> {
    const maker = this.entries.get(actor);
    return maker && !maker.user.root ? { tenant: this.tenantOf(actor) } : {};
  }

  /**
   * Tells whether an authorized user has said that the e-mail belongs to the account. It is false
   * if there is no such account.
   */
  isProven(id: string): boolean {
    const user = this.entries.get(id)?.user;
    return user !== undefined && !user.erased && user.unproven !== true;
  }

  /** Finds the hash of the user's e-mail, even if the user has been erased. */
  emailHashOf(id: string): string | undefined {
    return this.entries.get(id)?.user.emailHash;
  }

  /** Id of the organization that registered the account. */
  registeredIn(id: string): string | undefined {
    return this.entries.get(id)?.registeredIn;
  }

  isErased(id: string): boolean {
    return this.entries.get(id)?.user.erased ?? false;
  }

  erasedIds(): readonly string[] {
    return [...this.entries.values()].flatMap(({ user }) => (user.erased ? [user.id] : []));
  }

  /** Tells whether there are accounts that cannot be read: root may be one of them. */
  get hasUntold(): boolean {
    return this.untold > 0;
  }

  /** @throws {Error} when it exists but its key is missing: it must not be taken for missing. */
  root(): User | undefined {
    if (this.rootId === undefined) return undefined;
    const root = this.byId(this.rootId);
    if (!root) throw new OperatorError(FOREIGN_KEYS);
    return root;
  }

  snapshot(): readonly Entry[] {
    return [...this.entries.values()];
  }

  restore(state: unknown): void {
    for (const entry of state as readonly Entry[]) this.index(entry);
  }

  private index(entry: Entry): void {
    const { user } = entry;
    this.entries.set(user.id, entry);
    // There is one root account; another one that came later never replaces it.
    if (user.root && !user.erased) this.rootId ??= user.id;
    else if (user.erased && this.rootId === user.id) this.rootId = undefined;
    if (!user.erased) this.ids.set(user.emailHash, user.id);
    else if (this.ids.get(user.emailHash) === user.id) this.ids.delete(user.emailHash);
  }
}

function registration({ metadata }: RecordedEvent): Omit<Entry, 'user'> {
  const { occurredAt, organizationId } = metadata;
  return {
    createdAt: Date.parse(occurredAt),
    ...(organizationId === undefined ? {} : { registeredIn: organizationId }),
  };
}
