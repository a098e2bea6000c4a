import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isGlob } from './place.js';

/** File systems bound how long a name is. */
const NAME_MAX = 100;

/**
 * A path that the engine takes for no pattern. It reads `a{1,2}.csv` as `a1.csv` and `a2.csv`, and has
 * no way to write the first as it is, so that such a file or folder gets a link with a plain name.
 * @param directory for the link, which stays there
 */
export async function plainPath(path: string, directory: string): Promise<string> {
  if (!isGlob(path) || !existsSync(path)) return path;
  const hash = createHash('sha256').update(path).digest('hex');
  // The ending stays, for it tells how a file is packed.
  const name = basename(path).replaceAll(/[^\w.=-]/g, '_');
  const link = join(directory, `${hash}-${name.slice(-NAME_MAX)}`);
  await symlink(path, link).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  return link;
}
