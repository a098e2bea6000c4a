#!/usr/bin/env node
// `npx millrace-edge …`, `npm run edge -- …`: the edge program. A fresh clone is made ready first;
// what is built is run as it is.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environment, prepare, root } from './prepare.mjs';

const main = join(root, 'dist', 'apps', 'edge', 'main.js');
if (!existsSync(main)) await prepare();

const child = spawn(process.execPath, [main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: environment(),
});
// A terminal sends Ctrl-C to the whole group: the child has it already, so do not send it twice.
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
process.on('SIGHUP', () => child.kill('SIGTERM'));
child.on('error', (error) => {
  console.error(`cannot start ${main}: ${error.message}`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
