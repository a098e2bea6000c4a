import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from './start-server.js';

interface MillraceOptions {
  /** Home folder: it keeps there which uploads have not ended. */
  readonly home: string;
  readonly input?: string | Buffer;
  readonly variables?: Readonly<Record<string, string>>;
}

export interface Ended {
  /** Null: by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunningMillrace {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export const PROGRAM = join(import.meta.dirname, '../../bin/millrace.mjs');

/** Runs `millrace` as its users do. */
export function startMillrace(
  args: readonly string[],
  { home, input, variables }: MillraceOptions,
): RunningMillrace {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      MILLRACE_USER: ROOT.email,
      MILLRACE_PASSWORD: ROOT.password,
      ...variables,
    },
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const ended = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { process: child, ended };
}

export const runMillrace = (args: readonly string[], options: MillraceOptions): Promise<Ended> =>
  startMillrace(args, options).ended;
