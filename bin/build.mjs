// Compiles apps/ and libs/ to dist/ with swc (types are checked by `npm run typecheck`).
// `@app/<lib>` becomes a relative path here, so that plain node runs the output.
import { copyFile, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
export const buildStamp = join(dist, '.build-stamp');

async function files(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((e) => e.isFile()).map((e) => join(e.parentPath ?? e.path, e.name));
}

/** Goes through a bundler of its own. */
const browserCode = join(root, 'apps', 'console', '/');

const isOutput = (file) => !/\.(spec|d)\.ts$|\.md$|(^|\/)tsconfig[^/]*\.json$/.test(file);

export async function build() {
  const started = new Date();
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
    const target = join(dist, relative(root, source)).replace(/\.ts$/, '.js');
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

  const { bundleEdge } = await import('./bundle-edge.mjs');
  for (const file of await bundleEdge(dist)) written.add(file);
  const { bundlePrograms } = await import('./bundle-programs.mjs');
  for (const file of await bundlePrograms(dist)) written.add(file);
  const { bundleConsole } = await import('./bundle-console.mjs');
  for (const file of await bundleConsole(root, dist)) written.add(file);

  const stale = (await files(dist)).filter((f) => f !== buildStamp && !written.has(f));
  await Promise.all(stale.map((f) => rm(f, { force: true })));
  await writeFile(buildStamp, '');
  await utimes(buildStamp, started, started);
  console.error(`built ${sources.length} files in ${Date.now() - started.getTime()} ms`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  build().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
