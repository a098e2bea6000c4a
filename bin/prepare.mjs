// Gives a fresh clone what it needs to run: the right Node, the packages, the build. It uses
// built-in modules of Node.js only. If nothing is missing, it makes no more than a few stat calls.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alone } from './alone.mjs';
import compileCache from './compile-cache.cjs';
import processEnvironment from './process-environment.cjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The process that runs it has the lock already. */
const BUILD = `
  const { build } = await import(process.argv[1]);
  await build().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
`;

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    stop(`Millrace needs Node.js 24; this is ${process.version}. See https://nodejs.org.`);
  if (major < 24)
    console.error(`Millrace is for Node.js 24 or newer; it still runs on this ${process.version}.`);
}

function stop(message) {
  console.error(message);
  process.exit(1);
}

function installPackages() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && modified(installed) >= modified(join(root, 'package-lock.json'))) {
    return;
  }
  console.error('installing packages (npm ci) …');
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    // npm's own output must not mix with what the program prints on stdout
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) stop(`npm ci failed${error ? `: ${error.message}` : ''}; nothing was started.`);
  const now = new Date();
  utimesSync(installed, now, now);
}

/** The newest change below a path; a folder's own time tells of deleted files. */
function newest(path) {
  let time = modified(path);
  if (time === 0 || !statSync(path).isDirectory()) return time;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(child) : modified(child));
  }
  return time;
}

function buildIfStale() {
  const stamp = modified(join(root, 'dist', '.build-stamp'));
  const sources = ['apps', 'libs', 'bin', 'tsconfig.json', 'package.json', 'package-lock.json'];
  if (stamp !== 0 && sources.every((source) => newest(join(root, source)) <= stamp)) return;
  console.error('building …');
  // A process of its own: compilers would keep 1.5 GB for as long as the launcher runs.
  const builder = new URL('./build.mjs', import.meta.url).href;
  const args = ['--input-type=module', '--eval', BUILD, builder];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

export async function prepare() {
  checkNode();
  // Two processes that start at once must not install, or build, at the same time.
  await alone(root, () => {
    installPackages();
    buildIfStale();
  });
}

/**
 * The environment of the processes that we start: see process-environment.cjs. The tests' own
 * switch is for none of them.
 */
export function environment() {
  const all = { ...processEnvironment, NODE_COMPILE_CACHE: compileCache, ...process.env };
  delete all.MILLRACE_CAMPAIGN;
  return all;
}
