import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Projector,
  SnapshotFiles,
  type EventStore,
  type RecordedEvent,
  type SnapshottedProjection,
} from '@app/event-store';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { newEvent } from './event-store.contract.js';

describe('the projector, on the embedded store', () => {
  let directory: string;
  let store: EventStore;
  let projector: Projector | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-projector-'));
    store = openEmbeddedEventStore({ directory });
  });
  afterEach(async () => {
    await projector?.stop();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const log = { error: () => undefined };

  it('replays what is stored, then follows, and says when a position is reached', async () => {
    const seen: string[] = [];
    const projection = {
      name: 'p',
      apply: (event: RecordedEvent) => void seen.push(event.type),
      caughtUp: () => void seen.push('|'),
    };
    await store.append('a-1', [newEvent('A'), newEvent('B')], 'no-stream');
    projector = new Projector(store, [projection], log);
    await projector.start();
    const { position } = await store.append('a-1', [newEvent('C')], 1);
    await projector.awaitPosition(position);
    expect(seen).toEqual(['A', 'B', '|', 'C']);
  });

  it('tries a failing projection again, tells commands meanwhile, and gives each event once to each', async () => {
    const first: string[] = [];
    const second: string[] = [];
    let failures = 2;
    const failing = {
      name: 'failing',
      apply: (event: RecordedEvent) => {
        if (failures-- > 0) throw new Error('disk');
        second.push(event.type);
      },
    };
    projector = new Projector(
      store,
      [{ name: 'first', apply: (event: RecordedEvent) => void first.push(event.type) }, failing],
      log,
    );
    await projector.start();
    const { position } = await store.append('a-1', [newEvent('A')], 'no-stream');
    await expect(projector.awaitPosition(position)).rejects.toMatchObject({
      kind: 'NOT_READY',
      retryAfterSeconds: 5,
    });
    const later = await store.append('a-1', [newEvent('B')], 0);
    const reached = async (): Promise<void> => {
      for (;;) {
        const done = await projector?.awaitPosition(later.position).then(
          () => true,
          () => false,
        );
        if (done) return;
        await new Promise(setImmediate);
      }
    };
    await reached();
    expect([first, second]).toEqual([
      ['A', 'B'],
      ['A', 'B'],
    ]);
  });

  /** Counts events; fails when it is told to. */
  class Counting implements SnapshottedProjection {
    readonly snapshotVersion = 1;
    count = 0;
    restored = false;
    failing = false;
    failed: () => void = () => undefined;

    constructor(readonly name: string) {}

    apply(): void {
      if (this.failing) {
        this.failed();
        throw new Error('disk');
      }
      this.count += 1;
    }

    snapshot(): number {
      return this.count;
    }

    restore(state: unknown): void {
      this.count = state as number;
      this.restored = true;
    }
  }

  const snapshotsIn = (folder: string) => new SnapshotFiles(join(directory, folder));

  /** Starts with these counters, and stops, which keeps snapshots. */
  async function run(counters: readonly Counting[], snapshots: SnapshotFiles): Promise<void> {
    const running = new Projector(store, counters, log, snapshots);
    await running.start();
    await running.stop();
  }

  const append = (count: number) =>
    store.append(
      'a-1',
      Array.from({ length: count }, () => newEvent('A')),
      'any',
    );

  it('knows a position again that another node reached while this one started', async () => {
    // This is more than the store reads at once.
    await append(501);
    let during: Promise<{ position: bigint }> | undefined;
    const projection = { name: 'p', apply: async () => void (await (during ??= append(1))) };
    projector = new Projector(store, [projection], log);
    await projector.start();
    await projector.awaitPosition((await during)?.position ?? 0n);
  });

  it('lets those wait in any order, and answers each when its position is there', async () => {
    projector = new Projector(store, [], log);
    await projector.start();
    const answered: bigint[] = [];
    const waiting = [3n, 1n, 2n, 1n].map(async (position) => {
      await projector?.awaitPosition(position);
      answered.push(position);
    });
    for (let count = 1; count <= 3; count += 1) {
      const { position } = await append(1);
      await projector.awaitPosition(position);
    }
    await Promise.all(waiting);
    expect(answered).toEqual([1n, 1n, 2n, 3n]);
  });

  it('tells those who wait when it ends, and those who come later', async () => {
    const ending = new Projector(store, [], log);
    await ending.start();
    const failure = { kind: 'SHUTTING_DOWN', retryAfterSeconds: 5 };
    const waiting = expect(ending.awaitPosition(1n)).rejects.toMatchObject(failure);
    await ending.stop();
    await waiting;
    await expect(ending.awaitPosition(1n)).rejects.toMatchObject(failure);
  });

  it('starts with its snapshot and gets each later event once', async () => {
    const snapshots = snapshotsIn('snapshots');
    await append(5);
    await run([new Counting('a')], snapshots);
    await append(2);
    const [known, fresh] = [new Counting('a'), new Counting('b')];
    await run([known, fresh], snapshots);
    expect([known.restored, known.count, fresh.restored, fresh.count]).toEqual([true, 7, false, 7]);
  });

  it('keeps a snapshot by itself when much has come', async () => {
    const snapshots = snapshotsIn('snapshots');
    projector = new Projector(store, [new Counting('a')], log, snapshots);
    await projector.start();
    for (let round = 0; round < 11; round += 1) await append(1000);
    await projector.awaitPosition((await store.lastPosition()) ?? 0n);
    expect(await snapshots.load('a', 1)).toMatchObject({ position: 10_000n, state: 10_000 });
  });

  it('uses no snapshot of another history, or of another version', async () => {
    const snapshots = snapshotsIn('snapshots');
    await append(5);
    const [found] = await collect(store.readAll({ after: 3n, limit: 1 }));
    if (!found) throw new Error('there are five');
    const { id, stream, revision } = found;
    const event = { id, stream, revision };
    const kept = { position: 4n, event, state: 4000 };
    await snapshots.save('a', 1, { ...kept, event: { ...event, id: crypto.randomUUID() } });
    await snapshots.save('b', 1, { ...kept, position: 9n });
    await snapshots.save('c', 2, kept);
    await snapshots.save('d', 1, { ...kept, event: { ...event, revision: 9 } });
    const counters = ['a', 'b', 'c', 'd'].map((name) => new Counting(name));
    await run(counters, snapshots);
    expect(counters.map(({ count, restored }) => [count, restored])).toEqual(
      counters.map(() => [5, false]),
    );
  });

  it('keeps no snapshot that is ahead of its position, when it ends while a projection fails', async () => {
    const snapshots = snapshotsIn('snapshots');
    const [ahead, failing] = [new Counting('ahead'), new Counting('failing')];
    const stuck = new Projector(store, [ahead, failing], log, snapshots);
    await stuck.start();
    const { position } = await append(3);
    await stuck.awaitPosition(position);
    const failed = new Promise<void>((resolve) => (failing.failed = resolve));
    failing.failing = true;
    await append(1);
    await failed;
    await stuck.stop();
    expect([ahead.count, failing.count]).toEqual([4, 3]);
    const again = [new Counting('ahead'), new Counting('failing')];
    await run(again, snapshots);
    expect(again.map(({ count }) => count)).toEqual([4, 4]);
  });

  /** Writes the events that it was given, once it is allowed to. */
  class Grouped extends Counting {
    readonly groups: number[] = [];
    unwritten = 0;
    fails = false;
    release: () => void = () => undefined;

    override apply(): void {
      super.apply();
      this.unwritten += 1;
    }

    async writeGroup(): Promise<void> {
      const group = this.unwritten;
      await new Promise<void>((resolve) => (this.release = resolve));
      if (this.fails) throw new Error('no warehouse');
      this.unwritten -= group;
      this.groups.push(group);
    }
  }

  const untilLet = async (grouped: Grouped, over: () => boolean): Promise<void> => {
    while (!over()) {
      grouped.release();
      await new Promise(setImmediate);
    }
  };

  it('lets a projection write in groups: commands do not wait for them, who reads does', async () => {
    const grouped = new Grouped('grouped');
    projector = new Projector(store, [grouped], log);
    await projector.start();
    for (let n = 0; n < 5; n += 1) await projector.awaitPosition((await append(1)).position);
    let isSettled = false;
    const settled = projector.settled().then(() => (isSettled = true));
    await new Promise(setImmediate);
    expect([grouped.count, isSettled]).toEqual([5, false]);
    await untilLet(grouped, () => isSettled);
    await settled;
    expect(grouped.groups.reduce((sum, group) => sum + group)).toBe(5);
    expect(grouped.groups.length).toBeLessThan(5);
  });

  it('tells commands that come after a group that fails, and keeps no snapshot of what is not written', async () => {
    const snapshots = snapshotsIn('snapshots');
    const [plain, grouped] = [new Counting('plain'), new Grouped('grouped')];
    const failing = new Projector(store, [plain, grouped], log, snapshots);
    await failing.start();
    grouped.fails = true;
    const { position } = await append(3);
    await failing.awaitPosition(position);
    await untilLet(grouped, () => failing.isFailing);
    expect(() => failing.checkBeforeAppend()).toThrow(/nothing was changed/);
    await expect(failing.awaitWritten(position)).rejects.toMatchObject({ kind: 'NOT_READY' });
    await failing.settled();
    const stopped = failing.stop();
    let isStopped = false;
    void stopped.then(() => (isStopped = true));
    await untilLet(grouped, () => isStopped);
    expect(await snapshots.load('plain', 1)).toMatchObject({ position });
    expect(await snapshots.load('grouped', 1)).toBeUndefined();
  });

  it('ends well when no snapshot can be kept', async () => {
    const snapshots = snapshotsIn('snapshots');
    rmSync(join(directory, 'snapshots'), { recursive: true });
    await append(1);
    const failures: string[] = [];
    const full = new Projector(
      store,
      [new Counting('a')],
      { error: (_details, message) => void failures.push(message) },
      snapshots,
    );
    await full.start();
    await full.stop();
    expect(failures).toEqual([expect.stringContaining('snapshot could not be kept')]);
  });
});

async function collect(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
