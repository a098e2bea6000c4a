import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;
const fresh = (file: string): string => `${file}.new`;

/**
 * Writes a file for its owner only. A reader sees the old file or the new one. When this resolves,
 * the file is on disk. A crash may leave an incomplete `<file>.new`.
 */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(fresh(file), 'w', OWNER_ONLY);
  try {
    // A file that somebody else left keeps its mode.
    await handle.chmod(OWNER_ONLY);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh(file), file);
  await syncPath(dirname(file));
}

/**
 * Resolves when a file's bytes, or a folder's entries, are on disk. A file's name is durable only
 * when its folder is.
 */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Does the same as {@link writeDurably}, synchronously. */
export function writeDurablySync(file: string, content: Uint8Array): void {
  writeFileSync(fresh(file), content, { mode: OWNER_ONLY, flush: true });
  renameSync(fresh(file), file);
  syncPathSync(dirname(file));
}

/** Does the same as {@link syncPath}, synchronously. */
export function syncPathSync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
