import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { SnapshotFiles } from './snapshot-files.js';

describe('snapshot files', () => {
  let directory: string;
  let files: SnapshotFiles;
  const event = { id: 'e', stream: 'user-1', revision: 3 };
  const snapshot = { position: 12345678901234567890n, event, state: [{ a: ['ä\n', 1] }] };
  const file = () => join(directory, 'users.json');

  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'millrace-snapshots-')), 'made');
    files = new SnapshotFiles(directory);
  });
  afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

  it('give back what was kept last, also to who opens them later', async () => {
    expect(await files.load('users', 1)).toBeUndefined();
    await files.save('users', 1, { ...snapshot, position: 1n });
    await files.save('users', 1, snapshot);
    expect(await files.load('users', 1)).toMatchObject(snapshot);
    expect(await new SnapshotFiles(directory).load('users', 1)).toMatchObject(snapshot);
  });

  it('give back any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.bigInt({ min: 0n }), async (state, position) => {
        const stored = JSON.parse(JSON.stringify(state)) as unknown;
        await files.save('users', 1, { position, event, state });
        expect(await files.load('users', 1)).toMatchObject({
          position,
          event,
          state: stored,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('are of one projection and one version', async () => {
    await files.save('users', 1, snapshot);
    expect(await files.load('users', 2)).toBeUndefined();
    expect(await files.load('organizations', 1)).toBeUndefined();
  });

  it('are for who understands every event that their maker did', async () => {
    const opened = (...understood: string[]) => new SnapshotFiles(directory, understood);
    await opened('A@1', 'B@1').save('users', 1, snapshot);
    expect(await opened('A@1').load('users', 1)).toBeUndefined();
    expect(await opened('A@1', 'B@2').load('users', 1)).toBeUndefined();
    expect(await opened('C@1', 'B@1', 'A@1').load('users', 1)).toMatchObject(snapshot);
  });

  it('that are damaged anywhere are not there', async () => {
    await files.save('users', 1, snapshot);
    const whole = readFileSync(file());
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(file(), damaged);
      expect([at, await files.load('users', 1)]).toEqual([at, undefined]);
      writeFileSync(file(), whole.subarray(0, at));
      expect([at, await files.load('users', 1)]).toEqual([at, undefined]);
    }
    writeFileSync(file(), whole);
    expect(await files.load('users', 1)).toMatchObject(snapshot);
  });

  it('are for their owner only, and leave nothing beside them', async () => {
    await files.save('users', 1, snapshot);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual(['users.json']);
    await files.remove('users');
    await files.remove('users');
    expect([readdirSync(directory), await files.load('users', 1)]).toEqual([[], undefined]);
  });
});
