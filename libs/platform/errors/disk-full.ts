import { MillraceError } from './errors.js';

const RETRY_AFTER_SECONDS = 30;
/** The operating system's names and numbers of this error. */
const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 28]);

/** Tells whether the operating system says that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return NO_SPACE.has((error as { code?: unknown } | undefined)?.code);
}

export function diskFull(cause?: unknown): MillraceError {
  return new MillraceError(
    'DISK_FULL',
    'the disk is nearly full; nothing of this request was stored; try again later',
    { retryAfterSeconds: RETRY_AFTER_SECONDS, cause },
  );
}

/**
 * Finds out why a commit of lmdb failed, because lmdb reports the reason apart from the failure. A
 * full disk becomes the error of {@link diskFull}.
 */
export async function failedCommit(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  const reason: unknown = commitError ? await commitError.catch((cause: unknown) => cause) : error;
  return isDiskFull(reason) ? diskFull(reason) : reason;
}
