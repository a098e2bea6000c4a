import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../server/until.js';

const BIN = join(import.meta.dirname, '../../bin');

/** Stands for npm, and for the build: writes down what it does, and ends when there is a file `go`. */
const SLOW = (what: string, result: string): string => `
  import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
  import { dirname } from 'node:path';
  const done = ${JSON.stringify(result)};
  export async function build() {
    appendFileSync('log', '${what} begins\\n');
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10));
    mkdirSync(dirname(done), { recursive: true });
    writeFileSync(done, '');
    appendFileSync('log', '${what} ends\\n');
    writeFileSync('${what}-pid', String(process.pid));
  }
`;

describe('making a clone ready', () => {
  let folder: string;
  let started: ChildProcess[];
  beforeEach(() => {
    started = [];
    folder = mkdtempSync(join(tmpdir(), 'millrace-clone-'));
    mkdirSync(join(folder, 'bin'));
    for (const name of [
      ...['prepare.mjs', 'alone.mjs', 'compile-cache.cjs', 'process-environment.cjs'],
    ])
      copyFileSync(join(BIN, name), join(folder, 'bin', name));
    for (const name of ['apps', 'libs']) mkdirSync(join(folder, name));
    for (const name of ['package.json', 'package-lock.json', 'tsconfig.json'])
      writeFileSync(join(folder, name), '{"type":"module"}');
    writeFileSync(join(folder, 'bin/build.mjs'), SLOW('build', 'dist/.build-stamp'));
    const npm = SLOW('install', 'node_modules/.package-lock.json');
    writeFileSync(join(folder, 'npm.js'), `${npm}\nawait build();`);
    writeFileSync(
      join(folder, 'start.mjs'),
      "import { prepare } from './bin/prepare.mjs';\nawait prepare();\nconsole.log('ready');\n",
    );
  });
  afterEach(() => {
    for (const child of started) if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function start() {
    const child = spawn(process.execPath, ['start.mjs'], {
      cwd: folder,
      env: { ...process.env, npm_execpath: join(folder, 'npm.js') },
      // A group of its own: what it starts ends with it.
      detached: true,
    });
    started.push(child);
    const waits = new Promise<void>((resolve) =>
      child.stderr.on('data', (said: Buffer) => {
        if (said.toString().includes('another process')) resolve();
      }),
    );
    const ended = Promise.all([
      once(child, 'exit') as Promise<[number | null]>,
      text(child.stdout),
    ]);
    return { child, waits, ended };
  }
  const log = (): string[] => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
  const logged = (line: string): Promise<void> =>
    until(() => {
      try {
        return Promise.resolve(log().at(-1) === line);
      } catch {
        return Promise.resolve(false);
      }
    });
  const go = (): void => writeFileSync(join(folder, 'go'), '');

  it('happens once, however many start at the same time', async () => {
    const first = start();
    await logged('install begins');
    const others = [start(), start()];
    for (const { waits } of others) await waits;
    go();
    for (const { ended } of [first, ...others]) expect(await ended).toEqual([[0, null], 'ready\n']);
    expect(log()).toEqual(['install begins', 'install ends', 'build begins', 'build ends']);
    // Nothing is missing any more.
    expect(await start().ended).toEqual([[0, null], 'ready\n']);
    expect(log()).toHaveLength(4);
  });

  it('keeps no compiler in memory afterwards', async () => {
    go();
    const { ended } = start();
    await ended;
    const builder = Number(readFileSync(join(folder, 'build-pid'), 'utf8'));
    expect(started.map(({ pid }) => pid)).not.toContain(builder);
    expect(() => process.kill(builder, 0)).toThrow('ESRCH');
  });

  it('goes on with another when the one that did it was killed', async () => {
    const first = start();
    await logged('install begins');
    const second = start();
    await second.waits;
    process.kill(-(first.child.pid ?? NaN), 'SIGKILL');
    await first.ended;
    go();
    expect(await second.ended).toEqual([[0, null], 'ready\n']);
    expect(log()).toEqual([
      'install begins',
      'install begins',
      'install ends',
      'build begins',
      'build ends',
    ]);
  });
});
