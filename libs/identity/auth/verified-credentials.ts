import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SingleFlight } from '@app/flow';
import type { AddressPrefix } from '@app/platform';
import { PersonalData } from '../people/personal-data.js';
import { UsersProjection, type User } from '../projections/users.projection.js';
import { HashingTurns } from './throttle/hashing-turns.js';
import type { Attempt } from './throttle/login-throttle.js';
import { hashPassword, verifyPassword } from './password-hash.js';

interface Verified {
  readonly userId: string;
  /**
   * The credential that it was checked against. If the account has another one now, the password
   * has changed.
   */
  readonly credential: string;
  readonly until: number;
  /** The prefixes of addresses from which it was correct. */
  readonly prefixes: Set<string>;
}

const KEPT_MS = 5 * 60 * 1000;
const KEPT_MAX = 10_000;
const PREFIXES_MAX = 32;

export interface Credentials extends AddressPrefix {
  readonly email: string;
  readonly password: string;
}

const HERE: AddressPrefix = { prefix: 'here', network: 'here' };
const UNPACED: Attempt = {
  standing: 'known',
  right: () => undefined,
  wrong: () => undefined,
  undecided: () => undefined,
};

/**
 * Checks e-mail and password, and remembers for a while which ones were correct from which address,
 * so that not every request needs hashing. They are stored under an HMAC with a key of this
 * process, so that passwords cannot be recovered from memory. Equal checks at the same time run
 * once.
 */
@Injectable()
export class VerifiedCredentials {
  private readonly key = randomBytes(32);
  private readonly verified = new Map<string, Verified>();
  private readonly asking = new SingleFlight<User | undefined>();
  private readonly turns = new HashingTurns();
  /** An unknown account is checked against this hash, so that it costs the same time. */
  private readonly nobody = hashPassword(randomBytes(16).toString('hex'));

  constructor(
    private readonly users: UsersProjection,
    private readonly people: PersonalData,
  ) {}

  /** The user if the same credentials were correct a moment ago, from the same address prefix. */
  recall(credentials: Credentials): User | undefined {
    const found = this.find(this.nameOf(credentials));
    return found?.verified.prefixes.has(credentials.prefix) ? found.user : undefined;
  }

  /**
   * Checks a password. Equal questions from the same prefix at the same time share one check.
   * @param begin called when no equal question is being checked; it admits the attempt
   * @returns the user when the password is theirs
   * @throws {MillraceError} TOO_MANY_REQUESTS when too many checks wait; the errors of `begin`, and
   * of the attempt when the password was wrong
   */
  check(
    credentials: Credentials,
    begin: () => Promise<Attempt> = () => Promise.resolve(UNPACED),
  ): Promise<User | undefined> {
    const question = `${credentials.prefix} ${this.nameOf(credentials)}`;
    return this.asking.run(question, () => this.ask(credentials, begin));
  }

  /** A check by the program itself, which has no rate limit. */
  checkHere(email: string, password: string): Promise<User | undefined> {
    return this.check({ email, password, ...HERE });
  }

  private async ask(
    credentials: Credentials,
    begin: () => Promise<Attempt>,
  ): Promise<User | undefined> {
    const attempt = await begin();
    let user: User | undefined;
    try {
      user = await this.verify(credentials, attempt);
    } catch (error) {
      attempt.undecided();
      throw error;
    }
    if (user) attempt.right();
    else attempt.wrong();
    return user;
  }

  private async verify(credentials: Credentials, { standing }: Attempt): Promise<User | undefined> {
    const { email, password, prefix } = credentials;
    const name = this.nameOf(credentials);
    const found = this.find(name);
    if (found) {
      const { prefixes } = found.verified;
      if (prefixes.size < PREFIXES_MAX) prefixes.add(prefix);
      return found.user;
    }
    const user = this.users.byEmail(email);
    const passwordHash = (user && this.people.credential(user)) ?? (await this.nobody);
    const right = await this.turns.run(standing, credentials, () =>
      verifyPassword(passwordHash, password),
    );
    if (!user || !right) return undefined;
    const { id, credential } = user;
    // The password was changed during the check: this is the old one.
    if (this.users.byId(id)?.credential !== credential) return undefined;
    const until = performance.now() + KEPT_MS;
    this.keep(name, { userId: id, credential, until, prefixes: new Set([prefix]) });
    return user;
  }

  private find(name: string): { readonly verified: Verified; readonly user: User } | undefined {
    const verified = this.verified.get(name);
    if (verified && verified.until > performance.now()) {
      const user = this.users.byId(verified.userId);
      if (user?.credential === verified.credential) return { verified, user };
    }
    this.verified.delete(name);
    return undefined;
  }

  private nameOf({ email, password }: Credentials): string {
    return createHmac('sha256', this.key)
      .update(`${email.length}:${email}${password}`)
      .digest('base64');
  }

  private keep(name: string, verified: Verified): void {
    for (const oldest of this.verified.keys()) {
      if (this.verified.size < KEPT_MAX) break;
      this.verified.delete(oldest);
    }
    this.verified.set(name, verified);
  }
}
