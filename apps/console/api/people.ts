import { apiOf, request, requestJson } from './request.js';

/** Roles that a membership can have. */
export const ROLES = ['viewer', 'member', 'editor', 'admin'] as const;

export interface Member {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: string;
  /** Microseconds since the epoch. */
  readonly created_at: number;
  /** It is absent where root has said that the e-mail is theirs. */
  readonly email_proven?: false;
}

interface Invitation {
  readonly role: string;
  /** Microseconds since the epoch. */
  readonly expires_at: number;
}

export interface SentInvitation extends Invitation {
  readonly email: string;
}

export interface ReceivedInvitation extends Invitation {
  readonly organization: string;
}

export interface NewAccount {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly password: string;
  readonly role: string;
}

const usersOf = (organization: string): string => `${apiOf(organization)}/users`;
const userOf = (organization: string, email: string): string =>
  `${usersOf(organization)}/${encodeURIComponent(email)}`;

async function dataOf<T>(path: string): Promise<T> {
  return (await requestJson<{ data: T }>(path)).data;
}

/** Tells whether an answer made somebody a member, or has only invited them. */
async function isAdded(path: string, body: object): Promise<boolean> {
  const asking = { method: 'POST', body: JSON.stringify(body) };
  return (await requestJson<{ message: string }>(path, asking)).message !== 'Invitation sent';
}

export const readMembers = (organization: string): Promise<readonly Member[]> =>
  dataOf(usersOf(organization));

/**
 * Adds or invites the holder of an account.
 * @returns whether they are a member now; else they are invited, if there is such an account
 */
export const addMember = (organization: string, email: string, role: string): Promise<boolean> =>
  isAdded(userOf(organization, email), { role });

/**
 * Makes an account with a membership.
 * @returns whether they are a member now; else there was such an account, and it is invited
 */
export const registerMember = (organization: string, account: NewAccount): Promise<boolean> =>
  isAdded(usersOf(organization), account);

export async function changeRole(organization: string, email: string, role: string): Promise<void> {
  await request(userOf(organization, email), { method: 'PUT', body: JSON.stringify({ role }) });
}

/** Changes the names of one's own account. */
export async function changeNames(
  organization: string,
  email: string,
  names: Pick<Member, 'first_name' | 'last_name'>,
): Promise<void> {
  await request(userOf(organization, email), { method: 'PUT', body: JSON.stringify(names) });
}

/** Changes the password of one's own account. Every session of it ends. */
export async function changePassword(
  organization: string,
  email: string,
  before: string,
  wanted: string,
): Promise<void> {
  const body = JSON.stringify({ old_password: before, new_password: wanted });
  await request(userOf(organization, email), { method: 'PUT', body });
}

/** Says that the e-mail is its holder's. Only root may. */
export async function proveEmail(organization: string, email: string): Promise<void> {
  await request(`${userOf(organization, email)}/proven`, { method: 'POST' });
}

/**
 * Takes somebody out of an organization.
 * @param erase takes them out of all organizations and erases them; only root may
 */
export async function removeMember(
  organization: string,
  email: string,
  erase: boolean,
): Promise<void> {
  const path = userOf(organization, email) + (erase ? '?erase=true' : '');
  await request(path, { method: 'DELETE' });
}

export const readSent = (organization: string): Promise<readonly SentInvitation[]> =>
  dataOf(`${apiOf(organization)}/invitations`);

export async function withdrawInvitation(organization: string, email: string): Promise<void> {
  const path = `${apiOf(organization)}/invitations/${encodeURIComponent(email)}`;
  await request(path, { method: 'DELETE' });
}

/** Reads the invitations of the one who is signed in. */
export const readReceived = (): Promise<readonly ReceivedInvitation[]> =>
  dataOf('/api/invitations');

export async function answerInvitation(
  organization: string,
  answer: 'accept' | 'decline',
): Promise<void> {
  const path = `/api/invitations/${encodeURIComponent(organization)}/${answer}`;
  await request(path, { method: 'POST' });
}
