import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { open, type Database } from 'lmdb';
import type { EventMetadata, EventStore } from '@app/event-store';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { eventStoreContract, reopened } from './event-store.contract.js';

eventStoreContract('embedded', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-events-'));
  const open = () => openEmbeddedEventStore({ directory });
  return Promise.resolve(reopened(open, () => rmSync(directory, { recursive: true, force: true })));
});

/** Appends pairs of events for ever and prints each pair's number when it is acknowledged. */
const APPENDING = `
  const { openEmbeddedEventStore } = await import(process.argv[1]);
  const store = openEmbeddedEventStore({ directory: process.argv[2] });
  const events = (n) => ['a', 'b'].map((half) => ({ id: n + half, type: 'T', data: { n, half }, metadata: {} }));
  const lane = async (first) => {
    for (let n = first; ; n += 8) {
      await store.append('lane-' + first, events(n), 'any');
      console.log(n);
    }
  };
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(lane));`;

it.each([1, 50, 500])(
  'keeps every acknowledged append whole when killed after %i of them',
  async (count) => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-events-kill-'));
    const built = pathToFileURL('dist/libs/event-store/embedded/index.js').href;
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', APPENDING, built, directory],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exited = once(child, 'exit');
    const acknowledged: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      if (acknowledged.length === count) child.kill('SIGKILL');
    }
    await exited;
    expect(acknowledged.length).toBeGreaterThanOrEqual(count);
    const store = openEmbeddedEventStore({ directory });
    try {
      const ids = new Set<string>();
      for await (const event of store.readAll()) ids.add(event.id);
      for (const n of acknowledged)
        expect([ids.has(`${n}a`), ids.has(`${n}b`)]).toEqual([true, true]);
      for (const id of ids)
        expect(ids.has(id.slice(0, -1) + (id.endsWith('a') ? 'b' : 'a'))).toBe(true);
    } finally {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);

it.each([null, 7, 'text', [], {}, { stream: 'user-1' }, { stream: 7, revision: 0 }])(
  'says that it is damaged where %j stands for an event',
  async (value) => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-events-odd-'));
    const environment = open({ path: directory, maxDbs: 4 });
    const events = environment.openDB<unknown, number>({ name: 'events', encoding: 'json' });
    await events.put(1, value);
    await environment.close();
    const store = openEmbeddedEventStore({ directory });
    try {
      const reading = async (): Promise<void> => {
        for await (const event of store.readAll()) void event;
      };
      await expect(reading()).rejects.toThrow('is damaged');
    } finally {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);

/** Somebody with access to the files sees this. */
interface Files {
  readonly events: Database<object, number>;
  readonly positions: Database<number, [string, number]>;
}

interface Place {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
}

describe('a store whose files somebody has changed', () => {
  let directory: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-events-changed-'));
    const store = openEmbeddedEventStore({ directory });
    const event = (id: string) => ({ id, type: id, data: {}, metadata: {} as EventMetadata });
    await store.append('acme', [event('granted'), event('removed')], 'any');
    await store.append('other', [event('granted')], 'any');
    await store.close();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  async function change(work: (files: Files) => void): Promise<void> {
    const environment = open({ path: directory, maxDbs: 4, overlappingSync: false });
    work({
      events: environment.openDB({ name: 'events', encoding: 'json' }),
      positions: environment.openDB({ name: 'positions', encoding: 'ordered-binary' }),
    });
    await environment.close();
  }

  async function read(how: (store: EventStore) => AsyncIterable<Place>): Promise<Place[]> {
    const store = openEmbeddedEventStore({ directory });
    const found: Place[] = [];
    try {
      for await (const event of how(store)) found.push(event);
    } finally {
      await store.close();
    }
    return found;
  }
  const all = (store: EventStore) => store.readAll();
  const stored = ({ events }: Files, position: number): object => events.get(position) ?? {};

  it.each<readonly [string, (files: Files) => void]>([
    ['is there twice', (files) => files.events.putSync(4, stored(files, 1))],
    [
      'has changed places with a later one',
      (files) => {
        const [granted, removed] = [stored(files, 1), stored(files, 2)];
        files.events.putSync(1, removed);
        files.events.putSync(2, granted);
        files.positions.putSync(['acme', 0], 2);
        files.positions.putSync(['acme', 1], 1);
      },
    ],
    [
      'is at position 0, which is before any seal',
      (files) => {
        files.events.putSync(0, { ...stored(files, 2), revision: 2, sum: undefined });
        files.positions.putSync(['acme', 2], 0);
      },
    ],
    ['is at no whole position', (files) => files.events.putSync(3.5, stored(files, 1))],
    ['is in no index', (files) => files.positions.removeSync(['acme', 1])],
    [
      'follows one of its stream that is gone',
      ({ events, positions }) => {
        events.removeSync(1);
        positions.removeSync(['acme', 0]);
      },
    ],
  ])('says that it is damaged where an event %s', async (_, work) => {
    await change(work);
    await expect(read(all)).rejects.toThrow('is damaged');
  });

  it.each([1, 3])('gives no stream what is at position %i and another place', async (position) => {
    await change(({ positions }) => positions.putSync(['acme', 1], position));
    await expect(read((store) => store.read('acme'))).rejects.toThrow('is damaged');
  });

  it('says that it is damaged where its last position is none', async () => {
    await change(({ events }) => events.putSync('zzz' as unknown as number, {}));
    await expect(
      read(async function* (store) {
        await store.lastPosition();
        yield* [];
      }),
    ).rejects.toThrow('is damaged');
  });

  it('reads nothing that stands beside an event’s own fields', async () => {
    const before = await read(all);
    await change((files) => {
      const event = stored(files, 2);
      files.events.putSync(2, { ...event, parts: [event], original: event, notOurs: 'x' });
    });
    expect(await read(all)).toEqual(before);
  });
});
