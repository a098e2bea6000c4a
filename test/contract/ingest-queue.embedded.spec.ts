import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { NAMES_KEPT_MS, QueueFullError } from '@app/ingest-queue';
import { openEmbeddedIngestQueue } from '../../libs/ingest-queue/embedded/embedded-ingest-queue.js';
import { ingestQueueContract, take } from './ingest-queue.contract.js';
import { rounds } from '../rounds.js';

const MAX_BYTES = 10_000_000;

ingestQueueContract('embedded', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-queue-'));
  let now = Date.now;
  const open = () => openEmbeddedIngestQueue({ directory, maxBytes: MAX_BYTES, now: () => now() });
  let queue = open();
  return {
    queue,
    maxBytes: MAX_BYTES,
    setClock: (time) => (now = () => time),
    payloadFile: (name) => join(directory, name),
    reopen: async () => {
      await queue.close();
      queue = open();
      return queue;
    },
    dispose: async () => {
      await queue.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

describe('the embedded queue', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-queue-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const open = () => openEmbeddedIngestQueue({ directory, maxBytes: MAX_BYTES });

  it('forgets names after a day, all of them in time', async () => {
    let now = Date.UTC(2026, 0, 1);
    const queue = openEmbeddedIngestQueue({ directory, maxBytes: MAX_BYTES, now: () => now });
    try {
      const append = (name: string) =>
        queue.append([], { name, fingerprint: 'f', answer: name }).then(
          () => 'new',
          () => 'known',
        );
      for (let n = 0; n < 50; n += 1) await append(`old${n}`);
      now += NAMES_KEPT_MS - 1;
      expect([await append('old0'), await append('young')]).toEqual(['known', 'new']);
      now += 1;
      expect(await queue.appended('old0')).toBeUndefined();
      expect(await append('old0')).toBe('new');
      for (let n = 0; n < 10; n += 1) await append(`later${n}`);
      expect(await append('young')).toBe('known');
      const { names, ages } = (
        queue as unknown as { names: Record<'names' | 'ages', { getCount(): number }> }
      ).names;
      expect([names.getCount(), ages.getCount()]).toEqual([12, 12]);
    } finally {
      await queue.close();
    }
  });

  it('forgets payload files that no record names: a crash between moving and naming leaves them', async () => {
    const queue = open();
    const file = join(directory, 'named.native.zst');
    writeFileSync(file, 'x');
    await queue.append([{ key: 'k', headers: {}, payload: { file } }]);
    await queue.close();
    const orphan = join(directory, 'payloads', 'orphan.native.zst');
    writeFileSync(orphan, 'x');
    const reopened = open();
    expect(existsSync(orphan)).toBe(false);
    expect(readdirSync(join(directory, 'payloads'))).toHaveLength(1);
    await reopened.close();
  });

  it('knows after a restart whose records wait', async () => {
    const half = { key: 'k', headers: {}, owner: 'a', payload: { bytes: Buffer.alloc(5_000_000) } };
    const one = { ...half, payload: { bytes: Buffer.alloc(1) } };
    const queue = open();
    await queue.append([half]);
    await queue.close();
    const reopened = open();
    await expect(reopened.append([one])).rejects.toBeInstanceOf(QueueFullError);
    await reopened.append([{ ...one, owner: 'b' }]);
    await reopened.close();
  });

  it('stores nothing of an append that fails half-way', async () => {
    const queue = open();
    const whole = { key: 'k', headers: {}, payload: { bytes: Buffer.from('x') } };
    const headers = {
      get broken(): string {
        throw new Error('unreadable header');
      },
    };
    await queue.append([whole]);
    await expect(queue.append([whole, { ...whole, headers }])).rejects.toThrow('unreadable header');
    expect(queue.depth().records).toBe(1);
    await queue.close();
    const reopened = open();
    expect(reopened.depth().records).toBe(1);
    await reopened.close();
  });

  it('is refused while another live process has it open, and opens when that one was killed', async () => {
    await open().close();
    const payload = join(directory, 'payloads', 'in-flight.native.zst');
    writeFileSync(payload, 'x');
    const script = `
      const environment = require('lmdb').open({ path: process.argv[1], maxDbs: 2, overlappingSync: false });
      environment.get('committed');
      console.log('open');
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['-e', script, directory]);
    try {
      await once(other.stdout, 'data');
      expect(open).toThrow(`in use by process ${other.pid}`);
      expect(existsSync(payload)).toBe(true);
    } finally {
      const exited = once(other, 'exit');
      other.kill('SIGKILL');
      await exited;
    }
    await open().close();
    expect(existsSync(payload)).toBe(false);
  });

  it('behaves as a list does, through appends, commits and restarts', async () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('append' as const),
          n: fc.integer({ min: 1, max: 5 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('take' as const),
          n: fc.integer({ min: 1, max: 4 }),
          commit: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        let queue = open();
        const model: string[] = [];
        let next = 0;
        for (const each of steps) {
          if (each.do === 'append') {
            const fresh = Array.from({ length: each.n }, () => String(next++));
            await queue.append(
              fresh.map((text) => ({
                key: 'k',
                headers: {},
                payload: { bytes: Buffer.from(text) },
              })),
            );
            model.push(...fresh);
          } else if (each.do === 'reopen') {
            await queue.close();
            queue = open();
          } else if (model.length > 0) {
            const taken = await take(queue, 1, each.commit, { maxRecords: each.n, maxBytes: 1000 });
            expect(
              taken.map(({ payload }) =>
                'bytes' in payload ? Buffer.from(payload.bytes).toString() : '',
              ),
            ).toEqual(model.slice(0, each.n));
            if (each.commit) model.splice(0, each.n);
          }
          expect(queue.depth().records).toBe(model.length);
        }
        if (model.length > 0) await take(queue, model.length, true);
        await queue.close();
      }),
      { numRuns: rounds(12, 200) },
    );
  });
});
