import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from '../server/start-server.js';

const MIB = 1024 * 1024;
const DISK_MIB = 160;
/** This much is left free beside the ballast: less than the upload needs. */
const LEFT_MIB = 12;

describe('a full disk', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-full-'));
  const ballast = join(dataDirectory, 'ballast');
  let server: Server | undefined;
  let kept = 0;

  beforeAll(() => {
    // The test needs root, as CI has. Without root it fails loudly.
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', dataDirectory]);
  });
  afterAll(async () => {
    await server?.kill();
    execFileSync('umount', ['-l', dataDirectory]);
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const fillUp = (leftMib: number): void => {
    const { bavail, bsize } = statfsSync(dataDirectory);
    try {
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leftMib * MIB)));
    } catch (error) {
      // The server has written meanwhile: there is less left than was asked for.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  };
  const large = (): string => `{"n":1,"p":"${'x'.repeat(1000)}"}\n`.repeat(60_000);

  it('answers 503 with Retry-After, stores nothing of it, serves on, and takes uploads when there is room again', async () => {
    server = await startServer({ dataDirectory, variables: { MILLRACE_MIN_FREE_DISK_BYTES: '0' } });
    await server.client.upload('kept', [{ n: 1 }]);
    fillUp(LEFT_MIB);
    const answer = await server.client.call('/api/default/big/_json', { body: large() });
    expect(answer.status).toBe(503);
    expect(answer.json()).toMatchObject({ code: 503 });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(await server.client.count('kept')).toBe(1);
    rmSync(ballast);
    expect(await server.client.upload('kept', [{ n: 2 }])).toMatchObject({ successful: 1 });
    expect(await server.client.count('kept')).toBe(2);
    await server.kill();
    server = await startServer({ dataDirectory, variables: { MILLRACE_MIN_FREE_DISK_BYTES: '0' } });
    expect(await server.client.count('kept')).toBe(2);
    expect((await server.client.call('/api/default/big/schema')).status).toBe(404);
  });

  it('answers 503 to the smallest upload when nothing is left, and has all it acknowledged', async () => {
    const client = server?.client;
    if (!client) throw new Error('no server');
    fillUp(0);
    let acknowledged = 2;
    for (let n = 0; n < 20; n += 1) {
      const answer = await client.call('/api/default/kept/_json', { body: '{"n":0}' });
      if (answer.status === 200) acknowledged += 1;
      else
        expect([answer.status, answer.headers['retry-after'] !== undefined]).toEqual([503, true]);
    }
    rmSync(ballast);
    expect(await client.upload('kept', [{ n: 1 }])).toMatchObject({ successful: 1 });
    expect(await client.count('kept')).toBe(acknowledged + 1);
    kept = acknowledged + 1;
  });

  it('refuses uploads before the disk is full', async () => {
    await server?.stop();
    server = await startServer({
      dataDirectory,
      variables: { MILLRACE_MIN_FREE_DISK_BYTES: String(DISK_MIB * MIB) },
    });
    const answer = await server.client.call('/api/default/kept/_json', { body: '{"n":3}' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
    expect(await server.client.count('kept')).toBe(kept);
  });
});

describe('queue and event store on a full disk', () => {
  it('refuse what does not fit, keep what they have, and go on when there is room', () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory]);
    try {
      const script = join(import.meta.dirname, 'full-stores.mjs');
      const answer = execFileSync(process.execPath, [script, directory], { encoding: 'utf8' });
      expect(JSON.parse(answer)).toEqual({
        queueFull: ['DISK_FULL', 'DISK_FULL', 'DISK_FULL'],
        eventsFull: 'DISK_FULL',
        queueAfter: 2,
        eventsAfter: ['kept', 'later'],
        reopened: 2,
      });
    } finally {
      execFileSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
