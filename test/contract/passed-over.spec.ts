import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore, RecordedEvent } from '@app/event-store';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { until } from '../server/until.js';
import { newEvent } from './event-store.contract.js';

const FOREIGN = 1500;
const FOREIGN_BYTES = 8000;
/** The log may be ahead of what is kept by so much. */
const KEPT_EVERY = 4 * 1024 * 1024;
/** A start may read at most so many events back and forth: far fewer than others wrote. */
const FEW = 100 + (2 * KEPT_EVERY) / FOREIGN_BYTES;

/** Others write to the same server: what was passed over once is not read at every start. */
describe('events of other programs (double)', () => {
  let double: EventStoreDbDouble;
  let directory: string;

  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
    directory = mkdtempSync(join(tmpdir(), 'millrace-passed-'));
  });
  afterEach(async () => {
    await double.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const open = (): EventStore =>
    openEventStoreDb({
      url: double.url,
      positionFile: join(directory, 'position.json'),
      log: { warn: () => undefined },
    });
  function foreign(count: number): void {
    const type = 'Theirs';
    for (let n = 0; n < count; n += 1)
      double.log.append(
        `theirs-${n}`,
        [
          {
            id: randomUUID(),
            type,
            contentType: 'application/json',
            data: Buffer.from(JSON.stringify({ text: 'x'.repeat(FOREIGN_BYTES) })),
            metadata: Buffer.from(''),
          },
        ],
        -2,
      );
  }
  async function all(store: EventStore, after?: bigint): Promise<RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    for await (const event of store.readAll(after === undefined ? {} : { after }))
      found.push(event);
    return found;
  }
  const own = (store: EventStore, type: string) => store.append('user-1', [newEvent(type)], 'any');

  function kept(): number {
    const file = join(directory, 'position.json');
    if (!existsSync(file)) return 0;
    const { to } = JSON.parse(readFileSync(file, 'utf8')) as { to: { commit: string } };
    return Number(to.commit);
  }

  /** Follows the store as a process does, and applies what comes. */
  async function follow(store: EventStore, after: bigint | undefined) {
    const ending = new AbortController();
    const types: string[] = [];
    const following = (async () => {
      const options = after === undefined ? {} : { after };
      for await (const { type } of store.subscribe({ ...options, signal: ending.signal }))
        types.push(type);
    })();
    return {
      types,
      stop: async () => {
        ending.abort();
        await following;
      },
    };
  }

  it.each([
    ['in good order', true],
    ['suddenly', false],
  ])(
    'are read once by who ends %s',
    async (_, isOrderly) => {
      const first = open();
      await own(first, 'One');
      const { position } = await own(first, 'Two');
      const following = await follow(first, undefined);
      await until(() => Promise.resolve(following.types.length === 2));
      foreign(FOREIGN);
      await own(first, 'Three');
      await until(() => Promise.resolve(following.types.length === 3));
      foreign(FOREIGN);
      // It is told how far it is, and keeps that from time to time.
      const nearEnd = Number(double.log.record(double.log.size - 1)?.position) - KEPT_EVERY;
      await until(() => Promise.resolve(kept() >= nearEnd));
      if (isOrderly) {
        await following.stop();
        await first.close();
      }
      const before = double.sent;
      const second = open();
      const last = await second.lastPosition();
      expect((await all(second, last)).length).toBe(0);
      const again = await follow(second, last);
      await own(second, 'Four');
      await until(() => Promise.resolve(again.types.length === 1));
      expect(again.types).toEqual(['Four']);
      expect(double.sent - before).toBeLessThan(FEW);
      expect((await all(second)).map(({ type }) => type)).toEqual(['One', 'Two', 'Three', 'Four']);
      expect((await all(second, position)).map(({ type }) => type)).toEqual(['Three', 'Four']);
      await again.stop();
      await second.close();
      if (!isOrderly) {
        await following.stop();
        await first.close();
      }
    },
    120_000,
  );

  it('are read again where the log went back to a backup', async () => {
    const before = async (store: EventStore): Promise<bigint> => {
      await own(store, 'One');
      foreign(100);
      const { position } = await own(store, 'Two');
      foreign(20);
      return position;
    };
    const first = open();
    const position = await before(first);
    foreign(200);
    expect(await first.lastPosition()).toBe(position);
    await first.close();
    expect(kept()).toBeGreaterThan(Number(position));
    await double.stop();
    // Another history now has the same places in the log.
    double = await EventStoreDbDouble.start();
    const other = openEventStoreDb({ url: double.url, log: { warn: () => undefined } });
    expect(await before(other)).toBe(position);
    await own(other, 'Another');
    foreign(200);
    await other.close();
    const second = open();
    expect((await all(second, position)).map(({ type }) => type)).toEqual(['Another']);
    expect((await all(second)).map(({ type }) => type)).toEqual(['One', 'Two', 'Another']);
    await second.close();
  });
});
