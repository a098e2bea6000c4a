import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for so many milliseconds, or until the signal aborts; the caller looks at the signal.
 * @param keepsProcess false where the process may end meanwhile
 */
export async function pause(
  milliseconds: number,
  signal?: AbortSignal,
  keepsProcess = true,
): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  await sleep(milliseconds, undefined, { ...options, ref: keepsProcess }).catch(() => undefined);
}
