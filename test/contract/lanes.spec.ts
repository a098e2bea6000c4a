import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  byOrganization,
  Projector,
  SnapshotFiles,
  type EventStore,
  type RecordedEvent,
  type SnapshottedProjection,
} from '@app/event-store';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { until as untilAsked } from '../server/until.js';
import { newEvent } from './event-store.contract.js';

const until = (isSo: () => boolean): Promise<void> => untilAsked(() => Promise.resolve(isSo()));

/** A place through which events of a type go when they are let. */
class Gates {
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly open = new Set<string>();

  pass(type: string): Promise<void> {
    if (this.open.has(type)) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.set(type, [...(this.waiting.get(type) ?? []), resolve]);
    });
  }

  let(type: string): void {
    this.open.add(type);
    for (const go of this.waiting.get(type) ?? []) go();
  }

  isAt(type: string): boolean {
    return this.waiting.has(type);
  }
}

/** Carries out what is done for organizations, slowly where the type says so, and tells what is done. */
class CarriedOut implements SnapshottedProjection {
  readonly name = 'carried-out';
  readonly lanes = byOrganization;
  readonly snapshotVersion = 1;
  done: string[] = [];
  readonly failing = new Set<string>();
  readonly gates = new Gates();

  async apply({ type }: RecordedEvent): Promise<void> {
    if (type.startsWith('Slow')) await this.gates.pass(type);
    if (this.failing.has(type)) throw new Error('disk');
    this.done.push(type);
  }

  snapshot(): readonly string[] {
    return this.done;
  }

  restore(state: unknown): void {
    this.done = [...(state as readonly string[])];
  }
}

