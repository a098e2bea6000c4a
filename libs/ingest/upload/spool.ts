import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFull } from '@app/platform';
import { isOutOfSpace } from '../accept/out-of-space.js';

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

  /** @throws {MillraceError} DISK_FULL when less than the configured room is left. */
  async checkFree(): Promise<void> {
    const { bavail, bsize } = await statfs(this.directory);
    if (bavail * bsize < this.minFreeBytes) throw diskFull();
  }
}
