import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import { printedLine } from './printed-line.mjs';

interface EdgeOptions {
  /** Working directory; this tree's fixtures from ROAPI by default. */
  readonly directory?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
}

/** Rows of an answer, or the error. */
export interface EdgeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON. */
  json<T>(): T;
}

export interface Edge {
  readonly url: string;
  readonly pid: number;
  /** All that it has printed so far, on both streams. */
  output(): string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<EdgeAnswer>;
  /** @param body text as it is; anything else as JSON. */
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<EdgeAnswer>;
  sql(statement: string): Promise<EdgeAnswer>;
  /** @returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export const ROAPI_FIXTURES = join(import.meta.dirname, '../fixtures/roapi');
const PROGRAM = join(import.meta.dirname, '../../bin/millrace-edge.cjs');
const ANYWHERE = ['--addr-http', '127.0.0.1:0'];

function run(args: readonly string[], { directory, variables, input }: EdgeOptions) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: directory ?? ROAPI_FIXTURES,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...variables },
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return { child, exited: once(child, 'exit') as Promise<[number | null]> };
}

/** Starts the program on a free port, as its users do, and waits until it says that it listens. */
export async function startEdge(args: readonly string[], options: EdgeOptions = {}): Promise<Edge> {
  const { child, exited } = run([...ANYWHERE, ...args], options);
  const printed: string[] = [];
  const lines = new PassThrough();
  child.stderr.on('data', (bytes: Buffer) => printed.push(bytes.toString()));
  child.stdout.on('data', (bytes: Buffer) => printed.push(bytes.toString()));
  child.stdout.pipe(lines);
  const url = (await printedLine(lines, /listens on (\S+)/))?.[1];
  if (url === undefined) throw new Error(`the edge program did not start: ${printed.join('')}`);
  const ask = asker(url);
  return {
    url,
    pid: child.pid ?? 0,
    output: () => printed.join(''),
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      typeof body === 'string'
        ? ask(path, { method: 'POST', body, headers })
        : ask(path, {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json', ...headers },
          }),
    sql: (statement) => ask('/api/sql', { method: 'POST', body: statement }),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

function asker(url: string) {
  return async (path: string, init: RequestInit): Promise<EdgeAnswer> => {
    const response = await fetch(`${url}${path}`, init);
    const body = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text: body,
      json: <T>() => JSON.parse(body) as T,
    };
  };
}

interface EndedEdge {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the program to its end: for texts it prints, and for starts that fail.
 * @param ended sends it SIGTERM, where it is not to come to its end by itself
 */
export async function runEdge(
  args: readonly string[],
  options: EdgeOptions = {},
  ended?: Promise<unknown>,
): Promise<EndedEdge> {
  const { child, exited } = run(args, options);
  void ended?.then(() => child.kill());
  const [[code], stdout, stderr] = await Promise.all([
    exited,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}
