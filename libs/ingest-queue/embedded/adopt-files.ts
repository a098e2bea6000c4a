import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { certain, ulid } from '@app/platform';

/** The disk syncs several files in little more than the time of one. */
const AT_ONCE = 4;

/**
 * Moves files into a folder of the same file system under new names, their bytes synced to disk. If
 * one of them cannot be moved, none is left there.
 * @returns the new names, in the order of the files. `syncPath` makes the moves themselves durable.
 */
export async function adoptFiles(
  files: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const names = files.map(newName);
  let next = 0;
  const adoptSome = async (): Promise<void> => {
    while (next < files.length) {
      const index = next;
      next += 1;
      try {
        const [file, name] = [certain(files[index], 'file'), certain(names[index], 'name')];
        await adoptFile(file, join(folder, name));
      } catch (error) {
        next = files.length;
        throw error;
      }
    }
  };
  // All of them have ended before anything is removed, so no file comes afterwards.
  const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, adoptSome));
  const failed = done.find((each) => each.status === 'rejected');
  if (!failed) return names;
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
  throw failed.reason;
}

/** The engine tells format and compression by the ending, such as `.compact.ndjson.zst`. */
const newName = (file: string): string =>
  `${ulid()}${/(?:\.[a-z0-9]+){1,3}$/.exec(file)?.[0] ?? ''}`;

async function adoptFile(file: string, to: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(file, to);
}
