// The console's files, from apps/console to dist/apps/console: hashed names, packed beside the
// plain ones, and the page that names them. What is in it is bundled here, once: the packages it
// is made of are needed by no process that runs.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The limit for the compressed bytes that the page loads at first. The build fails beyond it. */
const FIRST_LOAD_MAX = 250_000;

async function pack(file, bytes) {
  const br = promisify(brotliCompress)(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const packed = { '.br': await br, '.gz': await promisify(gzip)(bytes, { level: 9 }) };
  for (const [suffix, each] of Object.entries(packed)) await writeFile(file + suffix, each);
  return packed['.gz'].length;
}

/** The licenses of the bundled packages require that their texts go with every copy. */
async function licenses(source, inputs) {
  const folders = Object.keys(inputs).flatMap((input) => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? [];
    return folder ? [join(source, folder)] : [];
  });
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const name = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    if (!name) throw new Error(`${folder} has no license: it may not be bundled`);
    const { name: called, version } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    );
    return `${called} ${version}\n\n${await readFile(join(folder, name), 'utf8')}`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(78)}\n\n`);
}

/** @param {string} root @param {string} dist @returns {Promise<readonly string[]>} the files written */
export async function bundleConsole(root, dist) {
  const { build } = await import('esbuild');
  const source = join(root, 'apps', 'console');
  const target = join(dist, 'apps', 'console');
  await mkdir(target, { recursive: true });
  const { metafile, outputFiles } = await build({
    absWorkingDir: source,
    entryPoints: { console: 'main.tsx' },
    outdir: target,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    write: false,
  });
  const written = [];
  const texts = await licenses(source, metafile.inputs);
  const hash = createHash('sha256').update(texts).digest('hex').slice(0, 8).toUpperCase();
  const licensesFile = join(target, `licenses-${hash}.txt`);
  await writeFile(licensesFile, texts);
  written.push(licensesFile);
  const sizes = new Map();
  for (const { path, contents } of outputFiles) {
    await writeFile(path, contents);
    sizes.set(basename(path), await pack(path, contents));
    written.push(path, `${path}.br`, `${path}.gz`);
  }
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint);
  const [script, { cssBundle, imports }] = entry;
  const first = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => basename(path));
  const names = { script: basename(script), style: basename(cssBundle) };
  const firstLoad = [names.script, names.style, ...first];
  const bytes = firstLoad.reduce((sum, name) => sum + sizes.get(name), 0);
  if (bytes > FIRST_LOAD_MAX)
    throw new Error(`the console loads ${bytes} bytes at first; it may load ${FIRST_LOAD_MAX}`);
  const template = await readFile(join(source, 'index.html'), 'utf8');
  const page = join(target, 'index.html');
  await writeFile(
    page,
    template
      .replace('licenses.txt', `console/${basename(licensesFile)}`)
      .replace('main.css', `console/${names.style}`)
      .replace('main.tsx', `console/${names.script}`),
  );
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  console.error(`console: ${bytes} bytes compressed at first, ${all} in all`);
  return [...written, page];
}
