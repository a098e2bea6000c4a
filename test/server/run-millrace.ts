import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environment } from '../../bin/prepare.mjs';
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
const PROGRAMS = join(import.meta.dirname, '../../dist/apps/api');

/** Runs `millrace` as its users do. */
export const startMillrace = (args: readonly string[], options: MillraceOptions): RunningMillrace =>
  start([PROGRAM, ...args], options);

/**
 * Runs a command for operators without the launcher and its source maps, which take as long as some
 * commands do. That the launcher leads to it is shown in test/e2e/operator-commands.spec.ts.
 * @param command such as `audit:verify`
 */
export function startOperator(
  [command = '', ...args]: readonly string[],
  { variables, ...options }: MillraceOptions,
): RunningMillrace {
  const program = join(PROGRAMS, `${command.replace(':', '-')}.js`);
  // Other variables of this process, such as KAFKA_BROKERS, are not for it.
  const { UV_THREADPOOL_SIZE = '', JE_MALLOC_CONF = '', NODE_COMPILE_CACHE = '' } = environment();
  const ours = { UV_THREADPOOL_SIZE, JE_MALLOC_CONF, NODE_COMPILE_CACHE };
  return start([program, ...args], { ...options, variables: { ...ours, ...variables } });
}

function start(
  args: readonly string[],
  { home, input, variables }: MillraceOptions,
): RunningMillrace {
  const child = spawn(process.execPath, args, {
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

export const runOperator = (args: readonly string[], options: MillraceOptions): Promise<Ended> =>
  startOperator(args, options).ended;

export const runMillrace = (args: readonly string[], options: MillraceOptions): Promise<Ended> =>
  startMillrace(args, options).ended;
