// Keeps the program of this version for the next one, which is tested to serve beside it:
//   node --import ./test/doubles/typescript.mjs test/server/make-release-program.ts
// Once a release, from a build of what is released. That of the release before is taken away.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from '../../bin/prepare.mjs';
import { keepProgram } from './release-program.js';

const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
const { version } = JSON.parse(manifest) as { readonly version: string };

await prepare();
const file = keepProgram(version);
console.log(`made ${file}, ${statSync(file).size} bytes`);
