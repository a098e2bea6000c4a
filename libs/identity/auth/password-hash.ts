import { hash, verify } from '@node-rs/argon2';

/** The library's enum cannot be imported, because each module is compiled by itself. */
const ARGON2ID = 2;

/**
 * OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane; about 20 ms on a small
 * machine.
 */
const PARAMETERS = {
  algorithm: ARGON2ID,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS);
}

export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}

const LENGTH = { min: 8, max: 128 };

/** Says what is wrong with a new password, or undefined. */
export function passwordProblem(password: string): string | undefined {
  const strong = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].every((kind) => kind.test(password));
  const fits = password.length >= LENGTH.min && password.length <= LENGTH.max;
  // passport-http does not accept a Basic header whose password begins with a colon.
  if (strong && fits && !password.startsWith(':')) return undefined;
  return `a password needs ${LENGTH.min} to ${LENGTH.max} characters, with at least one lower-case letter, one upper-case letter, one digit and one other character, and may not begin with a colon`;
}
