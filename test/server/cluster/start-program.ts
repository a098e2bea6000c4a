import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '../../../bin/prepare.mjs';

export interface Program {
  readonly process: ChildProcess;
  /** The program's health and metrics are here. */
  readonly status: string;
  readonly dataDirectory: string;
  /** All that it has printed and logged so far. */
  output(): string;
  /** Ends it in good order. @returns its exit code */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

const LOGGED_MAX = 10_000;

/**
 * Starts a built program as its launcher does, and waits until it says where its status is.
 * @param main below dist/apps
 */
export async function startProgram(
  main: string,
  dataDirectory: string,
  variables: Readonly<Record<string, string>>,
): Promise<Program> {
  const file = join(import.meta.dirname, '../../../dist/apps', main);
  const child = spawn(process.execPath, [file], {
    env: {
      ...environment(),
      MILLRACE_DATA_DIR: dataDirectory,
      MILLRACE_STATUS_ADDR: '127.0.0.1:0',
      // No proxy has to notice.
      MILLRACE_DRAIN_SECONDS: '0',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A terminal's Ctrl-C is for the one who started the cluster: it ends its programs in order.
    detached: true,
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const lines: string[] = [];
  const keep = (line: string): void => {
    lines.push(line);
    if (lines.length > LOGGED_MAX) lines.shift();
  };
  createInterface({ input: child.stderr }).on('line', keep);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await exited)[0];
  };
  const printed = createInterface({ input: child.stdout });
  for await (const line of printed) {
    keep(line);
    const status = /health and metrics are at (\S+)/.exec(line)?.[1];
    if (status === undefined) continue;
    child.stdout.resume();
    return {
      process: child,
      status,
      dataDirectory,
      output: () => lines.join('\n'),
      stop: () => end('SIGTERM'),
      kill: async () => void (await end('SIGKILL')),
    };
  }
  throw new Error(`${main} ended before it was there: ${lines.join('\n')}`);
}
