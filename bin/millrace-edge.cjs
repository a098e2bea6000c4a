#!/usr/bin/env node
// `npx millrace-edge …`, `npm run edge -- …`: the edge program. A fresh clone is made ready first;
// what is built is run as it is, in this process: another one would cost a tenth of a second.
// CommonJS, for it is loaded without the thread pool, whose size is then still to be chosen.
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const compileCache = require('./compile-cache.cjs');
const environment = require('./process-environment.cjs');

Object.assign(process.env, { ...environment, ...process.env });

async function main() {
  const program = join(module.path, '..', 'dist', 'apps', 'edge', 'bundle.mjs');
  if (!existsSync(program)) {
    const { prepare } = await import('./prepare.mjs');
    await prepare();
  }
  enableCompileCache?.(compileCache);
  await import(pathToFileURL(program).href);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
