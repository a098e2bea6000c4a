import { ApiFailure, request, requestJson } from './request.js';

export interface Membership {
  readonly name: string;
  readonly role: string;
}

/** Somebody is signed in, and has these organizations. */
export interface Session {
  /** It is empty for a token. */
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly root: boolean;
  readonly organizations: readonly Membership[];
}

/**
 * Asks the server about the session of this browser.
 * @returns undefined when nobody is signed in
 */
export async function currentSession(): Promise<Session | undefined> {
  try {
    return (await requestJson<{ data: Session }>('/api/auth/session')).data;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) return undefined;
    throw error;
  }
}

export type Secret =
  { readonly email: string; readonly password: string } | { readonly token: string };

export async function signIn(secret: Secret): Promise<void> {
  await request('/api/auth/sign-in', { method: 'POST', body: JSON.stringify(secret) });
}

export async function signOut(): Promise<void> {
  await request('/api/auth/sign-out', { method: 'POST' });
}

/** The server decides what is done; this decides what is offered. */
export const mayUpload = (role: string): boolean => role !== 'viewer';
export const mayManage = ({ root }: Session, { role }: Membership): boolean =>
  root || role === 'admin';
