import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { regularFiles } from '../find-files.js';

/** Makes a tar of a folder. The same folder always becomes the same bytes. */
export function tarOf(folder: string): AsyncIterable<Uint8Array> {
  const tar = pack();
  fill(tar, folder).catch((error: unknown) => tar.destroy(error as Error));
  return tar as unknown as Readable;
}

async function fill(tar: Pack, folder: string): Promise<void> {
  for (const { name, path, size } of await regularFiles(folder)) {
    const entry = tar.entry({ name, size, mtime: new Date(0), mode: 0o644 });
    await pipeline(createReadStream(path), entry);
  }
  tar.finalize();
}
