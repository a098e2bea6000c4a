import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;
const fresh = (file: string): string => `${file}.new`;

/**
 * Writes a file for its owner only. It is there whole, before or after; when this resolves it is on
 * disk, whatever happens. What a crash left half written is `<file>.new`.
 */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(fresh(file), 'w', OWNER_ONLY);
  try {
    // One that was left by somebody else has the mode that it had.
    await handle.chmod(OWNER_ONLY);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh(file), file);
  await syncPath(dirname(file));
}

/** A file's bytes or a folder's names are on disk when this resolves: a file's name is there only when its folder is. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Does the same as {@link writeDurably}, and nothing else runs meanwhile. */
export function writeDurablySync(file: string, content: Uint8Array): void {
  writeFileSync(fresh(file), content, { mode: OWNER_ONLY, flush: true });
  renameSync(fresh(file), file);
  syncPathSync(dirname(file));
}

/** Does the same as {@link syncPath}, and nothing else runs meanwhile. */
export function syncPathSync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
