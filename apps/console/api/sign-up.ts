import { requestJson } from './request.js';

interface SignUpRule {
  readonly open: boolean;
  /** E-mail addresses must end in one of these; an empty list lets all in. */
  readonly domains: readonly string[];
}

export interface SignedUp {
  readonly organization: string;
  readonly user: string;
  readonly token: string;
}

/** Asks whether people may make an account by themselves. */
export const readSignUpRule = async (): Promise<SignUpRule> =>
  (await requestJson<{ data: SignUpRule }>('/api/signup')).data;

export async function signUp(person: Readonly<Record<string, string>>): Promise<SignedUp> {
  const asking = { method: 'POST', body: JSON.stringify(person) };
  return (await requestJson<{ data: SignedUp }>('/api/signup', asking)).data;
}
