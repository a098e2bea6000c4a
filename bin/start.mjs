// `npm start`: makes a fresh clone ready, then runs the server: `node bin/start.mjs [app] [flags]`.
// Without an app, MILLRACE_ROLES decides which. `<app>/<program>` runs another program of that app, such as `api/replay`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { environment, prepare, root } from './prepare.mjs';

/** A process with one role of these alone is a program of its own. */
const programOf = { writer: 'ingest-writer', projector: 'api/projector' };

const [first, ...rest] = process.argv.slice(2);
const named = first !== undefined && !first.startsWith('-');
const roles = process.env.MILLRACE_ROLES?.trim() ?? '';
const app = named ? first : (programOf[roles] ?? 'api');
const flags = named ? rest : process.argv.slice(2);

await prepare();

const main = join(root, 'dist', 'apps', app.includes('/') ? `${app}.js` : join(app, 'main.js'));
// passport-http makes buffers in the old way, which Node.js would tell everyone at the first login.
const nodeFlags = ['--enable-source-maps', '--disable-warning=DEP0005'];
const child = spawn(process.execPath, [...nodeFlags, main, ...flags], {
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
