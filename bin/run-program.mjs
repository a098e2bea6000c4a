// Runs a built program of the server: for `npm start` and for `millrace serve` and its like.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { environment, root } from './prepare.mjs';

/** A process with one role of these alone is a program of its own. */
const programOf = { writer: 'ingest-writer', projector: 'api/projector' };

/** What MILLRACE_ROLES asks for. */
export const programOfRoles = () => programOf[process.env.MILLRACE_ROLES?.trim() ?? ''] ?? 'api';

/** @param {string} program such as `api` or `api/replay` */
export const fileOf = (program) =>
  join(root, 'dist', 'apps', program.includes('/') ? `${program}.js` : join(program, 'main.js'));

/** passport-http makes buffers in the old way, which Node.js would tell everyone at the first login. */
const NODE_FLAGS = ['--enable-source-maps', '--disable-warning=DEP0005'];

/** Runs it in a process of its own, for what it needs of its environment must be there when it starts. */
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
