// A folder in memory for the files of a run of tests. Servers and engines make, sync and delete many
// small files, and on a disk that takes a tenth of the processor time. Files in memory outlive a
// process that is killed as those on a disk do; only a machine that stops would show a difference,
// and no suite stops it.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'millrace-tests-';
/** Two workers had less than half a gigabyte in it at any time. */
const ROOM = 4 * 2 ** 30;
const DAY_MS = 86_400_000;

/** It is fit if programs may be run from there, and there is room in it and in memory. */
function isFit() {
  if (!existsSync('/proc/mounts')) return false;
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === MEMORY);
  if (mount === undefined || mount[2] !== 'tmpfs' || mount[3].split(',').includes('noexec'))
    return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM;
}

/** Runs that were killed have left these. */
function removeOld() {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    const folder = join(MEMORY, name);
    const found = statSync(folder, { throwIfNoEntry: false });
    const isOurs = found?.uid === process.getuid();
    if (isOurs && Date.now() - found.mtimeMs > DAY_MS)
      rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {string | undefined} a new folder; undefined: this machine has none that is fit */
export function memoryFolder() {
  if (!isFit()) return undefined;
  removeOld();
  const folder = mkdtempSync(join(MEMORY, PREFIX));
  // It has the rights of /tmp, because PostgreSQL and MariaDB run as users of their own.
  chmodSync(folder, 0o1777);
  return folder;
}
