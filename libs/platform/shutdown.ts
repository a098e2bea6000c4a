import { Worker } from 'node:worker_threads';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type StopSignal = (typeof SIGNALS)[number];
const ECHO_MS = 1000;
const LIMIT_MS = 25_000;

/**
 * Closes the program on SIGINT or SIGTERM, once. Ctrl-C reaches a process more than once (the
 * terminal's group, npm), so an echo within a second is the same wish; a later one means "now".
 * @param drainSeconds of what `close` takes, how long it goes on serving on purpose
 */
export function closeOnSignal(
  close: (signal: StopSignal) => Promise<void>,
  drainSeconds = 0,
): void {
  let asked: number | undefined;
  const onSignal = (signal: StopSignal): void => {
    if (asked !== undefined) {
      if (performance.now() - asked > ECHO_MS) process.exit(1);
      return;
    }
    asked = performance.now();
    endWithin(LIMIT_MS + drainSeconds * 1000);
    close(signal).then(
      () => process.exit(0),
      (error: unknown) => {
        console.error('shutdown failed', error);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

/**
 * Runs what listens to `exit`, and ends the process by a signal. It is not torn down as at an exit,
 * since native code at work would be waited for.
 */
export function breakOff(signal: (typeof SIGNALS)[number] = 'SIGTERM'): never {
  process.once('exit', () => {
    for (const each of SIGNALS) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  });
  process.exit();
}

/**
 * Breaks off on SIGINT and SIGTERM: for the start, while there is nothing to drain.
 * @returns ends that; `closeOnSignal` is to stand by then
 */
export function breakOffOnSignal(): () => void {
  const handlers = SIGNALS.map((signal) => [signal, () => breakOff(signal)] as const);
  for (const [signal, handler] of handlers) process.once(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.removeListener(signal, handler);
  };
}

/** Requests in work may finish, for a while; a client that reads nothing must not keep us. */
const DRAIN_MS = 10_000;

/**
 * Closes a server when its requests in work have ended.
 * @param listener another one, whose connections the server has; it takes no more
 */
export async function drain(
  app: NestFastifyApplication,
  listener?: { close(): Promise<void> },
): Promise<void> {
  const cut = setTimeout(() => app.getHttpServer().closeAllConnections(), DRAIN_MS);
  await Promise.all([listener?.close(), app.close()]);
  clearTimeout(cut);
}

/**
 * Ends the process even when its main thread hangs in native code; a supervisor would do the same
 * a little later. What was acknowledged is on disk by then.
 * @returns calls that off
 */
export function endWithin(milliseconds: number): () => void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`;
  const watch = new Worker(code, { eval: true });
  watch.unref();
  return () => void watch.terminate();
}
