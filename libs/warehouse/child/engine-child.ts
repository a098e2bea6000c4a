import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { certain } from '@app/platform';

/** The restrictions that the kernel enforces for the process. */
export interface Walls {
  readonly files: boolean;
  readonly tcp: boolean;
}

/** Gives the engine's allocator the same settings as bin/process-environment.cjs. */
export const GIVE_BACK = 'dirty_decay_ms:250,muzzy_decay_ms:0';

/** An orderly end takes two seconds at most, unless a query cannot be ended. */
const END_MS = 5000;

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

export const outcome = ({ exitCode, signalCode }: ChildProcess): string =>
  signalCode === null ? `exit code ${exitCode}` : signalCode;

/** Tells whether this process waits for the child before it ends itself. */
export function hold(child: ChildProcess, held: boolean): void {
  const pipes = [child.stdin, child.stdout, child.stderr] as readonly (Socket | null)[];
  for (const each of [child, ...pipes]) {
    if (held) each?.ref();
    else each?.unref();
  }
}

/**
 * Ends the child by closing its input, so that it ends properly. A child that does not is killed.
 */
export async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  hold(child, true);
  child.stdin?.end();
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await exited;
  clearTimeout(late);
}

/** The first line that it writes. */
export async function readWalls(child: ChildProcess): Promise<Walls> {
  let text = '';
  for await (const bytes of certain(child.stdout, 'output of the engine')) {
    text += String(bytes);
    if (text.includes('\n')) break;
  }
  const [line = ''] = text.split('\n', 1);
  return line === '' ? { files: false, tcp: false } : (JSON.parse(line) as Walls);
}
