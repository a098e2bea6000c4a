// `npm test`: makes a fresh clone ready, then runs jest.
// `node bin/test.mjs [unit|contract|e2e|distributed|campaign|faults|bench …] [jest options and paths]`
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from './memory-folder.mjs';
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

// The other suites are for a disk. What e2e runs on Kafka as well has its files on the disk there.
const inMemory = ['unit', 'contract', 'e2e'];
const { TMPDIR, KAFKA_BROKERS } = process.env;
const isFree = TMPDIR === undefined && KAFKA_BROKERS === undefined;
const folder =
  isFree && chosen.every((each) => inMemory.includes(each)) ? memoryFolder() : undefined;

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const child = spawn(process.execPath, [...flags, jest, ...args, '--selectProjects', ...chosen], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...environment(), ...(folder && { TMPDIR: folder }) },
});
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => {
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.exit(code ?? 1);
});
