// Bundles each package of very many files into one file; code that several packages share goes into
// further files. Jest gives every suite modules of its own, and takes a millisecond for each: Nest
// alone has eleven hundred.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Our code, and every package that is not bundled, imports each of these by its name alone. */
const NEST = ['common', 'core', 'cqrs', 'graphql', 'passport', 'platform-fastify', 'swagger'];
const PACKAGES = [...NEST, 'testing'].map((name) => `@nestjs/${name}`).concat('zod', 'graphql');

/** These packages go into the bundles. Any other package stays once, in its own folder. */
const WITHIN =
  /\/node_modules\/(?:@graphql-tools|@nestjs|es-toolkit|graphql(?:-tag|-ws)?|iterare|tslib|uid|zod)\//;

const others = {
  name: 'others stay outside',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === others || rest.kind === 'entry-point') return undefined;
      const found = await resolve(path, { ...rest, pluginData: others });
      const isWithin = found.errors.length === 0 && WITHIN.test(found.path);
      return isWithin ? found : { path, external: true };
    });
    // A module must still find the files beside it.
    onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const own = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll('import.meta.url', own), loader: 'js' };
    });
  },
};

const fileOf = (name) => name.replace('/', '-');

/** @returns {Promise<Readonly<Record<string, string>>>} the file of each, as jest's `moduleNameMapper` has it */
export async function bundleForJest() {
  const hash = createHash('sha256');
  for (const file of ['node_modules/.package-lock.json', 'bin/bundle-for-jest.mjs'])
    hash.update(await readFile(join(root, file)));
  const folder = join(root, '.cache', `packages-${hash.digest('hex').slice(0, 16)}`);
  if (!existsSync(folder)) {
    const { build } = await import('esbuild');
    const part = `${folder}.${process.pid}`;
    await mkdir(part, { recursive: true });
    await build({
      absWorkingDir: root,
      entryPoints: Object.fromEntries(PACKAGES.map((name) => [fileOf(name), name])),
      outdir: part,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
      target: 'node20',
      keepNames: true,
      logLevel: 'error',
      plugins: [others],
    });
    // Another run may have finished first.
    await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }));
  }
  return Object.fromEntries(
    PACKAGES.map((name) => [`^${name}$`, join(folder, `${fileOf(name)}.mjs`)]),
  );
}
