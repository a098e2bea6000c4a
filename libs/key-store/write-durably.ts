import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file for its owner only; when this returns it is on disk, whole, whatever happens. */
export function writeDurably(file: string, bytes: Uint8Array): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, bytes, { mode: 0o600, flush: true });
  renameSync(fresh, file);
  syncFolder(dirname(file));
}

/** A file's name is on disk only when its folder is. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
