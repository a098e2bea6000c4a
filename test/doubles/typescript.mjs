// Lets plain node run our TypeScript: `node --import ./test/doubles/typescript.mjs file.ts`.
// For doubles that must be processes of their own: they are killed, and have an engine of their own.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import { swcOptions } from '../../bin/swc-options.mjs';

const root = new URL('../../', import.meta.url);

export function resolve(specifier, context, next) {
  if (specifier.startsWith('@app/'))
    return next(new URL(`libs/${specifier.slice('@app/'.length)}/index.ts`, root).href, context);
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return next(specifier, context);
  const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
  return existsSync(fileURLToPath(url)) ? next(url.href, context) : next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transformFile(fileURLToPath(url), {
    ...swcOptions,
    sourceMaps: 'inline',
    module: { type: 'es6' },
  });
  return { format: 'module', shortCircuit: true, source: code };
}

// This file is its own hooks; in their thread it registers nothing.
const { isMainThread } = await import('node:worker_threads');
if (isMainThread) register(import.meta.url);
