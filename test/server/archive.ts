import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';

/** Files by their path in an archive. */
export type Files = ReadonlyMap<string, Buffer | string>;

/** The files of a folder, under paths that begin with `as`. */
export function filesOf(folder: string, as = ''): Map<string, Buffer | string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [as + file.slice(folder.length + 1), readFileSync(file)]));
}

export async function tar(files: Files): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of files) archive.entry({ name }, content);
  archive.finalize();
  return buffer(archive);
}

export const tarGz = async (files: Files): Promise<Buffer> => gzipSync(await tar(files));

export async function zip(files: Files): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of files) archive.addBuffer(Buffer.from(content), name);
  archive.end();
  return buffer(archive.outputStream);
}
