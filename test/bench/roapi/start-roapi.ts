import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/free-port.mjs';

export interface RunningProgram {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

const LOOK_AGAIN_MS = 5;

/** Starts ROAPI with a configuration file that the edge program can have as well, and waits until it answers. */
export async function startRoapi(program: string, config: string): Promise<RunningProgram> {
  const [http, postgres, flight] = await Promise.all([freePort(), freePort(), freePort()]);
  const address = (port: number): string => `127.0.0.1:${port}`;
  const addresses = [
    '-a',
    address(http),
    '-p',
    address(postgres),
    '--addr-flight-sql',
    address(flight),
  ];
  const child = spawn(program, ['-c', config, ...addresses], {
    // By default it logs a line for each request.
    env: { PATH: process.env.PATH, RUST_LOG: 'warn' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(child.stderr);
  const exited = once(child, 'exit');
  const url = `http://${address(http)}`;
  while (!(await isThere(url))) {
    if (child.exitCode !== null) throw new Error(`ROAPI did not start: ${await said}`);
    await sleep(LOOK_AGAIN_MS);
  }
  const stop = (): Promise<unknown> => {
    child.kill();
    return exited;
  };
  return { url, pid: child.pid ?? 0, stop };
}

const isThere = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );
