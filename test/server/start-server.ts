import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '../../bin/prepare.mjs';
import { Client } from './client.js';

export const ROOT = { email: 'root@example.com', password: 'Root-Secret-1' };

export interface ServerOptions {
  /** Kept by the caller; without one the server gets its own and it is gone after stop or kill. */
  readonly dataDirectory?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** The program of another build; absolute. */
  readonly main?: string | undefined;
}

export interface Server {
  readonly url: string;
  readonly process: ChildProcess;
  readonly dataDirectory: string;
  /** Requests as root. */
  readonly client: Client;
  /** All that it has printed and logged so far. */
  output(): string;
  /** Ends it in good order. @returns its exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../dist/apps/api/main.js');

/** Starts the built server on a free port, as its launcher does, and waits until it says that it listens. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const own = options.dataDirectory === undefined;
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'millrace-'));
  const child = spawn(process.execPath, ['--enable-source-maps', options.main ?? MAIN], {
    env: {
      ...environment(),
      MILLRACE_HTTP_ADDR: '127.0.0.1:0',
      MILLRACE_DATA_DIR: dataDirectory,
      MILLRACE_ROOT_PASSWORD: ROOT.password,
      MILLRACE_LOG_LEVEL: 'fatal',
      // No proxy has to notice.
      MILLRACE_DRAIN_SECONDS: '0',
      // How long tests go on is nothing that a server knows.
      MILLRACE_CAMPAIGN: undefined,
      // With KAFKA_BROKERS set, the same specs run on Kafka, each server on topics of its own.
      KAFKA_NAMESPACE: basename(dataDirectory),
      ...options.variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const printed: string[] = [];
  child.stdout.on('data', (bytes: Buffer) => printed.push(bytes.toString()));
  const cleanUp = (): void => {
    if (own) rmSync(dataDirectory, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    const end = async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      const [code] = await exited;
      cleanUp();
      return code;
    };
    return {
      url,
      process: child,
      dataDirectory,
      client: new Client(url, ROOT),
      output: () => [...printed, ...complaints].join('\n'),
      stop: () => end('SIGTERM'),
      kill: async () => void (await end('SIGKILL')),
    };
  }
  const [code] = await exited;
  cleanUp();
  throw new Error(
    `the server ended with code ${String(code)} before it listened: ${complaints.join('\n')}`,
  );
}
