import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../server/start-server.js';

const NOBODY = 65_534;

describe('the data directory', () => {
  let folder: string;
  const before = process.umask(0o022);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-modes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  afterAll(() => process.umask(before));

  it('is closed at the start when others could read it, and so is all that is made in it', async () => {
    const dataDirectory = join(folder, 'data');
    mkdirSync(join(dataDirectory, 'dead-letter'), { recursive: true });
    writeFileSync(join(dataDirectory, 'dead-letter', 'old.json'), '{}');
    chmodSync(dataDirectory, 0o755);
    const variables = { MILLRACE_LOG_LEVEL: 'warn' };
    const server = await startServer({ dataDirectory, variables });
    await server.client.upload('kept', [{ n: 1 }]);
    await server.stop();
    const all = ['.', ...readdirSync(dataDirectory, { recursive: true, encoding: 'utf8' })];
    const open = all.filter((path) => (statSync(join(dataDirectory, path)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
    expect(all.length).toBeGreaterThan(30);
    expect(server.output().match(/others could read files or folders/g)).toHaveLength(1);
  });

  it('is refused when it is open and another user owns it', () => {
    chmodSync(folder, 0o755);
    // Only root can become somebody else.
    const other = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const directory = process.getuid?.() === 0 ? folder : '/';
    const module = join(import.meta.dirname, '../../dist/libs/files/keep-private.js');
    const { stderr } = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { keepPrivate } from ${JSON.stringify(module)}; keepPrivate(${JSON.stringify(directory)}, { warn() {} });`,
      ],
      { encoding: 'utf8', ...other },
    );
    expect(stderr).toMatch(/others can read .*cannot be closed to them: make this user the owner/);
  });
});
