// `npm test`: makes a fresh clone ready, then runs jest.
// `node bin/test.mjs [unit|contract|e2e|distributed|campaign|faults|bench …] [jest options and paths]`
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { environment, prepare, root } from './prepare.mjs';

const suites = ['unit', 'contract', 'e2e', 'distributed', 'campaign', 'faults', 'bench'];
const args = process.argv.slice(2);
const chosen = [];
while (suites.includes(args[0])) chosen.push(args.shift());
if (chosen.length === 0) chosen.push('unit', 'contract', 'e2e');
// what measures needs the machine for itself; on a server of yours one spec at a time has its writers' claims
const onServer = chosen.includes('contract') && process.env.CLICKHOUSE_URL !== undefined;
if (chosen.includes('bench') || onServer) args.push('--runInBand');

await prepare();

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const child = spawn(process.execPath, [...flags, jest, ...args, '--selectProjects', ...chosen], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...environment() },
});
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => process.exit(code ?? 1));
