// Runs a built program of the server: for `npm start` and for `millrace serve` and its like.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { environment, root } from './prepare.mjs';

/** A process that has only one of these roles runs its own program. */
const programOf = { writer: 'ingest-writer', projector: 'api/projector' };

/** The roles that MILLRACE_ROLES asks for. */
export const programOfRoles = () => programOf[process.env.MILLRACE_ROLES?.trim() ?? ''] ?? 'api';

/** @param {string} program such as `api` or `api/replay` */
export const fileOf = (program) =>
  join(root, 'dist', 'apps', program.includes('/') ? `${program}.js` : join(program, 'main.js'));

/**
 * passport-http creates buffers in a deprecated way. Node.js would print a warning at the first
 * login.
 */
const NODE_FLAGS = ['--enable-source-maps', '--disable-warning=DEP0005'];

/** Runs the program in a process of its own, because its environment must be set when it starts. */
export function runProgram(program, flags) {
  const main = fileOf(program);
  const child = spawn(process.execPath, [...NODE_FLAGS, main, ...flags], {
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
}
