import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { diskFull, MillraceError } from '@app/platform';
import { isOutOfSpace } from '../accept/out-of-space.js';

const CHECK_FREE_BYTES = 16 * 1024 * 1024;

/** Folder for bodies on their way to acceptance. Nothing in it outlives the process: what counts is in the queue. */
export class Spool {
  constructor(
    private readonly directory: string,
    private readonly minFreeBytes: number,
  ) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }

  /** A folder that stays for as long as the process runs. */
  folder(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /**
   * Runs work with a folder of its own, which is gone afterwards.
   * @throws {MillraceError} DISK_FULL, before or during the work.
   */
  async use<T>(id: string, work: (directory: string) => Promise<T>): Promise<T> {
    await this.checkFree();
    const directory = join(this.directory, id);
    try {
      await mkdir(directory);
      return await work(directory);
    } catch (error) {
      if (isOutOfSpace(error)) throw diskFull(error);
      throw error;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /**
   * Writes a body to a file.
   * @throws {MillraceError} DISK_FULL; EMPTY_BODY when there is nothing to write.
   */
  async write(file: string, body: AsyncIterable<Buffer>): Promise<void> {
    let [bytes, checked] = [0, 0];
    const checking = async function* (this: Spool): AsyncIterable<Buffer> {
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes - checked > CHECK_FREE_BYTES) {
          checked = bytes;
          await this.checkFree();
        }
        yield piece;
      }
    };
    await pipeline(checking.call(this), createWriteStream(file));
    if (bytes === 0) throw new MillraceError('EMPTY_BODY', 'the body is empty; send a file');
  }

  /** @throws {MillraceError} DISK_FULL when less than the configured room is left. */
  async checkFree(): Promise<void> {
    const { bavail, bsize } = await statfs(this.directory);
    if (bavail * bsize < this.minFreeBytes) throw diskFull();
  }
}
