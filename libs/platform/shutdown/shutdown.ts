import { Worker } from 'node:worker_threads';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type StopSignal = (typeof SIGNALS)[number];
const ECHO_MS = 1000;
const LIMIT_MS = 25_000;

/**
 * Closes the program on SIGINT or SIGTERM, once. Ctrl-C reaches a process more than once (the
 * terminal's group, npm), so a repetition within a second counts as the same signal; a later one
 * means "now".
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
 * Runs the listeners of `exit`, and ends the process by a signal. A normal exit would wait for
 * native code at work.
 */
export function breakOff(signal: (typeof SIGNALS)[number] = 'SIGTERM'): never {
  process.once('exit', () => {
    for (const each of SIGNALS) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  });
  process.exit();
}

/**
 * Ends the process on SIGINT and SIGTERM during the start, while there is nothing to drain.
 * @returns a function that stops this; `closeOnSignal` must be set up by then
 */
export function breakOffOnSignal(): () => void {
  const handlers = SIGNALS.map((signal) => [signal, () => breakOff(signal)] as const);
  for (const [signal, handler] of handlers) process.once(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.removeListener(signal, handler);
  };
}

/**
 * Running requests may finish within this time. A client that reads nothing must not delay the end.
 */
const DRAIN_MS = 10_000;

/**
 * Closes a server when its running requests have ended.
 * @param listener another listener whose connections go to the server; it accepts no more
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
 * Ends the process even if its main thread hangs in native code. A supervisor would do the same a
 * little later, and acknowledged data is on disk by then.
 * @returns a function that cancels this
 */
export function endWithin(milliseconds: number): () => void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`;
  const watch = new Worker(code, { eval: true });
  watch.unref();
  return () => void watch.terminate();
}
