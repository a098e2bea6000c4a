// Lets plain node run our TypeScript: `node --import ./test/doubles/typescript.mjs file.ts`.
// For doubles that must be processes of their own: they are killed, and have an engine of their own.
// What a file was compiled to stays in .cache/: loading the compiler is most of what compiling costs.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { swcOptions } from '../../bin/swc-options.mjs';

const root = new URL('../../', import.meta.url);
const cache = new URL('.cache/typescript/', root);
const options = { ...swcOptions, sourceMaps: 'inline', module: { type: 'es6' } };
/** Another compiler or other options make other code of the same text, so they are part of the key. */
const compiler = JSON.stringify([
  JSON.parse(readFileSync(new URL('node_modules/@swc/core/package.json', root), 'utf8')).version,
  options,
]);

export function resolve(specifier, context, next) {
  if (specifier.startsWith('@app/'))
    return next(new URL(`libs/${specifier.slice('@app/'.length)}/index.ts`, root).href, context);
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return next(specifier, context);
  const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
  return existsSync(fileURLToPath(url)) ? next(url.href, context) : next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  return { format: 'module', shortCircuit: true, source: await compiled(url) };
}

/** @param {string} url of a TypeScript file */
async function compiled(url) {
  const text = await readFile(new URL(url), 'utf8');
  // The place too: it is in the source map.
  const key = createHash('sha256').update(`${compiler}\0${url}\0${text}`).digest('hex');
  const kept = new URL(`${key}.mjs`, cache);
  const found = await readFile(kept, 'utf8').catch(() => undefined);
  if (found !== undefined) return found;
  const { transform } = await import('@swc/core');
  const { code } = await transform(text, { ...options, filename: fileURLToPath(url) });
  await mkdir(cache, { recursive: true });
  // The file has another name until it is whole, because another process may look.
  const part = new URL(`${key}.${process.pid}.part`, cache);
  await writeFile(part, code);
  await rename(part, kept);
  return code;
}

// This file is its own hooks; in their thread it registers nothing.
const { isMainThread } = await import('node:worker_threads');
if (isMainThread) register(import.meta.url);
