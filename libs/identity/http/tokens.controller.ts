import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { contextOf } from '@app/event-store';
import {
  Describe,
  MillraceError,
  organizationOf,
  readJson,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { TOKEN_ROLES, tokenNameProblem, type Token } from '../aggregates/tokens.js';
import { MakeToken, type MadeToken } from '../commands/tokens/make-token.command.js';
import { RevokeToken } from '../commands/tokens/revoke-token.command.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';
import { UsersProjection } from '../projections/users.projection.js';
import { done, type Done } from './done.js';

const STREAMS_MAX = 100;
/** The value is in microseconds; smaller values are seconds or milliseconds. */
const TIME_MIN = 1_000_000_000_000_000;
const TIME_MAX = 10_413_792_000_000_000;
const LISTED_STREAM = /^[A-Za-z0-9.-][A-Za-z0-9_.-]{0,126}$/;

const tokenBody = z.strictObject({
  name: z.string(),
  role: z.enum(TOKEN_ROLES, { error: `want ${TOKEN_ROLES.join(', ')}` }),
  streams: z
    .array(z.string().regex(LISTED_STREAM, 'want names of streams'))
    .min(1, 'name a stream, or leave it out: the token is for all then')
    .max(STREAMS_MAX)
    .nullish()
    .describe('Only these exist for the token, now or later; absent: all'),
  expires_at: z
    .number()
    .int()
    .min(TIME_MIN, 'want microseconds since 1970')
    .max(TIME_MAX)
    .nullish()
    .describe('Microseconds since 1970; absent: it is good until it is revoked'),
});

interface TokenRecord {
  readonly name: string;
  readonly role: string;
  /** Null means all streams that there are, and will be. */
  readonly streams: readonly string[] | null;
  /** Microseconds since the epoch; null: it does not expire. */
  readonly expires_at: number | null;
  /** Microseconds since the epoch. */
  readonly created_at: number;
  /** E-mail; empty when the account is gone. */
  readonly created_by: string;
}

const TAG = 'Tokens';
const EXAMPLE = {
  name: 'shipper',
  role: 'editor',
  streams: ['logs'],
  expires_at: 4_102_444_800_000_000,
  created_at: 1_790_000_000_000_000,
  created_by: 'ann@example.com',
};
const BAD_NAME =
  'token name "a b": want 1 to 63 letters, digits, "_", "-" or ".", beginning with a letter or digit';

/** Secrets of an organization, each for one program. Its admins make and revoke them. */
@Controller('api/:org/tokens')
@Requires('manage-organization')
export class TokensController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  @Get()
  @Describe({
    tag: TAG,
    summary: 'Tokens of the organization, without their secrets; expired ones too',
    answer: { data: [EXAMPLE] },
  })
  list(@Req() request: AuthenticatedRequest): { data: readonly TokenRecord[] } {
    const tokens = this.organizations.get(organizationOf(request).id)?.tokens ?? new Map();
    const named = ([...tokens.values()] as Token[]).sort((a, b) => (a.name < b.name ? -1 : 1));
    return { data: named.map((each) => this.recordOf(each)) };
  }

  @Post()
  @HttpCode(200)
  @Describe({
    tag: TAG,
    summary: 'Make a token; its secret, to send as `Authorization: Bearer`, is told this once',
    body: {
      schema: tokenBody,
      example: {
        name: 'shipper',
        role: 'editor',
        streams: ['logs'],
        expires_at: 4_102_444_800_000_000,
      },
    },
    answer: {
      code: 200,
      data: { ...EXAMPLE, token: 'mr_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' },
    },
    failures: {
      INVALID_NAME: BAD_NAME,
      INVALID_PARAMETER: 'role: want editor, member, viewer',
      ALREADY_EXISTS: 'there is a token shipper; revoke it first, or choose another name',
      LIMIT_REACHED: 'the organization has 1000 tokens, and may not have more; revoke some',
      CONFLICT:
        'token shipper was made by this request before, and its secret told then; revoke it and make another one',
    },
  })
  async make(
    @Req() request: AuthenticatedRequest,
  ): Promise<{ code: 200; data: TokenRecord & { readonly token: string } }> {
    const { name, role, streams, expires_at: expiry } = await readJson(request, tokenBody);
    const problem = tokenNameProblem(name);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    const context = contextOf(request);
    const expiresAt = typeof expiry === 'number' ? isoOf(expiry) : undefined;
    if (expiresAt !== undefined && expiresAt <= context.occurredAt)
      throw new MillraceError('INVALID_PARAMETER', 'expires_at: it is over already');
    const wanted = {
      name,
      role,
      ...(streams ? { streams: [...new Set(streams)] } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const { token, secret } = await this.commands.execute<MakeToken, MadeToken>(
      new MakeToken(organizationOf(request), wanted, context),
    );
    return { code: 200, data: { ...this.recordOf(token), token: secret } };
  }

  @Delete(':name')
  @Describe({
    tag: TAG,
    summary: 'Revoke a token: it opens nothing any more, at any node',
    answer: done('token revoked'),
    failures: { TOKEN_NOT_FOUND: 'there is no token of this name' },
  })
  async revoke(@Req() request: AuthenticatedRequest, @Param('name') name: string): Promise<Done> {
    await this.commands.execute(new RevokeToken(organizationOf(request), name, contextOf(request)));
    return done('token revoked');
  }

  private recordOf({ name, role, streams, expiresAt, madeAt, madeBy }: Token): TokenRecord {
    return {
      name,
      role,
      streams: streams ?? null,
      expires_at: expiresAt === undefined ? null : Date.parse(expiresAt) * 1000,
      created_at: Date.parse(madeAt) * 1000,
      created_by: this.users.byId(madeBy)?.email ?? '',
    };
  }
}

const isoOf = (microseconds: number): string =>
  new Date(Math.floor(microseconds / 1000)).toISOString();
