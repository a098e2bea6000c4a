import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncPath, unlessGone } from '@app/files';
import type { Manifest } from './manifest.js';

type KeptFile = Manifest['files'][number];

/** Names of files that are being written, or wiped. */
const UNFINISHED = /\.(?:new|dropped)$/;

/**
 * Copies the files of a folder while files appear and disappear in it. A folder that does not exist
 * has no files.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  for (const name of await unlessGone(readdir(from), [])) {
    if (UNFINISHED.test(name)) continue;
    const target = join(to, name);
    if ((await unlessGone(stat(target), undefined)) !== undefined) continue;
    await mkdir(to, { recursive: true });
    await unlessGone(cp(join(from, name), target), undefined);
  }
}

/** Copies a file that may not exist. */
export async function copyFile(from: string, to: string): Promise<void> {
  await unlessGone(cp(from, to), undefined);
}

/** Writes all files below a folder to disk before it resolves. */
export async function describeFiles(folder: string): Promise<readonly KeptFile[]> {
  const files: KeptFile[] = [];
  for (const file of await syncAll(folder)) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    const { size } = await stat(file);
    files.push({ path: relative(folder, file), bytes: size, sha256: hash.digest('hex') });
  }
  return files;
}

/** Writes all files below a folder, and the folders' entries, to disk. @returns the files */
export async function syncAll(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: string[] = [];
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.push(path);
    await syncPath(path);
  }
  await syncPath(folder);
  return files.sort();
}

/**
 * Copies the backup's files of the data directory.
 * @throws {Error} when a file is not what was backed up
 */
export async function restoreFiles(
  files: readonly KeptFile[],
  from: string,
  to: string,
): Promise<void> {
  for (const { path, sha256 } of files) {
    if (relative(to, join(to, path)).startsWith('..')) throw damaged(join(from, path));
    const hash = createHash('sha256');
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    const source = createReadStream(join(from, path));
    source.on('data', (bytes) => hash.update(bytes));
    await pipeline(source, createWriteStream(join(to, path), { mode: 0o600, flush: true }));
    if (hash.digest('hex') !== sha256) throw damaged(join(from, path));
  }
}

/** Deletes everything in a folder, but not the folder. */
export async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    await rm(join(folder, name), { recursive: true, force: true });
}

const damaged = (file: string): Error =>
  new Error(`${file} is not what was backed up: it is damaged; take another backup`);
