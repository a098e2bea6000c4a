import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_STEP_MS = 50;
const LAST_STEP_MS = 250;
/** A longer wait is asked about less often, because each question costs a server some work. */
const STEP_SHARE = 0.1;

/** Asks again and again until the answer is true. @throws when it is not for a whole minute. */
export async function until(isSo: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const begun = performance.now();
  while (!(await isSo())) {
    const waited = performance.now() - begun;
    if (waited > withinMs) throw new Error(`not so within ${withinMs} ms: ${String(isSo)}`);
    await sleep(Math.min(LAST_STEP_MS, Math.max(FIRST_STEP_MS, waited * STEP_SHARE)));
  }
}
