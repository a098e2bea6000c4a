import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Server {
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends the server in good order and answers its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the built server on a free port and waits until it says that it listens. */
export async function startServer(variables: NodeJS.ProcessEnv = {}): Promise<Server> {
  const main = join(import.meta.dirname, '../../dist/apps/api/main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    env: { ...process.env, MILLRACE_HTTP_ADDR: '127.0.0.1:0', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      process: child,
      stop: async () => {
        child.kill('SIGTERM');
        const [code] = await exited;
        return code;
      },
    };
  }
  const [code] = await exited;
  throw new Error(`the server ended with code ${String(code)} before it listened`);
}
