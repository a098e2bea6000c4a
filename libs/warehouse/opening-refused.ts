/** Another process has the engine's lock on its directory. */
const IN_USE = /Another server instance|Cannot lock file/;
/** The engine's folder within the data directory that an operator knows. */
const OWN_FOLDER = /[\\/]warehouse(?:[\\/]store)?$/;
const REASON_LENGTH_MAX = 600;
const BEGINNING_MAX = 4000;
const END_MAX = 4000;

export const isLocked = (reason: string): boolean => IN_USE.test(reason);

/** Bounds what the engine says: the beginning of a message has its cause, the end what came last. */
export const boundedReason = (said: string): string =>
  said.length <= BEGINNING_MAX + END_MAX
    ? said
    : `${said.slice(0, BEGINNING_MAX)}${said.slice(-END_MAX)}`;

/** @param reason the engine's message */
export function openingRefused(directory: string, reason: string, cause: unknown): Error {
  const message = isLocked(reason)
    ? `the data directory ${directory.replace(OWN_FOLDER, '')} is in use by another process; stop that one first, or name another folder by MILLRACE_DATA_DIR`
    : `the engine cannot open the data directory ${directory}: ${reason.slice(0, REASON_LENGTH_MAX)}`;
  return new Error(message, { cause });
}
