// Packs an empty database of PostgreSQL in WebAssembly. A thread that begins with it answers after
// a second; a thread that must create it first needs five. It is kept in .cache by version.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** @param {string} root of the tree. @param {string} target @returns {Promise<string>} the file written */
export async function makeCatalogData(root, target) {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(await readFile(join(dirname(main), '..', 'package.json'), 'utf8'));
  const kept = join(root, '.cache', `catalog-data-${version}.tar.gz`);
  if (!existsSync(kept)) {
    await mkdir(dirname(kept), { recursive: true });
    const { PGlite } = await import('@electric-sql/pglite');
    const postgres = await PGlite.create();
    const data = await postgres.dumpDataDir('gzip');
    const whole = `${kept}.${process.pid}`;
    await writeFile(whole, new Uint8Array(await data.arrayBuffer()));
    await rename(whole, kept);
    await postgres.close();
  }
  await copyFile(kept, target);
  return target;
}
