import { MillraceError } from '@app/platform';
import type { Role } from './roles.js';

/** The roles of tokens. No token manages the organization. */
export const TOKEN_ROLES = ['editor', 'member', 'viewer'] as const satisfies readonly Role[];
type TokenRole = (typeof TOKEN_ROLES)[number];

/** A secret of an organization by which a program uploads and queries, in its own name. */
export interface Token {
  readonly organizationId: string;
  readonly tokenId: string;
  /** Only one token has the name at a time. */
  readonly name: string;
  /** The fingerprint of the secret, by the server's key. The secret itself is not stored. */
  readonly fingerprint: string;
  readonly role: TokenRole;
  /**
   * The names of the only streams that the token can see. None: all streams that there are, and
   * will be.
   */
  readonly streams?: readonly string[];
  /**
   * The id of the account that made it. The token belongs to the organization, and stays when that
   * person leaves.
   */
  readonly madeBy: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
  /** ISO 8601, UTC. None: the token is valid until it is revoked. */
  readonly expiresAt?: string;
}

export type TokenEvent = TokenMade | TokenRevoked | TokenExpired;

export interface TokenMade {
  readonly type: 'TokenMade';
  readonly data: Token;
}

interface Ended {
  readonly organizationId: string;
  readonly tokenId: string;
  readonly name: string;
}

export interface TokenRevoked {
  readonly type: 'TokenRevoked';
  readonly data: Ended;
}

/**
 * An expired token is replaced if its name, or its place in the limit, is needed. It has opened
 * nothing since it expired.
 */
export interface TokenExpired {
  readonly type: 'TokenExpired';
  readonly data: Ended;
}

/** The tokens by name. */
export type Tokens = ReadonlyMap<string, Token>;

/** One organization may have so many at a time. */
export const TOKENS_MAX = 1000;

/** The tokens after an event, which may have made or ended some. */
export function evolveTokens(tokens: Tokens, event: TokenEvent): Tokens {
  if (event.type === 'TokenMade') return new Map(tokens).set(event.data.name, event.data);
  const { tokenId } = event.data;
  return new Map([...tokens].filter(([, each]) => each.tokenId !== tokenId));
}

/** @throws {MillraceError} ALREADY_EXISTS, LIMIT_REACHED */
export function make(tokens: Tokens, wanted: Token): readonly (TokenMade | TokenExpired)[] {
  const now = wanted.madeAt;
  const named = tokens.get(wanted.name);
  if (named && !isOver(named, now))
    throw new MillraceError(
      'ALREADY_EXISTS',
      `there is a token ${wanted.name}; revoke it first, or choose another name`,
    );
  const isFull = tokens.size >= TOKENS_MAX;
  const over = [...tokens.values()].filter(
    (each) => isOver(each, now) && (isFull || each === named),
  );
  if (tokens.size - over.length >= TOKENS_MAX)
    throw new MillraceError(
      'LIMIT_REACHED',
      `the organization has ${TOKENS_MAX} tokens, and may not have more; revoke some`,
    );
  return [
    ...over.map((each): TokenExpired => ({ type: 'TokenExpired', data: ended(each) })),
    { type: 'TokenMade', data: wanted },
  ];
}

/** @throws {MillraceError} TOKEN_NOT_FOUND */
export function revoke(tokens: Tokens, name: string): readonly TokenRevoked[] {
  const token = tokens.get(name);
  if (!token) throw new MillraceError('TOKEN_NOT_FOUND', 'there is no token of this name');
  return [{ type: 'TokenRevoked', data: ended(token) }];
}

/** @param now ISO 8601, UTC */
export const isOver = ({ expiresAt }: Pick<Token, 'expiresAt'>, now: string): boolean =>
  expiresAt !== undefined && expiresAt <= now;

const ended = ({ organizationId, tokenId, name }: Token): Ended => ({
  organizationId,
  tokenId,
  name,
});

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Says what is wrong with a token's name, or undefined. */
export function tokenNameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  return `token name ${JSON.stringify(name.slice(0, 80))}: want 1 to 63 letters, digits, "_", "-" or ".", beginning with a letter or digit`;
}
