/** Another process has the engine's lock on its directory. */
const IN_USE = /Another server instance|Cannot lock file/;
/** The engine's folder within the data directory that an operator knows. */
const OWN_FOLDER = /[\\/]warehouse(?:[\\/]store)?$/;
const REASON_LENGTH_MAX = 600;

export const isLocked = (reason: string): boolean => IN_USE.test(reason);

/** @param reason the engine's message */
export function openingRefused(directory: string, reason: string, cause: unknown): Error {
  const message = isLocked(reason)
    ? `the data directory ${directory.replace(OWN_FOLDER, '')} is in use by another process; stop that one first, or name another folder by MILLRACE_DATA_DIR`
    : `the engine cannot open the data directory ${directory}: ${reason.slice(0, REASON_LENGTH_MAX)}`;
  return new Error(message, { cause });
}
