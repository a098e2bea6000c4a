import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  WrongExpectedRevisionError,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
} from '@app/event-store';
import { rounds } from '../rounds.js';

interface EventStoreUnderTest {
  readonly store: EventStore;
  /** Opens the same data again, as after a restart. */
  reopen(): Promise<EventStore>;
  dispose(): Promise<void>;
}

/** @param end takes away what the store is on, once that is closed */
export function reopened(
  open: () => EventStore,
  end: () => void | Promise<void>,
): EventStoreUnderTest {
  let store = open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = open();
      return store;
    },
    dispose: async () => {
      await store.close();
      await end();
    },
  };
}

export const newEvent = (
  type: string,
  data: unknown = {},
  id: string = randomUUID(),
): NewEvent => ({
  id,
  type,
  data,
  metadata: {
    $correlationId: 'c',
    $causationId: 'd',
    actor: 'system',
    schemaVersion: 1,
    occurredAt: '2026-01-01T00:00:00.000Z',
  },
});

async function collect(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const types = (events: readonly RecordedEvent[]): string[] => events.map((event) => event.type);

export function eventStoreContract(name: string, open: () => Promise<EventStoreUnderTest>): void {
  describe(`EventStore contract: ${name}`, () => {
    let under: EventStoreUnderTest;
    let store: EventStore;

    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(() => under.dispose());

    it('answers nothing for what was never written', async () => {
      expect(await collect(store.read('user-1'))).toEqual([]);
      expect(await collect(store.readAll())).toEqual([]);
      expect(await store.lastPosition()).toBeUndefined();
    });

    it('counts revisions from 0 in each stream and positions upward over all', async () => {
      const first = await store.append('user-1', [newEvent('A'), newEvent('B')], 'no-stream');
      const second = await store.append('user-2', [newEvent('C')], 'no-stream');
      const third = await store.append('user-1', [newEvent('D')], 1);
      expect([first.revision, second.revision, third.revision]).toEqual([1, 0, 2]);
      expect(first.position < second.position && second.position < third.position).toBe(true);
      expect(await store.lastPosition()).toBe(third.position);
      expect((await collect(store.read('user-1'))).map((event) => event.revision)).toEqual([
        0, 1, 2,
      ]);
    });

    it('refuses an append at another revision, and says the actual one', async () => {
      await store.append('user-1', [newEvent('A')], 'no-stream');
      await expect(store.append('user-1', [newEvent('B')], 'no-stream')).rejects.toMatchObject({
        actual: 0,
      });
      await expect(store.append('user-1', [newEvent('B')], 3)).rejects.toBeInstanceOf(
        WrongExpectedRevisionError,
      );
      await expect(store.append('user-9', [newEvent('B')], 0)).rejects.toMatchObject({
        actual: -1,
      });
      await store.append('user-1', [newEvent('B')], 'any');
      expect(types(await collect(store.read('user-1')))).toEqual(['A', 'B']);
    });

    it('lets exactly one of many concurrent appends at one revision win', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) =>
          store.append('user-1', [newEvent(`E${n}`)], 'no-stream'),
        ),
      );
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      expect(await collect(store.read('user-1'))).toHaveLength(1);
    });

    it('stores the events of one append once, however often it is sent', async () => {
      const events = [newEvent('A'), newEvent('B')];
      const first = await store.append('user-1', events, 'no-stream');
      await store.append('user-1', [newEvent('C')], 1);
      expect(await store.append('user-1', events, 'no-stream')).toEqual(first);
      expect(types(await collect(store.read('user-1')))).toEqual(['A', 'B', 'C']);
    });

    it('stores nothing of an append of which one event cannot be stored', async () => {
      const events = [newEvent('A'), newEvent('B', { n: 1n })];
      await expect(store.append('user-1', events, 'no-stream')).rejects.toThrow();
      expect(await collect(store.readAll())).toEqual([]);
      expect((await store.append('user-1', [newEvent('C')], 'no-stream')).revision).toBe(0);
    });

    it('reads a stream forward and backward, from a revision, up to a limit', async () => {
      await store.append(
        'user-1',
        ['A', 'B', 'C', 'D'].map((type) => newEvent(type)),
        'no-stream',
      );
      await store.append('user-10', [newEvent('X')], 'no-stream');
      expect(types(await collect(store.read('user-1', { from: 1, limit: 2 })))).toEqual(['B', 'C']);
      expect(types(await collect(store.read('user-1', { direction: 'backward' })))).toEqual([
        'D',
        'C',
        'B',
        'A',
      ]);
      expect(
        types(await collect(store.read('user-1', { direction: 'backward', from: 2, limit: 2 }))),
      ).toEqual(['C', 'B']);
    });

    it('reads all streams in order, after a position, both ways', async () => {
      const { position } = await store.append('a-1', [newEvent('A'), newEvent('B')], 'no-stream');
      await store.append('b-1', [newEvent('C'), newEvent('D')], 'no-stream');
      expect(types(await collect(store.readAll()))).toEqual(['A', 'B', 'C', 'D']);
      expect(types(await collect(store.readAll({ after: position })))).toEqual(['C', 'D']);
      expect(types(await collect(store.readAll({ direction: 'backward', limit: 3 })))).toEqual([
        'D',
        'C',
        'B',
      ]);
      expect(
        types(await collect(store.readAll({ direction: 'backward', after: position }))),
      ).toEqual(['A']);
    });

    it('gives back what was appended, whatever JSON it is', async () => {
      let n = 0;
      await fc.assert(
        fc.asyncProperty(fc.jsonValue(), async (data) => {
          n += 1;
          const event = newEvent('T', JSON.parse(JSON.stringify(data)));
          await store.append(`p-${n}`, [event], 'no-stream');
          expect(await collect(store.read(`p-${n}`))).toEqual([
            expect.objectContaining({
              ...event,
              metadata: expect.objectContaining(event.metadata) as unknown,
            }),
          ]);
        }),
        { numRuns: rounds(20, 200) },
      );
    });

    it('delivers to a subscription what is there and then what comes, without a gap', async () => {
      const { position } = await store.append('a-1', [newEvent('old')], 'no-stream');
      await store.append('a-2', [newEvent('E0')], 'no-stream');
      const ending = new AbortController();
      const seen: string[] = [];
      const following = (async () => {
        for await (const event of store.subscribe({ after: position, signal: ending.signal })) {
          seen.push(event.type);
          if (seen.length === 301) ending.abort();
        }
      })();
      for (let n = 1; n <= 300; n += 1) await store.append('a-2', [newEvent(`E${n}`)], n - 1);
      await following;
      expect(seen).toEqual(Array.from({ length: 301 }, (_, n) => `E${n}`));
    });

    it('has everything again after a restart', async () => {
      await store.append('a-1', [newEvent('A')], 'no-stream');
      const reopened = await under.reopen();
      expect(types(await collect(reopened.readAll()))).toEqual(['A']);
      await reopened.append('a-1', [newEvent('B')], 0);
      expect(types(await collect(reopened.read('a-1')))).toEqual(['A', 'B']);
    });
  });
}
