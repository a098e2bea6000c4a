import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 50;

/** Asks again and again until the answer is true. @throws when it is not for a whole minute. */
export async function until(isSo: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const late = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error(`not so within ${withinMs} ms: ${String(isSo)}`);
    await sleep(STEP_MS);
  }
}
