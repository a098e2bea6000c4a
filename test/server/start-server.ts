import type { ChildProcess } from 'node:child_process';
import { Client } from './client.js';
import { ROOT, startProcess, type ServerOptions } from './server-process.mjs';

export { ROOT, type ServerOptions };

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

/**
 * A server of the suite's own: for one that gives it variables, stops or kills it, looks into its
 * data directory, or counts what the whole server has. Others borrow one: see borrow-server.ts.
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { url, process, dataDirectory, ended, output } = await startProcess(options);
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    process.kill(signal);
    return ended;
  };
  return {
    url,
    process,
    dataDirectory,
    client: new Client(url, ROOT),
    output,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  };
}
