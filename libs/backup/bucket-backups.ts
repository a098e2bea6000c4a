import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '@app/platform';
import type { S3Bucket, S3Place } from '@app/object-store';
import { MANIFEST, readManifest } from './manifest.js';

/** This many files are sent at once. Most are small, and each costs a round trip. */
const AT_ONCE = 8;

interface CopyStep {
  readonly step: 'send' | 'fetch';
  readonly files: number;
  readonly of: number;
}
type Tell = (step: CopyStep) => void;

/** Backups below a folder of a bucket, each file as it is in the folder that `millrace backup` makes. */
export class BucketBackups {
  /** @param place the address of the folder with the backups */
  constructor(
    private readonly bucket: S3Bucket,
    private readonly place: S3Place,
  ) {}

  /**
   * Copies a backup into the bucket. Its manifest goes last, so a backup whose copying was
   * interrupted does not count; its files are written over when the backup is sent again.
   * @param folder absolute
   * @throws {Error} when the backup is not whole, when the bucket has another backup of that name,
   * or lacks the backup that it needs; {BucketError}
   */
  async send(folder: string, tell: Tell): Promise<void> {
    const { tables } = readManifest(folder);
    const name = basename(folder);
    if (await this.has(name))
      throw new OperatorError(
        `there is a backup ${name} in ${this.written} already; choose a name`,
      );
    if (tables?.base !== undefined && !(await this.has(tables.base)))
      throw new OperatorError(
        `the backup ${name} needs ${tables.base}, which is not in ${this.written}: send that one first`,
      );
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = found
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .filter((path) => path !== MANIFEST);
    await each(paths, 'send', tell, (path) =>
      this.bucket.put(this.keyOf(name, path), join(folder, path)),
    );
    await this.bucket.put(this.keyOf(name, MANIFEST), join(folder, MANIFEST));
  }

  /**
   * Copies a backup from the bucket, and the backup that it builds on.
   * @param into absolute; an empty folder @returns the folder of the backup
   * @throws {Error} when the bucket has no whole backup of that name; {BucketError}
   */
  async fetch(name: string, into: string, tell: Tell): Promise<string> {
    const folder = join(into, name);
    await this.fetchOne(name, folder, tell);
    const base = readManifest(folder).tables?.base;
    if (base !== undefined) await this.fetchOne(base, join(into, base), tell);
    return folder;
  }

  private async fetchOne(name: string, folder: string, tell: Tell): Promise<void> {
    const prefix = this.keyOf(name, '');
    const keys = await this.bucket.list(prefix);
    if (!keys) throw new OperatorError(`there is no bucket ${this.place.bucket}`);
    if (keys.length === 0) throw new OperatorError(`there is no backup ${name} in ${this.written}`);
    const paths = keys.map((key) => key.slice(prefix.length)).filter((path) => path !== '');
    const outside = paths.find((path) => path.split('/').includes('..') || path.startsWith('/'));
    if (outside !== undefined)
      throw new OperatorError(`${this.written}/${name} has a file ${outside}, which no backup has`);
    await each(paths, 'fetch', tell, async (path) => {
      const answer = await this.bucket.get(`${prefix}${path}`);
      if (!answer) throw new OperatorError(`${this.written}/${name}/${path} is gone`);
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const content = Readable.fromWeb(answer.body ?? new Blob([]).stream());
      await pipeline(content, createWriteStream(file, { mode: 0o600 }));
    });
    readManifest(folder);
  }

  private async has(name: string): Promise<boolean> {
    const manifest = await this.bucket.get(this.keyOf(name, MANIFEST));
    await manifest?.body?.cancel();
    return manifest !== undefined;
  }

  private get written(): string {
    const { bucket, prefix } = this.place;
    return prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
  }

  private keyOf(name: string, path: string): string {
    return [...(this.place.prefix === '' ? [] : [this.place.prefix]), name, path].join('/');
  }
}

async function each(
  paths: readonly string[],
  step: CopyStep['step'],
  tell: Tell,
  copy: (path: string) => Promise<void>,
): Promise<void> {
  const left = paths.values();
  let files = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const path of left) {
        await copy(path);
        files += 1;
        tell({ step, files, of: paths.length });
      }
    }),
  );
}
