// Compiles apps/ and libs/ to dist/ with swc (types are checked by `npm run typecheck`).
// `@app/<lib>` becomes a relative path here, so that plain node runs the output.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { alone } from './alone.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
/**
 * Everything is made in this folder first. It is as deep as dist, because files refer to others by
 * relative paths.
 */
const part = join(root, 'dist.part');
export const buildStamp = join(dist, '.build-stamp');

async function files(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((e) => e.isFile()).map((e) => join(e.parentPath ?? e.path, e.name));
}

/** The code for the browser has a bundler of its own. */
const browserCode = join(root, 'apps', 'console', '/');

const isOutput = (file) => !/\.(spec|d)\.ts$|\.md$|(^|\/)tsconfig[^/]*\.json$/.test(file);

/** Only one process may build at a time. */
export async function build() {
  const started = new Date();
  await rm(part, { recursive: true, force: true });
  const { transformFile } = await import('@swc/core');
  const { swcOptions } = await import('./swc-options.mjs');
  const options = {
    ...swcOptions,
    cwd: root,
    jsc: { ...swcOptions.jsc, baseUrl: root, paths: { '@app/*': ['./libs/*/index.ts'] } },
    module: { type: 'es6', resolveFully: true },
  };
  const sources = (await Promise.all(['apps', 'libs'].map((d) => files(join(root, d)))))
    .flat()
    .filter((file) => isOutput(file) && !file.startsWith(browserCode));
  const written = new Set();

  async function emit(source) {
    const target = join(part, relative(root, source)).replace(/\.ts$/, '.js');
    await mkdir(dirname(target), { recursive: true });
    written.add(target);
    if (!source.endsWith('.ts')) return copyFile(source, target);
    const sourceFileName = relative(dirname(target), source);
    const { code, map } = await transformFile(source, { ...options, sourceFileName });
    const mapName = `${target.slice(target.lastIndexOf('/') + 1)}.map`;
    written.add(`${target}.map`);
    await writeFile(`${target}.map`, map);
    await writeFile(target, `${code}//# sourceMappingURL=${mapName}\n`);
  }
  const results = await Promise.allSettled(sources.map(emit));
  const failed = results.filter((r) => r.status === 'rejected');
  if (failed.length > 0) {
    for (const { reason } of failed) console.error(reason?.message ?? reason);
    throw new Error(`build failed: ${failed.length} of ${sources.length} files`);
  }

  // Our own modules do nothing when they are loaded but define what they export, so a bundle leaves
  // out those of which it uses nothing: an index.ts would bring its whole library.
  const toBundlers = { type: 'module', sideEffects: false };
  await writeFile(join(part, 'package.json'), JSON.stringify(toBundlers));

  const { bundleEdge } = await import('./bundle-edge.mjs');
  for (const file of await bundleEdge(part)) written.add(file);
  const { bundlePrograms } = await import('./bundle-programs.mjs');
  for (const file of await bundlePrograms(part)) written.add(file);
  const { bundleConsole } = await import('./bundle-console.mjs');
  for (const file of await bundleConsole(root, part)) written.add(file);

  const { copyGraphiql } = await import('./copy-graphiql.mjs');
  for (const file of await copyGraphiql(root, part)) written.add(file);

  await publish([...written].map((file) => relative(part, file)));
  await writeFile(buildStamp, '');
  await utimes(buildStamp, started, started);
  console.error(`built ${sources.length} files in ${Date.now() - started.getTime()} ms`);
}

/**
 * Puts each file in its place whole, for a program may run or start meanwhile: new names first, as
 * the others import them, and what is not needed any more goes last.
 * @param {readonly string[]} written below dist
 */
async function publish(written) {
  const folders = new Set(written.map((file) => dirname(join(dist, file))));
  await Promise.all([...folders].map((folder) => mkdir(folder, { recursive: true })));
  const put = (file) => rename(join(part, file), join(dist, file));
  const replaced = new Set(written.filter((file) => existsSync(join(dist, file))));
  const added = written.filter((file) => !replaced.has(file));
  await Promise.all(added.map(put));
  await Promise.all([...replaced].map(put));
  const kept = new Set([buildStamp, ...written.map((file) => join(dist, file))]);
  const stale = (await files(dist)).filter((file) => !kept.has(file));
  await Promise.all(stale.map((file) => rm(file, { force: true })));
  await rm(part, { recursive: true, force: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  alone(root, build).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
