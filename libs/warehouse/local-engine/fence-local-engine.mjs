// @ts-check
// Shuts this process in and then becomes the engine's program, so that all of its threads are inside.
// Run by plain node: `fence-local-engine.mjs {"own":[…],"read":[…],"parent":…,"engine":{…}}`.
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./serve-local-engine.mjs', import.meta.url));
const { own, read, parent, engine } = JSON.parse(process.argv[2] ?? '{}');
/** The descriptor for the parent's messages. */
const CHANNEL = 3;
const given = JSON.stringify(engine);

/** Node.js, the C library and the engine read these files of the system. */
const SYSTEM = ['/usr', '/lib', '/lib64', '/sys', '/proc/self'];
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom', '/dev/zero'];

/** The folders of the program, and of the packages that it loads. */
function programFolders() {
  const require = createRequire(import.meta.url);
  const packages = ['chdb', 'ffi-rs'].map((name) =>
    dirname(dirname(require.resolve(`${name}/package.json`))),
  );
  const folder = dirname(PROGRAM);
  return [process.execPath, join(folder, '..'), packageFile(folder), ...packages];
}

/**
 * Finds the file that Node.js, from 24 on, reads before a program: the first one upwards, which may
 * be far above.
 * @param {string} folder
 * @returns {string}
 */
function packageFile(folder) {
  const [file, above] = [join(folder, 'package.json'), dirname(folder)];
  return existsSync(file) || above === folder ? file : packageFile(above);
}

if (process.platform === 'linux') {
  const { becomeProgram, endWithParent, restrict } = await import('../child/landlock.mjs');
  endWithParent();
  if (process.ppid !== parent) process.exit(1);
  // If memory runs out, the kernel ends this process before the one with the queue.
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // A container may forbid this; the limit of a statement's memory still applies.
  }
  const walls = restrict({
    own: [...own, ...DEVICES],
    read: [...read, ...programFolders(), ...SYSTEM],
  });
  if (walls.files) {
    const descriptors = [0, 1, 2, CHANNEL];
    becomeProgram(process.execPath, [process.execPath, PROGRAM, given], descriptors);
  }
}
process.argv[2] = given;
await import('./serve-local-engine.mjs');
