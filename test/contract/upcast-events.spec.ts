import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  CommandPipeline,
  EventTypes,
  NotUnderstood,
  past,
  Projector,
  SnapshotFiles,
  rebuild,
  UnderstoodEvents,
  type Decider,
  type EventFields,
  type EventStore,
  type RecordedEvent,
} from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { until } from '../server/until.js';
import { newEvent } from './event-store.contract.js';
import { by } from './node.js';

type Today =
  | { readonly type: 'Named'; readonly data: { readonly fullName: string } }
  | { readonly type: 'Moved'; readonly data: { readonly to: string } };

/** An imagined release wrote events of these types. */
const BEFORE = new EventTypes({
  Named: { name: z.string() },
  Registered: { name: z.string(), town: z.string() },
});
/** The one after it has renamed a field, and writes two events where there was one. */
const fields: EventFields<Today> = { Named: { fullName: z.string() }, Moved: { to: z.string() } };
const TODAY = new EventTypes(fields, {
  Named: [
    past({ name: z.string() }, ({ name }) => [
      { type: 'Named', version: 2, data: { fullName: name } },
    ]),
  ],
  Registered: [
    past({ name: z.string(), town: z.string() }, ({ name, town }) => [
      { type: 'Named', version: 1, data: { name } },
      { type: 'Moved', version: 1, data: { to: town } },
    ]),
  ],
});

type Person = readonly string[];

/** Returns the events that it got, in order, so that a double or a missing one shows. */
const evolve = (person: Person, { type, data }: Pick<RecordedEvent, 'type' | 'data'>): Person => {
  if (type === 'Named') return [...person, `named ${(data as { fullName: string }).fullName}`];
  if (type === 'Moved') return [...person, `in ${(data as { to: string }).to}`];
  return [...person, `? ${type}`];
};
const aggregate: Decider<Person, string, Today> = {
  initialState: [],
  evolve,
  decide: (person, to) => (person.includes(`in ${to}`) ? [] : [{ type: 'Moved', data: { to } }]),
};

class People {
  readonly name = 'people';
  readonly version = 1;
  told: Person = [];

  /** @param fails is asked before each event */
  constructor(private readonly fails: (event: RecordedEvent) => boolean = () => false) {}

  apply(event: RecordedEvent): void {
    if (this.fails(event)) throw new Error('the disk is full');
    this.told = evolve(this.told, event);
  }

  snapshot(): unknown {
    return this.told;
  }

  restore(state: unknown): void {
    this.told = state as Person;
  }
}

const SAID = ['named Ann', 'in Ulm', 'named Ann X', 'in Bonn'];

describe.each([
  [
    'embedded',
    (directory: string) => {
      const store = openEmbeddedEventStore({ directory: join(directory, 'events') });
      return Promise.resolve({ store, dispose: () => Promise.resolve() });
    },
  ],
  [
    'EventStoreDB (double)',
    async () => {
      const double = await EventStoreDbDouble.start();
      const store = openEventStoreDb({ url: double.url, log: { warn: () => undefined } });
      return { store, dispose: () => double.stop() };
    },
  ],
])('events of an earlier release, %s', (_, open) => {
  let directory: string;
  let stored: EventStore;
  let dispose: () => Promise<void>;
  /** The earlier release reads this store. */
  let before: EventStore;
  let store: EventStore;
  let projector: Projector | undefined;
  const log = { error: () => undefined };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-upcast-'));
    ({ store: stored, dispose } = await open(directory));
    const met = new NotUnderstood(log);
    before = new UnderstoodEvents(stored, BEFORE, met);
    await before.append('p-1', [newEvent('Registered', { name: 'Ann', town: 'Ulm' })], 'any');
    await before.append('p-1', [newEvent('Named', { name: 'Ann X' })], 'any');
    store = new UnderstoodEvents(stored, TODAY, met);
    await store.append('p-1', [newEvent('Moved', { to: 'Bonn' })], 1);
    expect(met.count).toBe(0);
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await store.close();
    await dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  it('are told to read models in the words of today, replayed and rebuilt', async () => {
    const [first, second] = [new People(), new People()];
    projector = new Projector(store, [first], log);
    await projector.start();
    expect(first.told).toEqual(SAID);
    const snapshots = new SnapshotFiles(join(directory, 'snapshots'));
    await rebuild(store, [second], snapshots, { from: () => 0n, onProgress: () => undefined });
    expect(second.told).toEqual(SAID);
  });

  it('are told once, where a read model fails between the two of one event', async () => {
    let failures = 0;
    const people = new People(({ type }) => type === 'Moved' && failures-- > 0);
    const running = new Projector(store, [people], log);
    projector = running;
    await running.start();
    failures = 2;
    const { position } = await before.append(
      'p-2',
      [newEvent('Registered', { name: 'Ben', town: 'Rome' })],
      'any',
    );
    await until(() =>
      running.awaitPosition(position).then(
        () => true,
        () => false,
      ),
    );
    expect(failures).toBe(-1);
    expect(people.told).toEqual([...SAID, 'named Ben', 'in Rome']);
  });

  it('are decided on, with what is written today', async () => {
    projector = new Projector(store, [], log);
    await projector.start();
    const pipeline = new CommandPipeline(store, projector, {
      seal: () => '',
      fingerprint: (text) => text,
    });
    const move = (to: string) =>
      pipeline.handle({ decider: aggregate, stream: 'p-1', command: to, context: by() });
    // The account exists already, because of one half of an event.
    await move('Ulm');
    expect(await store.lastPosition()).toBe((await all()).at(-1)?.position);
    expect(await all()).toHaveLength(3);
    await move('Rome');
    const written = (await all()).at(-1);
    expect(written).toMatchObject({ type: 'Moved', revision: 3, metadata: { schemaVersion: 1 } });
  });

  it('stay what they were where they are stored, and for the audit trail', async () => {
    const forms = (events: readonly RecordedEvent[]) =>
      events.map(({ type, data, metadata }) => [type, metadata.schemaVersion, data]);
    const asStored = [
      ['Registered', 1, { name: 'Ann', town: 'Ulm' }],
      ['Named', 1, { name: 'Ann X' }],
      ['Moved', 1, { to: 'Bonn' }],
    ];
    expect(forms(await all(stored))).toEqual(asStored);
    expect(forms((await all()).map((event) => event.original ?? event))).toEqual(asStored);
  });

  async function all(of = store): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const event of of.readAll()) events.push(event);
    return events;
  }
});
