import { readdir, realpath, stat, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenTable, LOG, type LocalCopy, type TableFolder } from './table-folder.js';

/** A table in a folder of the server's own disk. */
export class LocalFolder implements TableFolder {
  private links = 0;

  /**
   * @param root absolute; no link is on the way from the allowed location to it.
   * @param directory where the engine is shown the files under names of ours.
   */
  constructor(
    private readonly root: string,
    private readonly directory: string,
  ) {}

  async logNames(): Promise<readonly string[]> {
    const folder = join(this.root, LOG);
    if ((await plainPath(this.root, LOG)) === undefined)
      throw brokenTable('there is no folder _delta_log at that place');
    return readdir(folder);
  }

  async fetch(path: string): Promise<LocalCopy | undefined> {
    const found = await plainPath(this.root, path);
    if (found === undefined) return undefined;
    const status = await stat(found);
    if (!status.isFile()) throw brokenTable(`${path} is no file`);
    const file = join(this.directory, `linked-${this.links}.parquet`);
    this.links += 1;
    await symlink(found, file);
    return { file, bytes: status.size, release: () => unlink(file) };
  }
}

/**
 * The absolute path of what is below a folder; undefined when there is nothing.
 * @param root without links in it.
 * @throws {MillraceError} MALFORMED_BODY when a link is on the way.
 */
export async function plainPath(root: string, path: string): Promise<string | undefined> {
  const plain = join(root, path);
  try {
    if ((await realpath(plain)) === plain) return plain;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw brokenTable(`${path} cannot be read: ${code ?? 'unknown'}`, error);
  }
  throw brokenTable(`${path} is a link, or behind one`);
}
