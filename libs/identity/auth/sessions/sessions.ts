import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommandPipeline, contextOf } from '@app/event-store';
import { RateLimiter } from '@app/flow';
import { ServerKey } from '@app/key-store';
import { asksFromOwnPage, CONSOLE_HEADER } from '@app/http';
import { type AuthenticatedRequest, type Caller, MillraceError, ulid } from '@app/platform';
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
/** The length of a day's work. */
export const SESSION_SECONDS = 8 * 60 * 60;
/** Each session that is ended is an event, which is kept for ever. */
const BEGUN = { perSecond: 1 / 60, burst: 60 };
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const identity = {
  id: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
};
const kept = z.union([
  /** The fingerprint of the sealed password. A new password ends the session. */
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
 * Sessions of browsers. One is a sealed text that the browser keeps as a cookie; the server stores
 * only that a session was ended. It names the account, or the token, and no secret of either. The
 * rights are looked up with each request. A session is over when the user leaves, changes the
 * password or is erased, or when the token is revoked.
 */
@Injectable()
export class Sessions {
  private readonly begun = new RateLimiter(BEGUN);
  /**
   * For sessions that are being ended, or whose end does not show yet, the time when they would
   * expire.
   */
  private readonly ending = new Map<string, number>();

  constructor(
    private readonly serverKey: ServerKey,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
    private readonly ended: EndedSessionsProjection,
    private readonly pipeline: CommandPipeline,
  ) {}

  /**
   * Begins a session after a password, or a token, was found correct.
   * @returns the sealed text.
   * @throws {MillraceError} TOO_MANY_REQUESTS
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
   * The session that a request carries. It is undefined if there is none, if it is over, or if a
   * page of another origin asks, even one that may call with other credentials.
   * @throws {MillraceError} FORBIDDEN for a change that lacks the header of our own page
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
   * Makes the session invalid at this node at once, and at any other node when it gets the event.
   * Each session is ended by one event, however often that is asked for.
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
      // Another server, another key, or an attacker made the cookie.
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

  /** @throws {MillraceError} UNAUTHORIZED if the account was deleted meanwhile */
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
