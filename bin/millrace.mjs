#!/usr/bin/env node
// The program `millrace`: `upload` is for people with data, the other commands are for operators. A
// fresh clone is built first. A build without sources beside it, as in the image and the package,
// is run as it is.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import compileCache from './compile-cache.cjs';
import { prepare, root } from './prepare.mjs';
import processEnvironment from './process-environment.cjs';
import { fileOf, programOfRoles, runProgram } from './run-program.mjs';

/** Commands that are programs of the server. */
const programs = {
  serve: programOfRoles(),
  'dead-letter': 'api/dead-letter',
  'audit:verify': 'api/audit-verify',
  replay: 'api/replay',
  backup: 'api/backup',
  restore: 'api/restore',
  'change-key': 'api/change-key',
  'seal-events': 'api/seal-events',
  reconcile: 'api/reconcile',
};

const [command, ...flags] = process.argv.slice(2);
const isProgram = command !== undefined && Object.hasOwn(programs, command);
const cli = fileOf('cli');
// Several uploads may run at the same time, and a build would change their files.
if (!existsSync(cli) || (isProgram && existsSync(join(root, 'apps')))) await prepare();

if (isProgram) {
  const isReady = Object.keys(processEnvironment).every((name) => name in process.env);
  if (isReady) await runHere(fileOf(programs[command]));
  else runProgram(programs[command], flags);
} else {
  const { run } = await import(pathToFileURL(cli).href);
  const { MILLRACE_USER: user, MILLRACE_PASSWORD: password } = process.env;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  process.exitCode = await run(process.argv.slice(2), { user, password, version });
}

/** Runs as the image's first process, which signals go to: another one would only take memory. */
async function runHere(main) {
  process.argv = [process.execPath, main, ...flags];
  process.setSourceMapsEnabled(true);
  modules.enableCompileCache?.(compileCache);
  await import(pathToFileURL(main).href);
}
