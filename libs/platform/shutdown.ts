import { Worker } from 'node:worker_threads';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const ECHO_MS = 1000;
const LIMIT_MS = 25_000;

/**
 * Closes the program on SIGINT or SIGTERM, once. Ctrl-C reaches a process more than once (the
 * terminal's group, npm), so an echo within a second is the same wish; a later one means "now".
 * @param drainSeconds of what `close` takes, how long it goes on serving on purpose
 */
export function closeOnSignal(close: () => Promise<void>, drainSeconds = 0): void {
  let asked: number | undefined;
  const onSignal = (): void => {
    if (asked !== undefined) {
      if (performance.now() - asked > ECHO_MS) process.exit(1);
      return;
    }
    asked = performance.now();
    endAfter(LIMIT_MS + drainSeconds * 1000);
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error('shutdown failed', error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/** Requests in work may finish, for a while; a client that reads nothing must not keep us. */
const DRAIN_MS = 10_000;

/** Closes a server when its requests in work have ended. */
export async function drain(app: NestFastifyApplication): Promise<void> {
  const cut = setTimeout(() => app.getHttpServer().closeAllConnections(), DRAIN_MS);
  await app.close();
  clearTimeout(cut);
}

/**
 * Ends the process even when its main thread hangs in native code; a supervisor would do the same
 * a little later. What was acknowledged is on disk by then.
 */
function endAfter(milliseconds: number): void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`;
  new Worker(code, { eval: true }).unref();
}
