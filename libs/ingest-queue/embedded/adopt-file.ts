import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from '@app/platform';

/**
 * Moves a file into a folder of the same file system under a new name, its bytes synced to disk.
 * @returns the new name. `syncPath` makes the move itself durable.
 */
export async function adoptFile(file: string, folder: string): Promise<string> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  // The engine tells format and compression by the ending, such as `.compact.ndjson.zst`.
  const ending = /(?:\.[a-z0-9]+){1,3}$/.exec(file)?.[0] ?? '';
  const name = `${ulid()}${ending}`;
  await rename(file, join(folder, name));
  return name;
}
