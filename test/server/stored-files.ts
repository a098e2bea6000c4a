import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

interface StoredFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** All files below a folder. A running server removes files between the listing and the reading: those are left out. */
export function storedFiles(folder: string): StoredFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) => {
      const bytes = bytesOf(file);
      return bytes === undefined ? [] : [{ path: relative(folder, file), bytes }];
    });
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
