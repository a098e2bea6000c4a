import { z } from 'zod';

/** Token of the configured rule. */
export const SIGN_UP = Symbol('SignUp');

/** Says who may make an account by themselves. */
export interface SignUpConfig {
  readonly open: boolean;
  /** The domains of e-mail addresses, in lower case; empty: all. */
  readonly domains: readonly string[];
}

const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

const domains = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((each) => each.trim().toLowerCase())
      .filter((each) => each !== ''),
  )
  .refine((list) => list.every((each) => DOMAIN.test(each)), {
    error: 'want domains with commas between them, such as example.com,example.org',
  });

export const signUpVariables = {
  MILLRACE_SIGNUP: z.enum(['closed', 'open']).default('closed'),
  MILLRACE_SIGNUP_DOMAINS: domains,
};

interface Values {
  readonly MILLRACE_SIGNUP: 'closed' | 'open';
  readonly MILLRACE_SIGNUP_DOMAINS: readonly string[];
}

export function signUpConfig(values: Values): SignUpConfig {
  return { open: values.MILLRACE_SIGNUP === 'open', domains: values.MILLRACE_SIGNUP_DOMAINS };
}
