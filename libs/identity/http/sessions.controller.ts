import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { asksFromOwnPage } from '@app/http';
import {
  certain,
  Describe,
  MillraceError,
  Open,
  readJson,
  type AuthenticatedRequest,
  type Caller,
} from '@app/platform';
import { Login } from '../auth/login.js';
import { FOR_ONE_BROWSER, sessionCookie } from '../auth/sessions/session-cookie.js';
import { SESSION_SECONDS, Sessions, type Session } from '../auth/sessions/sessions.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { UsersProjection } from '../projections/users.projection.js';
import { done, type Done } from './done.js';

const SECRET_MAX = 1024;

const signInBody = z.union(
  [
    z.strictObject({ email: z.string().max(SECRET_MAX), password: z.string().max(SECRET_MAX) }),
    z.strictObject({ token: z.string().max(SECRET_MAX).describe('Of an organization') }),
  ],
  { error: 'want {"email", "password"}, or {"token"}' },
);

interface SessionRecord {
  /** Empty for a token. */
  readonly email: string;
  /** Empty for a token. */
  readonly first_name: string;
  readonly last_name: string;
  readonly root: boolean;
  /** The organizations that the caller may see. */
  readonly organizations: readonly { readonly name: string; readonly role: string }[];
  /** Microseconds since the epoch. */
  readonly expires_at: number;
}

const TAG = 'Sessions';
const EXAMPLE = {
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: 'Lee',
  root: false,
  organizations: [{ name: 'acme', role: 'admin' }],
  expires_at: 1_790_000_000_000_000,
};

/**
 * Sessions are for browsers, which then need to store no password. Programs send their credentials
 * with each request.
 */
@Controller('api/auth')
@Open()
export class SessionsController {
  constructor(
    private readonly login: Login,
    private readonly sessions: Sessions,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  @Post('sign-in')
  @HttpCode(200)
  @Describe({
    tag: TAG,
    summary: 'Begin a session of a browser, kept as a cookie that no script can read',
    body: { schema: signInBody, example: { email: 'ann@example.com', password: 'Secret-77' } },
    answer: done('signed in'),
    failures: {
      UNAUTHORIZED: 'e-mail or password is wrong',
      TOO_MANY_REQUESTS:
        'too many failed logins for this account or from this address; wait and try again',
    },
  })
  async signIn(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Done> {
    refuseOtherPages(request);
    const sent = await readJson(request, signInBody);
    const from = {
      organization: undefined,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      requestId: request.id,
    };
    const caller =
      'token' in sent
        ? await this.login.byToken({ ...from, secret: sent.token })
        : await this.login.attempt({ ...from, email: sent.email, secret: sent.password });
    if (!caller)
      throw new MillraceError(
        'UNAUTHORIZED',
        'token' in sent ? 'the token is wrong, revoked or expired' : 'e-mail or password is wrong',
      );
    const sealed = this.sessions.begin(caller);
    void reply.header('Set-Cookie', sessionCookie(sealed, SESSION_SECONDS, request));
    return done('signed in');
  }

  @Get('session')
  @Describe({
    tag: TAG,
    summary: 'Who is signed in by the cookie, and the organizations that there are for them',
    answer: { code: 200, data: EXAMPLE },
    failures: { UNAUTHORIZED: 'nobody is signed in' },
  })
  session(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): { code: 200; data: SessionRecord } {
    const session = this.sessions.of(request);
    void reply.headers(FOR_ONE_BROWSER);
    if (!session) throw new MillraceError('UNAUTHORIZED', 'nobody is signed in');
    return { code: 200, data: this.recordOf(session) };
  }

  @Post('sign-out')
  @HttpCode(200)
  @Describe({
    tag: TAG,
    summary: 'End the session: a copy of its cookie opens nothing any more, at any node',
    answer: done('signed out'),
  })
  async signOut(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Done> {
    refuseOtherPages(request);
    const session = this.sessions.of(request);
    // This browser forgets the session even if the event cannot be stored.
    void reply.header('Set-Cookie', sessionCookie('', 0, request));
    if (session) await this.sessions.end(session, request);
    return done('signed out');
  }

  private recordOf({ caller, expiresAt }: Session): SessionRecord {
    const organizations = this.visibleTo(caller).map(({ id, name, members, tokens }) => ({
      name,
      role:
        caller.token?.organizationId === id
          ? certain(
              [...tokens.values()].find(({ tokenId }) => caller.userId.endsWith(` ${tokenId}`)),
              'token of a session',
            ).role
          : (members.get(caller.userId) ?? 'root'),
    }));
    const { email, root } = caller;
    const { firstName = '', lastName = '' } = this.users.byId(caller.userId) ?? {};
    return {
      email,
      first_name: firstName,
      last_name: lastName,
      root,
      organizations,
      expires_at: expiresAt * 1000,
    };
  }

  private visibleTo({ root, userId, token }: Caller): readonly Organization[] {
    if (root) return this.organizations.list();
    if (!token) return this.organizations.of(userId);
    const own = this.organizations.get(token.organizationId);
    return own ? [own] : [];
  }
}

/**
 * A page of another origin cannot begin or end a session, even if it may call us with credentials
 * of its own.
 */
function refuseOtherPages(request: AuthenticatedRequest): void {
  if (!asksFromOwnPage(request))
    throw new MillraceError('FORBIDDEN', 'sessions are for pages of this server only');
}
