import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { AuditTrailProjection, TrailLeaderElection } from '@app/audit';
import {
  NotUnderstood,
  type Decider,
  type DomainEvent,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
} from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { EndedSessionsProjection } from '@app/identity';
import { understoodEvents } from '@app/stored-events';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { rounds } from '../rounds.js';
import { FULL, performAll } from './deeds.js';
import { newEvent } from './event-store.contract.js';
import { account, by, eventsOf, openSite, startNode, type Site } from './node.js';

type Fields = Readonly<Record<string, unknown>>;

/** No field of ours has this type. */
const ODD = [[7]];
const data = (event: RecordedEvent, change: (fields: Fields) => unknown): RecordedEvent => ({
  ...event,
  data: change(event.data as Fields),
});
const metadata = (event: RecordedEvent, change: (fields: Fields) => unknown): RecordedEvent => ({
  ...event,
  metadata: change(event.metadata as unknown as Fields) as RecordedEvent['metadata'],
});
const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));
const field = (fields: Fields, which: number): string => {
  const names = Object.keys(fields);
  return names[which % names.length] ?? '';
};
const NEEDED = ['$correlationId', '$causationId', 'actor', 'occurredAt'];

/**
 * A person, another program or a later release may have left one of these in the place of our
 * event.
 */
const mutations: Readonly<Record<string, (event: RecordedEvent, n: number) => RecordedEvent>> = {
  'another type': (event) => ({ ...event, type: `${event.type}Again` }),
  'a later version': (event, n) => metadata(event, (all) => ({ ...all, schemaVersion: 2 + n })),
  'no version': (event) => metadata(event, (all) => ({ ...all, schemaVersion: 'x' })),
  'an odd field': (event, n) => data(event, (all) => ({ ...all, [field(all, n)]: ODD })),
  'a field that is null': (event, n) => data(event, (all) => ({ ...all, [field(all, n)]: null })),
  'no data': (event) => data(event, () => null),
  'data that is text': (event) => data(event, () => 'x'),
  'data that is a list': (event) => data(event, () => [1]),
  'no metadata': (event) => metadata(event, () => ({})),
  'metadata that is a list': (event) => metadata(event, () => [1]),
  'metadata that lacks something': (event, n) =>
    metadata(event, (all) => without(all, NEEDED[n % NEEDED.length] ?? '')),
  'an odd actor': (event) => metadata(event, (all) => ({ ...all, actor: ODD })),
  'no time': (event) => metadata(event, (all) => ({ ...all, occurredAt: 'yesterday' })),
};

const MORE = [
  ['session-1', newEvent('SessionEnded', { sessionId: '1', expiresAt: '2999-01-01T00:00:00Z' })],
  ['login-1', newEvent('LoginFailed', { failed: 1 })],
  ['logins', newEvent('LoginsFailed', { failed: 1, refused: 0, prefixes: 1 })],
  ['refusal-none', newEvent('CommandRefused', { method: 'PUT', route: '/', reason: 'FORBIDDEN' })],
] as const;

/** Decides nothing, with everything that exists. */
const onlooker: Decider<undefined, undefined, DomainEvent> = {
  initialState: undefined,
  evolve: () => undefined,
  decide: () => [],
};

describe.each([
  [
    'embedded',
    () => {
      const directory = mkdtempSync(join(tmpdir(), 'millrace-mutated-'));
      const store = openEmbeddedEventStore({ directory });
      const dispose = () => rmSync(directory, { recursive: true, force: true });
      return Promise.resolve({ store, dispose });
    },
  ],
  [
    'EventStoreDB (double)',
    async () => {
      const double = await EventStoreDbDouble.start();
      const { url } = double;
      const namespace = `test-${randomUUID()}`;
      const store = openEventStoreDb({ url, namespace, log: { warn: () => undefined } });
      return { store, dispose: () => double.stop() };
    },
  ],
])('an event that is not understood, %s', (_, open) => {
  let site: Site;
  let history: readonly RecordedEvent[];

  beforeAll(async () => {
    site = openSite();
    const node = await startNode(site);
    await performAll(node, FULL);
    for (const [stream, event] of MORE) await site.store.append(stream, [event], 'any');
    await node.stop();
    history = await eventsOf(site.stored);
  });
  afterAll(() => site.dispose());

  async function copied(events: readonly NewEventOf[], store: EventStore): Promise<void> {
    for (const { stream, id, type, data, metadata } of events)
      await store.append(stream, [{ id, type, data, metadata }], 'any');
  }

  /** A node with every read model, on what is stored. */
  async function start(store: EventStore) {
    const met = new NotUnderstood({ error: () => undefined });
    const tables = new MemoryAuditTables();
    const lead = new TrailLeaderElection(tables);
    await lead.take();
    const stored = understoodEvents(store, met);
    const node = await startNode(
      { ...site, stored: store, store: stored },
      {
        more: ({ users, organizations, people }) => [
          new EndedSessionsProjection(),
          new AuditTrailProjection(
            tables,
            new AccountsDirectory(users, organizations, people, met),
            () => Buffer.alloc(32),
            lead,
          ),
        ],
      },
    );
    return { node, met };
  }

  it('is refused by its name alone, whatever was done to it', async () => {
    const tried = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.constantFrom(...Object.keys(mutations)),
        fc.nat({ max: 20 }),
        async (which, how, n) => {
          const at = which % history.length;
          const original = history[at] as RecordedEvent;
          const mutate = mutations[how] as (typeof mutations)[string];
          const { store, dispose } = await open();
          try {
            await copied(history.with(at, mutate(original, n)), store);
            const { node, met } = await start(store);
            tried.add(how);
            const { stream, revision } = original;
            expect(met.all()).toMatchObject([{ stream, revision }]);
            const handle = (name: string) =>
              node.pipeline.handle({
                decider: onlooker,
                stream: name,
                command: undefined,
                context: by(),
              });
            for (const name of new Set(history.map((each) => each.stream))) {
              const outcome = await handle(name).then(
                () => 'done',
                (error: { kind?: string }) => error.kind,
              );
              expect([name, outcome]).toEqual([name, name === stream ? 'EVENT_NOT_UNDERSTOOD' : 'done']); // prettier-ignore
            }
            // Everybody else goes on, and read models follow.
            const id = await node.accounts.register(account('new'), by());
            expect(node.users.byId(id)?.firstName).toBe('new');
            await node.memberships.create('new', undefined, by());
            expect(node.organizations.find('new')?.name).toBe('new');
            expect(node.projector.isFailing).toBe(false);
            await node.stop();
          } finally {
            await store.close();
            await dispose();
          }
        },
      ),
      {
        numRuns: rounds(Object.keys(mutations).length, 300),
        examples: Object.keys(mutations).map((how, n): [number, string, number] => [5 * n, how, n]),
      },
    );
    expect(tried.size).toBe(Object.keys(mutations).length);
  }, 300_000);

  it('is nothing that a program of ours writes', async () => {
    const { store } = site;
    for (const event of [newEvent('Unheard', {}), newEvent('UserErased', { id: 7 })])
      await expect(async () => store.append('user-1', [event], 'any')).rejects.toThrow(event.type);
  });
});

type NewEventOf = NewEvent & Pick<RecordedEvent, 'stream'>;
