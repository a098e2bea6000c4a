import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The one method of a log that is needed here. */
interface WarningLog {
  warn(details: object, message: string): void;
}

const OTHERS = 0o077;
const OWNER_ONLY = { folder: 0o700, file: 0o600 };
/**
 * Below these folders nothing is checked, unless the folder above was open, because they may hold
 * very many files.
 */
const LARGE = new Set([
  ...['warehouse', 'person-keys', 'spool', 'dead-letter', 'payloads', 'backups'],
]);

/**
 * From now on only the owner can open files that this process creates. That includes files of
 * engines and drivers.
 */
export function makePrivately(): void {
  process.umask(OTHERS);
}

/**
 * Makes the data directory when it is not there, and closes it, and what is in it, to everybody but
 * its owner.
 * @throws {Error} when it is open to others and cannot be closed
 */
export function keepPrivate(directory: string, logger: WarningLog): void {
  makePrivately();
  mkdirSync(directory, { recursive: true, mode: OWNER_ONLY.folder });
  // Windows has no such modes.
  if (process.getuid === undefined) return;
  const wasOpen = isOpen(statSync(directory).mode);
  if (wasOpen) closeToOthers(directory, OWNER_ONLY.folder, directory);
  const closed = closeBelow(directory, directory, wasOpen) + (wasOpen ? 1 : 0);
  if (closed > 0)
    logger.warn(
      { directory, closed },
      'others could read files or folders of the data directory; they are open to their owner only now',
    );
}

const isOpen = (mode: number): boolean => (mode & OTHERS) !== 0;

/** @returns how many were open */
function closeBelow(folder: string, directory: string, all: boolean): number {
  let closed = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    // A link may lead to a file that we must not change.
    if (!entry.isDirectory() && !entry.isFile()) continue;
    const path = join(folder, entry.name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) continue;
    const open = isOpen(found.mode);
    if (open) {
      closeToOthers(
        path,
        entry.isDirectory() ? OWNER_ONLY.folder : found.mode & ~OTHERS,
        directory,
      );
      closed += 1;
    }
    if (entry.isDirectory() && (all || open || !LARGE.has(entry.name)))
      closed += closeBelow(path, directory, all || open);
  }
  return closed;
}

function closeToOthers(path: string, mode: number, directory: string): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    throw cannotClose(path, directory, error);
  }
  // Some file systems accept the change of mode and do nothing.
  if (isOpen(statSync(path).mode)) throw cannotClose(path, directory);
}

function cannotClose(path: string, directory: string, cause?: unknown): Error {
  return new Error(
    `others can read ${path}, and it cannot be closed to them: make this user the owner of all in ${directory}, on a file system that has modes, or set MILLRACE_DATA_DIR to a folder that this user may make`,
    { cause },
  );
}
