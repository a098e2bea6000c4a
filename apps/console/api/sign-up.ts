import { requestJson } from './request.js';

interface SignUpRule {
  readonly open: boolean;
  /** Of e-mail addresses; none: all. */
  readonly domains: readonly string[];
}

export interface SignedUp {
  readonly organization: string;
  readonly user: string;
  readonly token: string;
}

/** Whether people may make an account by themselves. */
export const readSignUpRule = async (): Promise<SignUpRule> =>
  (await requestJson<{ data: SignUpRule }>('/api/signup')).data;

export async function signUp(person: Readonly<Record<string, string>>): Promise<SignedUp> {
  const asking = { method: 'POST', body: JSON.stringify(person) };
  return (await requestJson<{ data: SignedUp }>('/api/signup', asking)).data;
}
