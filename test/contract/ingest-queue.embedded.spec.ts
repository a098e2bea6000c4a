import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { open as openLmdb } from 'lmdb';
import { NAMES_KEPT_MS, QueueFullError, type QueuedRecord } from '@app/ingest-queue';
import { openEmbeddedIngestQueue } from '../../libs/ingest-queue/embedded/embedded-ingest-queue.js';
import { bytesOf, ingestQueueContract, take } from './ingest-queue.contract.js';
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

  it('hands out four times as many bytes of lines that are not compressed', async () => {
    const queue = open();
    try {
      const append = async (ending: string): Promise<void> => {
        const file = join(directory, `batch${ending}`);
        writeFileSync(file, Buffer.alloc(1000));
        await queue.append([{ key: 'k', headers: {}, payload: { file } }]);
      };
      for (const ending of ['.ndjson', '.compact.ndjson', '.ndjson', '.ndjson.zst', '.ndjson.zst'])
        await append(ending);
      const turns: number[] = [];
      const ended = new AbortController();
      const options = { signal: ended.signal, maxRecords: 10, maxBytes: 1000 };
      for await (const { records, commit } of queue.consume(options)) {
        turns.push(records.length);
        await commit();
        if (queue.depth().records === 0) ended.abort();
      }
      expect(turns).toEqual([3, 1, 1]);
    } finally {
      await queue.close();
    }
  });

  it('takes lines uncompressed within an eighth of its room, once the disk is known to be fast', async () => {
    const queue = openEmbeddedIngestQueue({ directory, maxBytes: 800_000_000 });
    try {
      expect(queue.plainBytesMax()).toBe(0);
      const file = join(directory, 'batch.ndjson');
      const bytes = 5 * 1024 * 1024;
      writeFileSync(file, Buffer.alloc(bytes));
      await queue.append([{ key: 'k', headers: {}, payload: { file } }]);
      // A slow disk is not known to be fast.
      expect([0, 100_000_000 - bytes]).toContain(queue.plainBytesMax());
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

  const recordOf = (key: string, text = key, owner = key[0] ?? '') => ({
    key,
    headers: {},
    owner,
    payload: { bytes: Buffer.from(text) },
  });
  const keysOf = (records: readonly QueuedRecord[]): string[] => [
    ...new Set(records.map(({ key }) => key)),
  ];
  const LIMITS = { maxRecords: 1000, maxBytes: MAX_BYTES };

  it('lets owners take turns: nobody waits for all that another one has there', async () => {
    const queue = open();
    const keys = Array.from({ length: 200 }, (_, n) => `a${n}`);
    for (const text of ['1', '2', '3'])
      await queue.append(keys.map((key) => recordOf(key, `${key}-${text}`)));
    const [late] = await queue.append([recordOf('b')]);
    if (!late) throw new Error('want a position');
    const first = await take(queue, 1, true, LIMITS);
    expect(first.length).toBe(3 * keysOf(first).length);
    expect(keysOf(first).length).toBeLessThan(40);
    const second = await take(queue, 1, true, LIMITS);
    expect(keysOf(second)).toEqual(['b']);
    await queue.awaitCommitted(late);
    const third = keysOf(await take(queue, 1, true, LIMITS));
    expect(third.filter((key) => keysOf(first).includes(key))).toEqual([]);

    const waiting = keys.filter((key) => ![...keysOf(first), ...third].includes(key));
    await queue.close();
    const reopened = open();
    await reopened.awaitCommitted(late);
    expect((await reopened.written('b')).offset).toBeGreaterThan(late.offset);
    expect((await reopened.written(waiting[0] ?? '')).offset).toBeLessThan(late.offset);
    const left = await take(reopened, 3 * waiting.length, true, LIMITS);
    expect(left.map((each) => bytesOf(each).toString())).toHaveLength(3 * waiting.length);
    for (const key of waiting)
      expect(left.filter((each) => each.key === key).map((each) => bytesOf(each).toString())).toEqual([`${key}-1`, `${key}-2`, `${key}-3`]); // prettier-ignore
    await reopened.awaitAllCommitted();
    await reopened.close();
  });

  it('delivers small owners together, and beside them none that has more than there is room for', async () => {
    const queue = open();
    const texts = (count: number, key: string) =>
      Array.from({ length: count }, () => recordOf(key));
    for (const key of ['a', 'b', 'c']) await queue.append([recordOf(key)]);
    await queue.append(Array.from({ length: 31 }, (_, n) => recordOf(`k${n}`)));
    await queue.append(texts(50, 'r'));
    await queue.append([recordOf('d')]);
    const turn = async () => keysOf(await take(queue, 1, true, { ...LIMITS, maxRecords: 40 }));
    expect(await turn()).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set((await turn()).map((key) => key[0]))).toEqual(new Set(['k']));
    expect(await turn()).toEqual(['r']);
    await queue.close();
  });

  it('knows who was set aside last, not only those with the greatest offsets', async () => {
    const queue = open();
    const [first] = await queue.append([recordOf('a'), recordOf('a')]);
    if (!first) throw new Error('want a position');
    await queue.append(Array.from({ length: 100 }, () => recordOf('b')));
    await take(queue, 1, true, { ...LIMITS, maxRecords: 1 });
    for (const key of ['b', 'a']) {
      const consumer = new AbortController();
      const limits = { ...LIMITS, maxRecords: 100, signal: consumer.signal };
      for await (const { records, commit } of queue.consume(limits)) {
        expect(keysOf(records)).toEqual([key]);
        await commit(records.map(({ position }) => position));
        consumer.abort();
      }
    }
    const second = first.offset + 1n;
    expect(queue.wasSetAside({ ...first, offset: second }, second)).toBe(true);
    await queue.close();
  });

  it('keeps the order of a key whose owner has become another one', async () => {
    const queue = open();
    await queue.append([recordOf('k', '1', 'a'), recordOf('k', '2', 'a')]);
    await queue.append([recordOf('k', '3', 'b'), recordOf('l', '4', 'b')]);
    const taken: QueuedRecord[] = [];
    for (let n = 0; n < 4; n += 1)
      taken.push(...(await take(queue, 1, true, { maxRecords: 1, maxBytes: 1 })));
    const ofKey = taken.filter(({ key }) => key === 'k').map((each) => bytesOf(each).toString());
    expect(ofKey).toEqual(['1', '2', '3']);
    expect(queue.depth()).toEqual({ records: 0, bytes: 0 });
    await queue.close();
  });

  /** The files as the version before turns reads and writes them. */
  const asBefore = () => {
    const environment = openLmdb({ path: directory, maxDbs: 4, overlappingSync: false });
    const records = environment.openDB<object, number>({ name: 'records', encoding: 'msgpack' });
    const counters = environment.openDB<number, string>({ name: 'counters', encoding: 'ordered-binary' }); // prettier-ignore
    return { environment, records, counters };
  };

  it('delivers what an earlier version has left, in order, and what it had done no more', async () => {
    const { environment, records, counters } = asBefore();
    // It was killed during a backup: two records were done and held.
    for (let offset = 1; offset <= 5; offset += 1)
      await records.put(offset, {
        key: 'k',
        headers: {},
        bytes: Buffer.from(`${offset}`),
        size: 1,
      });
    await counters.put('committed', 2);
    await counters.put('next-offset', 6);
    await environment.close();
    const queue = open();
    const [fresh] = await queue.append([recordOf('k', '6')]);
    expect(fresh).toEqual({ partition: 0, offset: 6n });
    const taken = await take(queue, 4, true, LIMITS);
    expect(taken.map((each) => bytesOf(each).toString())).toEqual(['3', '4', '5', '6']);
    await queue.close();
  });

  it('leaves to an earlier version all that waits, and nothing else', async () => {
    const queue = open();
    await queue.append([recordOf('a'), recordOf('b'), recordOf('a2'), recordOf('b')]);
    expect(keysOf(await take(queue, 1, true, { maxRecords: 1, maxBytes: 1 }))).toEqual(['a']);
    expect(keysOf(await take(queue, 2, true, { ...LIMITS, maxRecords: 2 }))).toEqual(['b']);
    await queue.close();
    const { environment, records, counters } = asBefore();
    const left = [...records.getRange({ start: (counters.get('committed') ?? 0) + 1 })];
    expect(left).toMatchObject([{ key: 3, value: { key: 'a2' } }]);
    expect([...records.getKeys()]).toEqual([3]);
    await environment.close();
  });

  it('behaves as a list for each key does, through appends, commits and restarts', async () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('append' as const),
          keys: fc.array(fc.constantFrom('a', 'a2', 'b', 'c'), { minLength: 1, maxLength: 5 }),
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
        let waiting: { key: string; text: string }[] = [];
        let next = 0;
        for (const each of steps) {
          if (each.do === 'append') {
            const fresh = each.keys.map((key) => ({ key, text: String(next++) }));
            await queue.append(fresh.map(({ key, text }) => recordOf(key, text)));
            waiting.push(...fresh);
          } else if (each.do === 'reopen') {
            await queue.close();
            queue = open();
          } else if (waiting.length > 0) {
            const taken = await take(queue, 1, each.commit, { maxRecords: each.n, maxBytes: 1000 });
            expect(taken.length).toBeGreaterThan(0);
            expect(taken.length).toBeLessThanOrEqual(each.n);
            for (const key of keysOf(taken)) {
              const texts = taken
                .filter((one) => one.key === key)
                .map((one) => bytesOf(one).toString());
              const expected = waiting.filter((one) => one.key === key).map(({ text }) => text);
              expect(texts).toEqual(expected.slice(0, texts.length));
            }
            const texts = taken.map((one) => bytesOf(one).toString());
            if (each.commit) waiting = waiting.filter(({ text }) => !texts.includes(text));
          }
          expect(queue.depth().records).toBe(waiting.length);
        }
        if (waiting.length > 0) await take(queue, waiting.length, true);
        await queue.close();
      }),
      { numRuns: rounds(12, 200) },
    );
  });
});
