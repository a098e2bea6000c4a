/** Another process has the engine's lock on its directory. */
const IN_USE = /Another server instance|Cannot lock file/;
const REASON_LENGTH_MAX = 600;

export const isLocked = (reason: string): boolean => IN_USE.test(reason);

/** @param reason the engine's message */
export function openingRefused(directory: string, reason: string, cause: unknown): Error {
  const message = isLocked(reason)
    ? `the data directory ${directory} is in use by another process`
    : `the engine cannot open the data directory ${directory}: ${reason.slice(0, REASON_LENGTH_MAX)}`;
  return new Error(message, { cause });
}
