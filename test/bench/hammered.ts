import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { familyProcessorSeconds } from './processor-time.js';

const run = promisify(execFile);
const HAMMER = join(import.meta.dirname, 'hammer.mjs');

export interface SmallRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of each answer; absent: 200. */
  readonly status?: number;
}

export interface Hammered {
  readonly requests: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The server, with the processes that it has started, used so much processor time for one request. */
  readonly microseconds: number;
}

type Told = Pick<Hammered, 'requests' | 'medianMs' | 'p99Ms'> & {
  readonly seconds: number;
  readonly bad: number;
};

/** Sends the same small request over and over, from a process of its own, and expects the same status each time. */
export async function hammered(
  { url, pid }: { readonly url: string; readonly pid: number },
  small: SmallRequest,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Hammered> {
  const before = familyProcessorSeconds(pid);
  const { port } = new URL(url);
  const args = [HAMMER, port, String(connections), String(seconds), JSON.stringify(small)];
  const { stdout } = await run(process.execPath, args);
  const used = familyProcessorSeconds(pid) - before;
  const told = JSON.parse(stdout) as Told;
  expect({ ...small, bad: told.bad }).toEqual({ ...small, bad: 0 });
  const { requests, medianMs, p99Ms } = told;
  return {
    requests,
    perSecond: requests / told.seconds,
    medianMs,
    p99Ms,
    microseconds: (used / requests) * 1e6,
  };
}
