import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  fstatSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncPathSync } from '@app/files';

/** Overwrites the content of a file, also on disk. */
export function overwrite(file: string): void {
  withFile(file, overwriteOpened);
}

/** Replaces one file by another, and overwrites the content of the old one. */
export function replaceWiped(from: string, file: string): void {
  const replace = (): void => {
    renameSync(from, file);
    syncPathSync(dirname(file));
  };
  if (!existsSync(file)) return replace();
  // The old file is overwritten through its descriptor, because its name belongs to the new file by
  // then. A crash in between leaves the old bytes on the disk.
  withFile(file, (handle) => {
    replace();
    overwriteOpened(handle);
  });
}

function withFile(file: string, work: (handle: number) => void): void {
  const handle = openSync(file, 'r+');
  try {
    work(handle);
  } finally {
    closeSync(handle);
  }
}

function overwriteOpened(handle: number): void {
  writeSync(handle, randomBytes(fstatSync(handle).size), 0);
  fsyncSync(handle);
}
