import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { z } from 'zod';
import { CommandPipeline, contextOf } from '@app/event-store';
import { RateLimiter } from '@app/flow';
import { ServerKey } from '@app/key-store';
import { asksFromOwnPage, CONSOLE_HEADER } from '@app/http';
import { MillraceError, type AuthenticatedRequest, type Caller } from '@app/platform';
import { isOver } from '../../aggregates/tokens.js';
import {
  EndedSessionsProjection,
  type SessionEnded,
} from '../../projections/ended-sessions.projection.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection } from '../../projections/users.projection.js';
import { callerOfToken, callerOfUser } from '../logins/callers.js';
import { cookieIn } from './session-cookie.js';

const PURPOSE = 'session';
const CREDENTIAL = 'session credential';
/** A day's work. */
export const SESSION_SECONDS = 8 * 60 * 60;
/** Each that is ended is an event, kept for ever. */
const BEGUN = { perSecond: 1 / 60, burst: 60 };
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const identity = {
  id: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
};
const kept = z.union([
  /** The fingerprint is of the sealed password: another password ends the session. */
  z.strictObject({ ...identity, userId: z.string(), credential: z.string() }),
  z.strictObject({ ...identity, organizationId: z.string(), tokenId: z.string() }),
]);
type Kept = z.infer<typeof kept>;

export interface Session {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly caller: Caller;
}

/**
 * Sessions of browsers. One is a sealed text that the browser keeps as a cookie; nothing is kept of
 * it here but that it was ended. It names the account, or the token, and no secret of either. The
 * rights are looked up with each request. A session is over when the user leaves, changes the
 * password or is erased, or when the token is revoked.
 */
@Injectable()
export class Sessions {
  private readonly begun = new RateLimiter(BEGUN);
  /** When they would be over, of those that are being ended, or are and do not show yet. */
  private readonly ending = new Map<string, number>();

  constructor(
    private readonly serverKey: ServerKey,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
    private readonly ended: EndedSessionsProjection,
    private readonly pipeline: CommandPipeline,
  ) {}

  /**
   * Begins a session of somebody whose password, or token, was just found right.
   * @returns the sealed text. @throws {MillraceError} TOO_MANY_REQUESTS
   */
  begin(caller: Caller): string {
    const wait = this.begun.take(caller.userId);
    if (wait > 0)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        'too many sessions were begun; try again later',
        {
          retryAfterSeconds: Math.ceil(wait / 1000),
        },
      );
    const own = { id: ulid(), expiresAt: Date.now() + SESSION_SECONDS * 1000 };
    const session: Kept = caller.token
      ? {
          ...own,
          organizationId: caller.token.organizationId,
          tokenId: caller.userId.slice(caller.userId.lastIndexOf(' ') + 1),
        }
      : { ...own, userId: caller.userId, credential: this.knownCredential(caller.userId) };
    return this.serverKey.seal(PURPOSE, JSON.stringify(session), PURPOSE);
  }

  /**
   * The session that a request shows; undefined where it shows none, or one that is over, or where
   * a page of another origin asks, be it one that may call by other credentials.
   * @throws {MillraceError} FORBIDDEN for what changes something and does not say that it is ours
   */
  of(request: AuthenticatedRequest): Session | undefined {
    const sealed = cookieIn(request);
    if (sealed === undefined || !asksFromOwnPage(request)) return undefined;
    const session = this.open(sealed);
    if (!session) return undefined;
    if (!SAFE.has(request.method) && request.headers[CONSOLE_HEADER] === undefined)
      throw new MillraceError(
        'FORBIDDEN',
        `by a session's cookie this needs the header ${CONSOLE_HEADER}, so that no other page can send it`,
      );
    return session;
  }

  /**
   * Opens nothing at this node from now on, and nothing at any node that has its event. Each is
   * ended by one event, however often that is asked for.
   */
  async end(session: Session, request: AuthenticatedRequest): Promise<void> {
    const { id, expiresAt, caller } = session;
    request.caller = caller;
    const event: SessionEnded = {
      type: 'SessionEnded',
      data: {
        sessionId: id,
        expiresAt: new Date(expiresAt).toISOString(),
        ...(caller.token ? {} : { userId: caller.userId }),
      },
    };
    const organizationId = caller.token?.organizationId;
    this.forgetEnded();
    this.ending.set(id, expiresAt);
    try {
      await this.pipeline.record(`session-${id}`, event, {
        ...contextOf(request),
        ...(organizationId === undefined ? {} : { organizationId }),
      });
    } catch (error) {
      this.ending.delete(id);
      throw error;
    }
  }

  private forgetEnded(): void {
    for (const [id, expiresAt] of this.ending)
      if (this.ended.has(id) || expiresAt <= Date.now()) this.ending.delete(id);
  }

  private open(sealed: string): Session | undefined {
    const session = this.unseal(sealed);
    if (!session || session.expiresAt <= Date.now()) return undefined;
    if (this.ended.has(session.id) || this.ending.has(session.id)) return undefined;
    const caller = 'userId' in session ? this.callerBy(session) : this.tokenBy(session);
    return caller && { id: session.id, expiresAt: session.expiresAt, caller };
  }

  private unseal(sealed: string): Kept | undefined {
    try {
      return kept.parse(JSON.parse(this.serverKey.unsealOwn(PURPOSE, sealed, PURPOSE)));
    } catch {
      // The cookie was made by another server, or with another key, or by an attacker.
      return undefined;
    }
  }

  private callerBy({ userId, credential }: Extract<Kept, { userId: string }>): Caller | undefined {
    const user = this.users.byId(userId);
    return user && this.credentialOf(userId) === credential ? callerOfUser(user, false) : undefined;
  }

  private tokenBy({
    organizationId,
    tokenId,
  }: Extract<Kept, { tokenId: string }>): Caller | undefined {
    const { tokens } = this.organizations.get(organizationId) ?? {};
    for (const token of tokens?.values() ?? [])
      if (token.tokenId === tokenId)
        return isOver(token, new Date().toISOString()) ? undefined : callerOfToken(token);
    return undefined;
  }

  /** @throws {MillraceError} UNAUTHORIZED where the account has gone meanwhile */
  private knownCredential(userId: string): string {
    const credential = this.credentialOf(userId);
    if (credential === undefined)
      throw new MillraceError('UNAUTHORIZED', 'the account is not there any more');
    return credential;
  }

  private credentialOf(userId: string): string | undefined {
    const credential = this.users.byId(userId)?.credential;
    return credential && this.serverKey.fingerprint(CREDENTIAL, credential);
  }
}
