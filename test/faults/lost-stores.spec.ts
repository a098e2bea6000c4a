import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environment } from '../../bin/prepare.mjs';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { startServer, type Server } from '../server/start-server.js';

const program = (name: string): string =>
  join(import.meta.dirname, `../../dist/apps/api/${name}.js`);
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');

describe('a data directory of which something is gone or cut off', () => {
  let dataDirectory: string;
  let aside: string;

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-lost-'));
    aside = mkdtempSync(join(tmpdir(), 'millrace-aside-'));
    const server = await startServer({ dataDirectory });
    await server.client.upload('logs', [{ n: 1 }, { n: 2 }]);
    await server.stop();
  });
  afterAll(() => {
    for (const folder of [dataDirectory, aside]) rmSync(folder, { recursive: true, force: true });
  });

  const refused = (variables: Record<string, string> = {}): Promise<string> =>
    startServer({ dataDirectory, variables }).then(
      async (server: Server) => {
        await server.stop();
        throw new Error('the server started');
      },
      (error: Error) => error.message,
    );
  async function without(name: string, work: () => Promise<void>): Promise<void> {
    renameSync(join(dataDirectory, name), join(aside, name));
    try {
      await work();
    } finally {
      rmSync(join(dataDirectory, name), { recursive: true, force: true });
      renameSync(join(aside, name), join(dataDirectory, name));
    }
  }
  const isWhole = async (): Promise<void> => {
    const server = await startServer({ dataDirectory });
    expect(await server.client.count('logs')).toBe(2);
    await server.stop();
  };

  it.each(['events', 'queue'])(
    'does not start on %s that is cut off, and names it',
    async (name) => {
      const file = join(dataDirectory, name, 'data.mdb');
      const copy = join(aside, 'whole.mdb');
      await promisify(execFile)('cp', [file, copy]);
      for (const part of [0.3, 0.9]) {
        truncateSync(file, Math.floor((statSync(copy).size * part) / 4096) * 4096 + 100);
        expect(await refused()).toContain(`${file} is damaged: it is cut off`);
        await promisify(execFile)('cp', [copy, file]);
      }
      await isWhole();
    },
  );

  it('does not start as if new when its events are gone', async () => {
    await without('events', async () => {
      expect(await refused()).toMatch(/events\) is empty, and the warehouse has \d+ tables/);
    });
    await isWhole();
  });

  it('takes no other event store for its own, and leaves nothing there', async () => {
    const empty = await EventStoreDbDouble.start();
    const before = empty.log.size;
    try {
      expect(await refused({ EVENTSTORE_URL: empty.url })).toContain(
        'EVENTSTORE_NAMESPACE millrace) is empty',
      );
      expect(empty.log.size).toBe(before);
    } finally {
      await empty.stop();
    }
  });

  it('does not start with an empty queue in place of one that is gone, unless it is told to', async () => {
    await without('queue', async () => {
      const told = await refused();
      expect(told).toContain(`the ingest queue ${join(dataDirectory, 'queue')} is gone`);
      const goOn = join(dataDirectory, 'start-without-queue');
      expect(told).toContain(goOn);
      writeFileSync(goOn, '');
      const server = await startServer({ dataDirectory });
      expect(existsSync(goOn)).toBe(false);
      // Positions begin anew, and none is taken for one that is stored.
      await server.client.upload('logs', [{ n: 3 }]);
      expect(await server.client.count('logs')).toBe(3);
      await server.stop();
    });
  });

  it.each([
    ['an empty file', ''],
    ['another key', OTHER_KEY],
  ])('does not start with %s in place of its key, and keeps nothing of it', async (_, content) => {
    await without('secret-key', async () => {
      writeFileSync(join(dataDirectory, 'secret-key'), content);
      expect(await refused()).toMatch(/MILLRACE_SECRET_KEY/);
    });
    await without('secret-key', async () => {
      expect(await refused()).toContain('set MILLRACE_SECRET_KEY');
      expect(existsSync(join(dataDirectory, 'secret-key'))).toBe(false);
    });
  });

  it.each([
    ['replay', ['--projection', 'all']],
    ['audit-verify', []],
    ['dead-letter', ['--replay']],
  ])('is not opened by another key with %s either', async (name, args) => {
    const failed = promisify(execFile)(process.execPath, [program(name), ...args], {
      env: {
        ...environment(),
        MILLRACE_DATA_DIR: dataDirectory,
        MILLRACE_SECRET_KEY: OTHER_KEY,
      },
    });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('MILLRACE_SECRET_KEY is not the key') as unknown,
    });
  });
});

describe('another server with another key on the same event store (double)', () => {
  it('does not start, and the first one does as before', async () => {
    const events = await EventStoreDbDouble.start();
    const variables = { EVENTSTORE_URL: events.url };
    const [first, second] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'millrace-')));
    try {
      const server = await startServer({ dataDirectory: first ?? '', variables });
      const begun = events.log.size;
      const start = startServer({ dataDirectory: second ?? '', variables });
      await expect(start).rejects.toThrow(/set MILLRACE_SECRET_KEY/);
      const given = { ...variables, MILLRACE_SECRET_KEY: OTHER_KEY };
      const again = startServer({ dataDirectory: second ?? '', variables: given });
      await expect(again).rejects.toThrow(/MILLRACE_SECRET_KEY is not the key/);
      expect(readdirSync(second ?? '')).not.toContain('secret-key');
      expect(events.log.size).toBe(begun);
      await server.stop();
      await (await startServer({ dataDirectory: first ?? '', variables })).stop();
    } finally {
      await events.stop();
      for (const folder of [first, second]) rmSync(folder ?? '', { recursive: true, force: true });
    }
  });
});
