#!/usr/bin/env node
// `npx millrace upload …`: runs the command line program. A fresh clone is made ready first; what
// is built is run as it is, for several may run at the same time.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

const main = join(root, 'dist', 'apps', 'cli', 'main.js');
if (!existsSync(main)) await prepare();
const { run } = await import(pathToFileURL(main).href);
const { MILLRACE_USER: user, MILLRACE_PASSWORD: password } = process.env;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
process.exitCode = await run(process.argv.slice(2), { user, password, version });
