// Brings the Python and Node.js packages that docs/clients.md names, once for these versions: `node
// test/clients/fetch.mjs`. It reports packages that cannot be had; their tests then report that
// they did not run.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = import.meta.dirname;
const cache = join(here, '../../.cache');
/** Other versions go to another folder. */
const folderFor = (name, ...files) => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(here, file)));
  return join(cache, `clients-${name}-${hash.digest('hex').slice(0, 12)}`);
};

export const pythonFolder = folderFor('python', 'requirements.txt');
export const nodeFolder = folderFor('node', 'package.json', 'package-lock.json');

const run = (command, args, cwd) => {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  if (status !== 0) throw new Error(error?.message ?? stderr.slice(-2000));
};

/**
 * Fetches into a folder. The last step puts a mark there, so a fetch that was cut short does not
 * count as done.
 */
function fetchInto(folder, fill) {
  if (existsSync(join(folder, 'whole'))) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  fill();
  mkdirSync(join(folder, 'whole'));
}

function fetchPython() {
  run('python3', ['-m', 'venv', pythonFolder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
  const packages = ['--only-binary', ':all:', '--no-deps', '-r', join(here, 'requirements.txt')];
  run(join(pythonFolder, 'bin/python'), [...pip, ...packages]);
}

function fetchNode() {
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(here, file), join(nodeFolder, file));
  run('npm', ['ci', '--silent', '--ignore-scripts'], nodeFolder);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [language, folder, fill] of [
    ['Python', pythonFolder, fetchPython],
    ['Node.js', nodeFolder, fetchNode],
  ])
    try {
      fetchInto(folder, fill);
    } catch (error) {
      console.log(
        `The ${language} clients of docs/clients.md cannot be had here: ${error.message}`,
      );
    }
}
