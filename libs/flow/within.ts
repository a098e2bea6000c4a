import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for work, but not longer than so many milliseconds. The work itself goes on.
 * @param late makes the result for work that takes longer, or throws
 * @throws the errors of the work and of `late`
 */
export async function within<T, Late>(
  milliseconds: number,
  work: Promise<T>,
  late: () => Late,
): Promise<T | Late> {
  const settled = new AbortController();
  const tooLong = sleep(milliseconds, undefined, { signal: settled.signal }).then(late);
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    settled.abort();
  }
}
