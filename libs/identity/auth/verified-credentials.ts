import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { MillraceError } from '@app/platform';
import { PersonalData } from '../people/personal-data.js';
import { UsersProjection, type User } from '../projections/users.projection.js';
import { hashPassword, verifyPassword } from './password-hash.js';

interface Verified {
  readonly userId: string;
  /** What it was checked against: another one now means another password. */
  readonly credential: string;
  readonly until: number;
}

const KEPT_MS = 5 * 60 * 1000;
const KEPT_MAX = 10_000;
/** Each takes 19 MiB and a thread; more at once would starve the engine's calls. */
const AT_ONCE = 2;
const WAITING_MAX = 200;

/**
 * Checks e-mail and password, and remembers for a while what was right, so that hashing is not
 * on the way of every request. Kept under an HMAC with a key of this process: what is in memory
 * cannot be turned back into passwords. The same question at the same time is asked once.
 */
@Injectable()
export class VerifiedCredentials {
  private readonly key = randomBytes(32);
  private readonly verified = new Map<string, Verified>();
  private readonly asking = new Map<string, Promise<User | undefined>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  /** An unknown account is checked against this, so that it costs the same time. */
  private readonly nobody = hashPassword(randomBytes(16).toString('hex'));

  constructor(
    private readonly users: UsersProjection,
    private readonly people: PersonalData,
  ) {}

  /** The user when these were right a moment ago. */
  recall(email: string, password: string): User | undefined {
    const name = this.nameOf(email, password);
    const known = this.verified.get(name);
    if (known && known.until > performance.now()) {
      const user = this.users.byId(known.userId);
      if (user?.credential === known.credential) return user;
    }
    this.verified.delete(name);
    return undefined;
  }

  /**
   * @param begin called when this question is not already being asked by somebody else
   * @returns the user when the password is theirs; at once when it was right a moment ago
   * @throws {MillraceError} TOO_MANY_REQUESTS when so many checks wait that another would only make it worse; what `begin` throws
   */
  check(
    email: string,
    password: string,
    begin: () => Outcome = () => IGNORED,
  ): User | Promise<User | undefined> {
    const known = this.recall(email, password);
    if (known) return known;
    const name = this.nameOf(email, password);
    const asking = this.asking.get(name);
    if (asking) return asking;
    if (this.waiting.length >= WAITING_MAX) {
      throw new MillraceError('TOO_MANY_REQUESTS', 'too many logins at once; try again', {
        retryAfterSeconds: 5,
      });
    }
    const asked = this.ask(name, { email, password }, begin());
    this.asking.set(name, asked);
    return asked;
  }

  private async ask(
    name: string,
    { email, password }: { readonly email: string; readonly password: string },
    outcome: Outcome,
  ): Promise<User | undefined> {
    let user: User | undefined;
    try {
      user = await this.verify(name, email, password);
    } catch (error) {
      outcome.undecided();
      throw error;
    } finally {
      this.asking.delete(name);
    }
    if (user) outcome.right();
    else await outcome.wrong();
    return user;
  }

  private async verify(name: string, email: string, password: string): Promise<User | undefined> {
    const user = this.users.byEmail(email);
    const passwordHash = (user && this.people.credential(user)) ?? (await this.nobody);
    const right = await this.limited(() => verifyPassword(passwordHash, password));
    if (!user || !right) return undefined;
    const { id, credential } = user;
    // Changed while it was checked: this password is the old one.
    if (this.users.byId(id)?.credential !== credential) return undefined;
    this.keep(name, { userId: id, credential, until: performance.now() + KEPT_MS });
    return user;
  }

  private nameOf(email: string, password: string): string {
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

  private async limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < AT_ONCE) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Whoever waited longest takes this place over; nobody else can get in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

/** Is told how a check ended. */
export interface Outcome {
  right(): void;
  wrong(): void | Promise<void>;
  undecided(): void;
}

const IGNORED: Outcome = {
  right: () => undefined,
  wrong: () => undefined,
  undecided: () => undefined,
};
