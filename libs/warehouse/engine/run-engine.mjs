// @ts-check
// The engine's process: ClickHouse's own server out of the chDB library, until standard input closes.
// Run by plain node: `run-engine.mjs {"config":…,"data":…,"handed":…,"backups":…,"parent":…}`.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { DataType, load, open } from 'ffi-rs';
import { watchParent } from './parent-pipe.mjs';

const { config, data, handed, backups, parent } = JSON.parse(process.argv[2] ?? '{}');
const isLinux = process.platform === 'linux';
const LIBRARIES = {
  'linux-x64': '@chdb/lib-linux-x64-gnu',
  'linux-arm64': '@chdb/lib-linux-arm64-gnu',
  'darwin-x64': '@chdb/lib-darwin-x64',
  'darwin-arm64': '@chdb/lib-darwin-arm64',
};
const name =
  LIBRARIES[/** @type {keyof typeof LIBRARIES} */ (`${process.platform}-${process.arch}`)];
const require = createRequire(import.meta.url);
const folder = dirname(
  require.resolve(`${name}/package.json`, { paths: [dirname(require.resolve('chdb'))] }),
);
const library = join(folder, 'libchdb.so');

const NOTHING = { files: false, tcp: false };
/** The C library and the engine read these files of the system. */
const SYSTEM = ['/usr', '/lib', '/lib64', '/sys', '/proc/self'];
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom', '/dev/zero'];

async function shutIn() {
  if (!isLinux) return NOTHING;
  const { endWithParent, restrict } = await import('../child/landlock.mjs');
  endWithParent();
  if (process.ppid !== parent) process.exit(1);
  // If memory runs out, the kernel ends this process before the one with the queue.
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // A container may forbid this; the limit of the engine's memory still applies.
  }
  return restrict({
    own: [data, ...(backups?.mayWrite ? [backups.folder] : []), ...DEVICES],
    read: [dirname(config), handed, folder, ...(backups ? [backups.folder] : []), ...SYSTEM],
  });
}

await watchParent();
const walls = await shutIn();
process.stdout.write(`${JSON.stringify(walls)}\n`);
open({ library: 'engine', path: library });
const args = [
  'clickhouse',
  `--config-file=${config}`,
  `--path=${data}`,
  '--multiquery',
  "--query=SYSTEM START LISTEN HTTP; SELECT * FROM file('-', 'LineAsString') FORMAT Null",
];
// The engine is loaded on this thread: another thread would have been started before the fence, and
// would be outside it.
load({
  library: 'engine',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
});
process.exit(0);
