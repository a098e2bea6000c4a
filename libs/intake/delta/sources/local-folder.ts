import { createReadStream } from 'node:fs';
import { link, readdir, realpath, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { TableBytes, tableTooLarge, type TableBytesOptions } from './table-bytes.js';
import { brokenTable, LOG, type LocalCopy, type TableFolder } from './table-folder.js';

/**
 * A table in a folder of the server's own disk. The engine reads files in the upload's own folder
 * only, so each file is linked into it, or copied if a link is impossible, for example from another
 * disk.
 */
export class LocalFolder implements TableFolder {
  private fetched = 0;
  private readonly bytes: TableBytes;

  /**
   * @param root absolute; the path from the allowed location to it has no links.
   * @param options `directory`: of the upload.
   */
  constructor(
    private readonly root: string,
    private readonly options: TableBytesOptions & { readonly directory: string },
  ) {
    this.bytes = new TableBytes(options, tableTooLarge);
  }

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
    const file = join(this.options.directory, `fetched-${this.fetched}.parquet`);
    this.fetched += 1;
    try {
      await link(found, file);
      return { file, bytes: status.size, release: () => unlink(file) };
    } catch {
      const bytes = await this.bytes.write(file, createReadStream(found));
      return { file, bytes, release: () => this.release(file, bytes) };
    }
  }

  private async release(file: string, bytes: number): Promise<void> {
    await unlink(file);
    this.options.room.give(bytes);
  }
}

/**
 * The absolute path of a file below a folder; undefined when it does not exist.
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
