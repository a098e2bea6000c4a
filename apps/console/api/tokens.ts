import { apiOf, request, requestJson } from './request.js';

/** A token can have these roles, and is no admin's. */
export const TOKEN_ROLES = ['viewer', 'member', 'editor'] as const;

export interface Token {
  readonly name: string;
  readonly role: string;
  /** Null stands for all streams that there are and will be. */
  readonly streams: readonly string[] | null;
  /** It is in microseconds since the epoch. A token with null does not expire. */
  readonly expires_at: number | null;
  readonly created_at: number;
  /** It is empty when the account is gone. */
  readonly created_by: string;
}

interface NewToken {
  readonly name: string;
  readonly role: string;
  readonly streams: readonly string[] | null;
  readonly expires_at: number | null;
}

const tokensOf = (organization: string): string => `${apiOf(organization)}/tokens`;

export async function readTokens(organization: string): Promise<readonly Token[]> {
  return (await requestJson<{ data: readonly Token[] }>(tokensOf(organization))).data;
}

/**
 * Makes a token.
 * @returns the secret, which nobody is told again
 */
export async function makeToken(organization: string, token: NewToken): Promise<string> {
  const asking = { method: 'POST', body: JSON.stringify(token) };
  const { data } = await requestJson<{ data: { token: string } }>(tokensOf(organization), asking);
  return data.token;
}

export async function revokeToken(organization: string, name: string): Promise<void> {
  const path = `${tokensOf(organization)}/${encodeURIComponent(name)}`;
  await request(path, { method: 'DELETE' });
}

async function passcodeBy(organization: string, method: 'GET' | 'PUT'): Promise<string> {
  const path = `${apiOf(organization)}/passcode`;
  return (await requestJson<{ data: { passcode: string } }>(path, { method })).data.passcode;
}

export const readPasscode = (organization: string): Promise<string> =>
  passcodeBy(organization, 'GET');

/** Replaces the passcode. The old one is dead then. */
export const rotatePasscode = (organization: string): Promise<string> =>
  passcodeBy(organization, 'PUT');
