import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '../../bin/prepare.mjs';
import { printedLine } from './printed-line.mjs';

export interface Writer {
  readonly process: ChildProcess;
  /** All that it has logged so far. */
  output(): string;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../dist/apps/ingest-writer/main.js');

/** Starts the built writer as its launcher does, and waits until it says that it writes. */
export async function startWriter(
  dataDirectory: string,
  variables: Readonly<Record<string, string>>,
): Promise<Writer> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...environment(), MILLRACE_DATA_DIR: dataDirectory, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const logged: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => logged.push(line));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  if (!(await printedLine(child.stdout, /^Millrace writes$/)))
    throw new Error(`the writer ended before it wrote: ${logged.join('\n')}`);
  return {
    process: child,
    output: () => logged.join('\n'),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
