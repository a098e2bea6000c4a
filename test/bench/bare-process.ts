import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunningProgram } from './roapi/start-roapi.js';

/** Starts a floor to measure against, such as `bare-route.mjs`: a program beside this one that prints its port. */
export async function startBare(program: string, ...args: string[]): Promise<RunningProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const stop = (): Promise<unknown> => {
    child.kill();
    return exited;
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
}