describe('events of several organizations', () => {
  let directory: string;
  let store: EventStore;
  let projector: Projector;
  let carriedOut: CarriedOut;
  let inOrder: string[];
  const said: string[] = [];
  const log = { error: (_: object, message: string) => void said.push(message) };
  const snapshots = () => new SnapshotFiles(join(directory, 'snapshots'));

  const start = async (maxWaitMs?: number): Promise<void> => {
    carriedOut = new CarriedOut();
    inOrder = [];
    const known = { name: 'known', apply: ({ type }: RecordedEvent) => void inOrder.push(type) };
    projector = new Projector(store, [known, carriedOut], log, snapshots(), maxWaitMs);
    await projector.start();
  };
  beforeEach(async () => {
    said.length = 0;
    directory = mkdtempSync(join(tmpdir(), 'millrace-lanes-'));
    store = openEmbeddedEventStore({ directory: join(directory, 'events') });
    await start();
  });
  afterEach(async () => {
    for (const type of ['Slow', 'SlowToo']) carriedOut.gates.let(type);
    await projector.stop();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** @returns the position */
  const append = async (organizationId: string, ...types: string[]): Promise<bigint> => {
    const events = types.map((type) => {
      const event = newEvent(type);
      return { ...event, metadata: { ...event.metadata, organizationId } };
    });
    return (await store.append(`stream-${organizationId}`, events, 'any')).position;
  };
  const isShown = async (position: bigint): Promise<boolean> => {
    const shown = projector.awaitPosition(position).then(() => true);
    const turns = Array.from({ length: 20 }).reduce<Promise<unknown>>(
      (before) => before.then(() => new Promise(setImmediate)),
      Promise.resolve(),
    );
    return Promise.race([shown, turns.then(() => false)]);
  };

  it('are applied in the order of each, and beside a slow one of another', async () => {
    const before = await append('a', 'A');
    await projector.awaitPosition(before);
    const slow = await append('a', 'Slow', 'After');
    await until(() => carriedOut.gates.isAt('Slow'));
    for (const type of ['B', 'C']) await projector.awaitPosition(await append('b', type));
    expect(carriedOut.done).toEqual(['A', 'B', 'C']);
    expect(inOrder).toEqual(['A', 'Slow', 'After', 'B', 'C']);
    expect([await isShown(slow), projector.position]).toEqual([false, before]);
    carriedOut.gates.let('Slow');
    await projector.awaitPosition(slow);
    expect(carriedOut.done).toEqual(['A', 'B', 'C', 'Slow', 'After']);
    await until(() => projector.position === slow + 2n);
  });

  it('go on while one fails: only what concerns it is refused, and told', async () => {
    carriedOut.failing.add('A');
    const failing = await append('a', 'A');
    await expect(projector.awaitPosition(failing)).rejects.toThrow('does not show yet');
    expect(projector.isFailing).toBe(true);
    expect(() => projector.checkBeforeAppend(['organization-a'])).toThrow('nothing was changed');
    expect(() => projector.checkBeforeAppend(['organization-b'])).not.toThrow();
    await projector.awaitPosition(await append('b', 'B'));
    const behind = await append('a', 'Behind');
    await expect(projector.awaitPosition(behind)).rejects.toThrow('does not show yet');
    carriedOut.failing.clear();
    await until(() => !projector.isFailing);
    await projector.awaitPosition(behind);
    expect(carriedOut.done).toEqual(['B', 'A', 'Behind']);
    expect(said.every((message) => message.startsWith('a projection failed'))).toBe(true);
  });

  it('are each told when their own stand still, though others come forward', async () => {
    await projector.stop();
    await start(200);
    const slow = await append('a', 'Slow');
    await until(() => carriedOut.gates.isAt('Slow'));
    let isTold = false;
    const told = projector.awaitPosition(slow).catch((error: unknown) => {
      isTold = true;
      return error;
    });
    while (!isTold) await projector.awaitPosition(await append('b', 'B'));
    expect(await told).toMatchObject({ kind: 'NOT_READY' });
  });

  it('keep readers of what is written behind a slow one waiting only so long', async () => {
    await projector.stop();
    carriedOut = new CarriedOut();
    const oneTrail = {
      name: 'one-trail',
      lanes: () => ['trail'],
      writeGroup: async () => undefined,
    };
    const behind = { ...oneTrail, apply: () => undefined };
    projector = new Projector(store, [carriedOut, behind], log, undefined, 200);
    await projector.start();
    await append('a', 'Slow');
    await until(() => carriedOut.gates.isAt('Slow'));
    const shown = await append('b', 'B');
    await projector.awaitPosition(shown);
    await projector.settled('trail');
    await expect(projector.awaitWritten(shown)).rejects.toMatchObject({ kind: 'NOT_READY' });
    carriedOut.gates.let('Slow');
    await projector.awaitWritten(shown);
  });

  it('go on while what was written of one lane takes no end of time', async () => {
    await projector.stop();
    let end = (): void => undefined;
    const trails = {
      name: 'trails',
      lanes: byOrganization,
      apply: () => undefined,
      writeGroup: async (lane: string): Promise<void> => {
        if (lane === 'organization-a') await new Promise<void>((resolve) => (end = resolve));
      },
    };
    projector = new Projector(store, [trails], log, snapshots(), 200);
    await projector.start();
    const slow = await append('a', 'A');
    await projector.settled('organization-a');
    await expect(projector.awaitWritten(slow)).rejects.toMatchObject({ kind: 'NOT_READY' });
    // A snapshot is due on the way.
    for (let lot = 0; lot < 11; lot += 1)
      await append('b', ...Array.from({ length: 1000 }, () => 'B'));
    const last = await append('b', 'B');
    await until(() => projector.position >= last);
    await projector.awaitWritten(last);
    end();
    await projector.awaitWritten(slow);
  });

  it('fail for what concerns them, also while another stage has them ahead', async () => {
    await projector.stop();
    carriedOut = new CarriedOut();
    carriedOut.failing.add('A');
    const gates = new Gates();
    const ahead = {
      name: 'ahead',
      lanes: () => ['trail'],
      goesAhead: () => true,
      isDone: false,
      apply: async (): Promise<void> => {
        await gates.pass('A');
        ahead.isDone = true;
      },
      writeGroup: () => Promise.resolve(),
    };
    projector = new Projector(store, [carriedOut, ahead], log);
    await projector.start();
    await append('a', 'A');
    // It is tried again more and more seldom.
    said.length = 0;
    await until(() => said.length === 4 && gates.isAt('A'));
    gates.let('A');
    await until(() => ahead.isDone);
    expect(() => projector.checkBeforeAppend(['organization-a'])).toThrow('nothing was changed');
    carriedOut.failing.clear();
    await until(() => !projector.isFailing);
  });

  it('are in no snapshot beyond one that is not applied, and come once each after a start', async () => {
    await projector.awaitPosition(await append('a', 'A'));
    await append('a', 'Slow');
    await until(() => carriedOut.gates.isAt('Slow'));
    await projector.awaitPosition(await append('b', 'B'));
    await append('a', 'After');
    await until(() => inOrder.includes('After'));
    const stopping = projector.stop();
    carriedOut.gates.let('Slow');
    await stopping;
    expect(await snapshots().load('carried-out', 1)).toBeUndefined();
    const restarted = new CarriedOut();
    restarted.gates.let('Slow');
    projector = new Projector(store, [restarted], log, snapshots());
    await projector.start();
    expect(restarted.done).toEqual(['A', 'Slow', 'B', 'After']);
    await projector.awaitPosition(await append('b', 'C'));
    await projector.stop();
    await start();
    expect(carriedOut.done).toEqual(['A', 'Slow', 'B', 'After', 'C']);
    expect(inOrder).toEqual(carriedOut.done);
  });

  it('leave room for others, however many organizations have slow ones', async () => {
    for (const slow of ['a', 'b', 'c']) await append(slow, 'Slow');
    await until(() => carriedOut.gates.isAt('Slow'));
    const isOpen = (organization: string): boolean => {
      try {
        projector.checkBeforeAppend([`organization-${organization}`]);
        return true;
      } catch {
        return false;
      }
    };
    for (let position = 0n, rounds = 0; rounds < 60; rounds += 1)
      for (const slow of ['a', 'b', 'c']) {
        if (!isOpen(slow)) continue;
        position = await append(slow, ...Array.from({ length: 100 }, () => 'A'));
        await until(() => inOrder.length >= Number(position));
      }
    expect(['a', 'b', 'c', 'd'].map(isOpen)).toEqual([false, false, false, true]);
    await projector.awaitPosition(await append('d', 'D'));
  });

  it('leave room for others, however long one of them makes its events', async () => {
    await append('a', 'Slow');
    await until(() => carriedOut.gates.isAt('Slow'));
    const long = newEvent('Long', { text: 'x'.repeat(1024 * 1024) });
    const asked = { ...long, metadata: { ...long.metadata, organizationId: 'a' } };
    const check = (): void => projector.checkBeforeAppend(['organization-a']);
    for (let events = 0; events < 20; events += 1) {
      if (events < 10) expect(check).not.toThrow();
      await store.append('stream-a', [{ ...asked, id: crypto.randomUUID() }], 'any');
    }
    await until(() => inOrder.length === 21);
    expect(check).toThrow('nothing was changed');
    await projector.awaitPosition(await append('b', 'B'));
  });

  it('are read ahead of a slow one only so far, and all of them come', async () => {
    const [lots, each] = [11, 1000];
    await append('a', 'Slow');
    await until(() => carriedOut.gates.isAt('Slow'));
    for (let lot = 0; lot < lots; lot += 1)
      await append('a', ...Array.from({ length: each }, () => 'A'));
    await until(() => inOrder.length === 10_000);
    expect(() => projector.checkBeforeAppend(['organization-a'])).toThrow('nothing was changed');
    expect(() => projector.checkBeforeAppend(['organization-b'])).not.toThrow();
    const beyond = await append('b', 'B');
    expect(await isShown(beyond)).toBe(false);
    expect(inOrder).toHaveLength(10_000);
    carriedOut.gates.let('Slow');
    await projector.awaitPosition(beyond);
    expect([carriedOut.done.length, inOrder.length]).toEqual([lots * each + 2, lots * each + 2]);
  });
});
