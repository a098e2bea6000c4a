import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { usageError } from './exit-code.js';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The credentials that the environment has. */
export interface KnownCredentials {
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/**
 * Asks on the terminal for a password that is not in the environment.
 * @throws {CliError} when nobody is there to answer
 */
export async function credentialsOf(
  known: KnownCredentials,
  user: string | undefined,
  readsInput: boolean,
): Promise<Credentials> {
  const name = user ?? known.user;
  if (name === undefined || name === '') throw usageError('want --user <email> or MILLRACE_USER');
  if (known.password) return { user: name, password: known.password };
  if (!process.stdin.isTTY || readsInput)
    throw usageError('want the password in MILLRACE_PASSWORD');
  return { user: name, password: await ask(`password of ${name}: `) };
}

/** The terminal shows nothing of what is typed. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_bytes, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
