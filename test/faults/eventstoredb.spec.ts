import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { EventStore, RecordedEvent } from '@app/event-store';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { until } from '../server/until.js';
import { newEvent } from '../contract/event-store.contract.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';

const log = { warn: () => undefined };

describe('EventStoreDB that fails (double)', () => {
  let nodes: EventStoreDbDouble[] = [];
  let store: EventStore;
  const node = (): EventStoreDbDouble => {
    const [first] = nodes;
    if (!first) throw new Error('not started');
    return first;
  };
  const open = (options: { maxWaitMs?: number; silenceMs?: number } = {}) =>
    openEventStoreDb({ url: node().url, log, silenceMs: 500, ...options });
  const start = async (size = 1, silenceMs?: number): Promise<void> => {
    nodes = await EventStoreDbDouble.startCluster(size);
    store = open(silenceMs === undefined ? {} : { silenceMs });
  };

  afterEach(async () => {
    await store.close();
    for (const each of nodes) await each.stop();
  });

  async function all(): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of store.readAll()) types.push(type);
    return types;
  }

  /** Appends one event after the other to one stream, while something happens. */
  async function appendThrough(count: number, happen: (n: number) => unknown): Promise<string[]> {
    const expected: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const happening = happen(n);
      const { revision } = await store.append(
        'user-1',
        [newEvent(`E${n}`)],
        n === 0 ? 'no-stream' : n - 1,
      );
      expect(revision).toBe(n);
      expected.push(`E${n}`);
      await happening;
    }
    return expected;
  }

  function follow(count: number, options: { after?: bigint } = {}): Promise<string[]> {
    const ending = new AbortController();
    const seen: string[] = [];
    return (async () => {
      for await (const { type } of store.subscribe({ ...options, signal: ending.signal })) {
        seen.push(type);
        if (seen.length === count) ending.abort();
      }
      return seen;
    })();
  }

  it('connects again when connections break; a subscription goes on without a gap or a repeat', async () => {
    await start();
    const following = follow(100);
    const expected = await appendThrough(100, (n) =>
      n % 10 === 5 ? node().dropConnections() : undefined,
    );
    expect(await following).toEqual(expected);
    expect(await all()).toEqual(expected);
  });

  it('waits for a server that is away, and goes on when it is back', async () => {
    await start();
    await store.append('user-1', [newEvent('before')], 'no-stream');
    await node().stop();
    const appending = store.append('user-1', [newEvent('after')], 0);
    const reading = all();
    await node().resume();
    expect((await appending).revision).toBe(1);
    expect((await reading)[0]).toBe('before');
    expect(await all()).toEqual(['before', 'after']);
  });

  it.each(['any', 'expected'] as const)(
    'stores an append once whose answer was lost, however often (%s revision)',
    async (kind) => {
      await start();
      await store.append('user-1', [newEvent('A')], 'no-stream');
      node().loseNextAnswers(3);
      const events = [newEvent('B'), newEvent('C')];
      const { revision } = await store.append('user-1', events, kind === 'any' ? 'any' : 0);
      expect(revision).toBe(2);
      expect(await all()).toEqual(['A', 'B', 'C']);
      // and the same command again, much later
      await store.append('user-1', [newEvent('D')], 2);
      expect((await store.append('user-1', events, 0)).revision).toBe(2);
      expect(await all()).toEqual(['A', 'B', 'C', 'D']);
    },
  );

  it('recognizes its own events under another expected revision, as a command that is decided again', async () => {
    await start();
    await store.append('user-1', [newEvent('A')], 'no-stream');
    const events = [newEvent('B')];
    const first = await store.append('user-1', events, 0);
    expect(await store.append('user-1', events, 'no-stream')).toEqual(first);
    expect(await store.append('user-1', events, 7)).toEqual(first);
  });

  it('gives up on a server that is silent, says so, and stores nothing twice when it speaks again', async () => {
    await start();
    await store.close();
    store = open({ silenceMs: 50, maxWaitMs: 400 });
    await store.append('user-1', [newEvent('A')], 'no-stream');
    node().hold();
    const events = [newEvent('B')];
    await expect(store.append('user-1', events, 0)).rejects.toMatchObject({
      kind: 'NOT_READY',
      retryAfterSeconds: 5,
    });
    await expect(all()).rejects.toMatchObject({ kind: 'NOT_READY' });
    expect(store.awaySince).toBeLessThan(Date.now());
    node().release();
    await until(() => Promise.resolve(store.awaySince === undefined));
    expect((await store.append('user-1', events, 0)).revision).toBe(1);
    expect(await all()).toEqual(['A', 'B']);
  });

  it('follows the leader when it changes, and stays with the cluster when nodes go', async () => {
    await start(3);
    const following = follow(60);
    const expected = await appendThrough(60, (n) => {
      if (n === 10) nodes[1]?.lead();
      if (n === 20) nodes[2]?.lead();
      if (n === 30) return nodes[0]?.stop();
      if (n === 40) {
        nodes[1]?.lead();
        return nodes[2]?.stop();
      }
      return undefined;
    });
    expect(await all()).toEqual(expected);
    expect(await following).toEqual(expected);
  });

  it('leaves a leader that is paused for the next one, and stores nothing twice when it goes on', async () => {
    await start(3);
    const following = follow(30);
    const expected = await appendThrough(30, (n) => {
      if (n === 10) {
        nodes[0]?.hold();
        nodes[1]?.lead();
      }
      if (n === 20) nodes[0]?.release();
    });
    expect(await all()).toEqual(expected);
    expect(await following).toEqual(expected);
  });

  it('survives that nobody of the cluster can be found for a while', async () => {
    await start(3);
    const following = follow(2);
    await store.append('user-1', [newEvent('A')], 'no-stream');
    for (const each of nodes) await each.stop();
    const appending = store.append('user-1', [newEvent('B')], 0);
    const reading = all();
    for (const each of nodes) await each.resume();
    await appending;
    expect((await reading)[0]).toBe('A');
    expect(await following).toEqual(['A', 'B']);
  });

  it('reads on after the last event when a connection breaks in the middle', async () => {
    // The double shares this thread, and takes its time over five hundred events at once.
    await start(1, 10_000);
    const events = Array.from({ length: 3000 }, (_, n) => newEvent(`E${n}`, 'x'.repeat(200)));
    for (let n = 0; n < 3000; n += 500)
      await store.append('user-1', events.slice(n, n + 500), n === 0 ? 'no-stream' : n - 1);
    const types = events.map(({ type }) => type);
    const seen = async (reading: AsyncIterable<RecordedEvent>): Promise<string[]> => {
      const each: string[] = [];
      for await (const { type } of reading) {
        each.push(type);
        if (each.length % 700 === 0) await node().dropConnections();
      }
      return each;
    };
    expect(await seen(store.readAll())).toEqual(types);
    expect(await seen(store.read('user-1', { limit: 2500 }))).toEqual(types.slice(0, 2500));
    const backward = { direction: 'backward', limit: 2500 } as const;
    expect(await seen(store.read('user-1', backward))).toEqual(types.slice(500).reverse());
    expect(await seen(store.readAll(backward))).toEqual(types.slice(500).reverse());
  });

  it('says what to do about an append that is too large', async () => {
    await start();
    const large = newEvent('A', 'x'.repeat(1024 * 1024));
    await expect(store.append('user-1', [large], 'no-stream')).rejects.toMatchObject({
      kind: 'INVALID_PARAMETER',
    });
    expect(await all()).toEqual([]);
  });

  it('ends its subscriptions and readings when it is closed, also while nobody is there', async () => {
    await start();
    const forever = new AbortController();
    const following = (async () => {
      for await (const event of store.subscribe({ signal: forever.signal })) void event;
    })();
    await store.append('user-1', [newEvent('A')], 'no-stream');
    await node().stop();
    await store.close();
    await following;
    await expect(all()).rejects.toThrow();
  });

  it('gives up on a server that speaks something else', async () => {
    await start();
    await store.close();
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      const url = `esdb://127.0.0.1:${port}?tls=false`;
      store = openEventStoreDb({ url, log, maxWaitMs: 300, silenceMs: 100 });
      await expect(store.lastPosition()).rejects.toMatchObject({ kind: 'NOT_READY' });
    } finally {
      other.close();
    }
  });
});
