import { randomUUID } from 'node:crypto';
import { AuditTrailProjection, TrailLeaderElection, verifyAudit } from '@app/audit';
import {
  MappedEventStore,
  NotOurs,
  NotUnderstood,
  type EventStore,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from '@app/event-store';
import { understoodEvents } from '@app/stored-events';
import {
  streamAggregate,
  type StreamCommand,
} from '../../libs/streams/aggregates/stream.aggregate.js';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { authenticEvents } from '../../libs/identity/people/installation-events.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { newEvent } from './event-store.contract.js';
import { account, by, eventsOf, openSite, startNode, type Node, type Site } from './node.js';
import { openSiteOnEventStoreDb } from './site-on-eventstoredb.js';

const KEY = Buffer.alloc(32, 5);

/** A store whose files somebody has changed: the stored event, or undefined if it was removed. */
class TamperedStore extends MappedEventStore {
  constructor(
    store: EventStore,
    private readonly tamper: (event: RecordedEvent) => RecordedEvent | undefined,
  ) {
    super(store);
  }

  override read(stream: string, options?: ReadStreamOptions) {
    return this.left(super.read(stream, options));
  }

  override readAll(options?: ReadAllOptions) {
    return this.left(super.readAll(options));
  }

  override subscribe(options: SubscribeOptions) {
    return this.left(super.subscribe(options));
  }

  protected toRead(event: RecordedEvent): RecordedEvent {
    return event;
  }

  private async *left(events: AsyncIterable<RecordedEvent>): AsyncIterable<RecordedEvent> {
    for await (const event of events) {
      const after = this.tamper(event);
      if (after) yield after;
    }
  }
}

const copyOf = ({ type, data, metadata }: RecordedEvent, change: Partial<NewEvent> = {}) => ({
  id: randomUUID(),
  type,
  data,
  metadata,
  ...change,
});

describe.each([
  ['embedded', () => Promise.resolve(openSite())],
  ['EventStoreDB (double)', openSiteOnEventStoreDb],
])('an event that is not ours, %s', (_, open) => {
  let site: Site;
  let tables: MemoryAuditTables;
  let acme: { readonly id: string; readonly database: string };
  let ann: string;
  let ben: string;
  const running: Node[] = [];

  /** A process with all read models on what is stored. */
  async function start(stored: EventStore = site.stored) {
    for (const before of running.splice(0)) await before.stop();
    const met = new NotOurs({ error: () => undefined });
    const authentic = authenticEvents(stored, site.serverKey, 0n, met);
    const store = understoodEvents(authentic, new NotUnderstood({ error: () => undefined }));
    const lead = new TrailLeaderElection(tables);
    await lead.take();
    let directory: AccountsDirectory | undefined;
    const node = await startNode(
      { ...site, store },
      {
        more: ({ users, organizations, people, streams }) => {
          directory = new AccountsDirectory(users, organizations, people, undefined, streams);
          return [new AuditTrailProjection(tables, directory, () => KEY, lead)];
        },
      },
    );
    running.push(node);
    const verify = async () => {
      await authentic.checkChains();
      if (!directory) throw new Error('not started');
      const options = { key: () => KEY, onProgress: () => undefined };
      const verdicts = await verifyAudit(store, tables, directory, options);
      return verdicts.flatMap(({ problems }) => problems);
    };
    const rolesOf = (person: string) =>
      node.organizations.get(acme.id)?.members.get(person) as unknown;
    return { node, met, store, verify, rolesOf };
  }

  const streamOf = () => `organization-${acme.id}`;
  const storedOf = async (type: string): Promise<RecordedEvent> => {
    const found = (await eventsOf(site.stored)).findLast(
      (event) => event.stream === streamOf() && event.type === type,
    );
    if (!found) throw new Error(`no ${type}`);
    return found;
  };
  const auditOf = async (database: string) => {
    const rows = await tables.auditAfter(database, '-1', 1000);
    return rows.filter(({ outcome }) => outcome === 'not ours');
  };

  beforeEach(async () => {
    site = await open();
    tables = new MemoryAuditTables();
    const { node } = await start();
    await node.memberships.create('default', undefined, by());
    acme = await node.memberships.create('acme', undefined, by());
    ann = await node.accounts.register(account('ann'), by());
    ben = await node.accounts.register(account('ben'), by());
    const eve = await node.accounts.register(account('eve'), by());
    await node.memberships.put(acme.id, eve, 'admin', by());
    await node.memberships.put(acme.id, ann, 'viewer', by());
    await node.memberships.put(acme.id, ann, 'admin', by());
    await node.memberships.put(acme.id, ben, 'viewer', by());
    await node.memberships.remove(acme.id, ann, by());
    await node.projector.awaitWritten(node.projector.position);
  });
  afterEach(async () => {
    for (const node of running.splice(0)) await node.stop();
    await site.dispose();
  });

  const attacks: Readonly<Record<string, () => Promise<[string, NewEvent]>>> = {
    'copied within its stream': async () => [
      streamOf(),
      copyOf(await storedOf('UserAddedToOrganization')),
    ],
    'an older one again, after what is last': async () => {
      const last = await storedOf('UserRemovedFromOrganization');
      const older = await storedOf('UserRoleChanged');
      const previousMac = last.metadata.mac ?? '';
      return [streamOf(), copyOf(older, { metadata: { ...older.metadata, previousMac } })];
    },
    'changed, and in its place again': async () => {
      const event = await storedOf('UserAddedToOrganization');
      return [streamOf(), copyOf(event, { data: { ...(event.data as object), role: 'admin' } })];
    },
    'of another program': () => {
      const data = { organizationId: acme.id, userId: ann, role: 'admin' };
      return Promise.resolve([streamOf(), newEvent('UserAddedToOrganization', data)]);
    },
    'of another program, without anything that is ours': () =>
      Promise.resolve([streamOf(), { ...newEvent('X', null), metadata: {} as never }]),
    'copied into another stream': async () => {
      const event = await storedOf('UserAddedToOrganization');
      return ['organization-none', copyOf(event)];
    },
  };

  it.each(Object.keys(attacks))(
    'changes nothing: %s',
    async (name) => {
      const [stream, event] = await (attacks[name] as (typeof attacks)[string])();
      const first = await start();
      expect(first.met.count).toBe(0);
      const { revision } = await site.stored.append(stream, [event], 'any');
      const named = [{ stream, revision, type: event.type }];
      // Commands in the damaged stream go on, one after the other, while it is read and after the
      // next start.
      for (const again of [undefined, start]) {
        const { node, met, rolesOf } = (await again?.()) ?? first;
        await node.memberships.rotatePasscode(acme.id, by());
        await node.memberships.put(acme.id, ben, 'editor', by());
        await node.memberships.put(acme.id, ben, 'viewer', by());
        expect([rolesOf(ann), rolesOf(ben)]).toEqual([undefined, 'viewer']);
        expect(met.all()).toMatchObject(named);
      }
      const last = await start();
      expect([last.rolesOf(ann), last.rolesOf(ben)]).toEqual([undefined, 'viewer']);
      expect(await last.verify()).toEqual([]);
      expect(last.met.all()).toMatchObject(named);
      const own = stream === streamOf();
      const home = last.node.organizations.find('default')?.database ?? '';
      expect(await auditOf(own ? acme.database : home)).toMatchObject([
        { type: event.type, stream, actor: '', subject: '', subjectId: '', outcome: 'not ours' },
      ]);
      expect(await auditOf(own ? home : acme.database)).toEqual([]);
    },
    60_000,
  );

  it('stands in the trail of the organization in whose stream it lies, also when that is deleted', async () => {
    const { node } = await start();
    const id = 'S1';
    const stream = { id, organizationId: acme.id, database: acme.database, name: 'logs' };
    const ask = (command: StreamCommand) =>
      node.pipeline.handle({
        decider: streamAggregate,
        stream: `stream-${id}`,
        command,
        context: by(),
      });
    const stray = (type: string, where = `stream-${id}`) =>
      site.stored.append(where, [newEvent(type, { id })], 'any');
    await stray('BeforeIt', 'stream-S2');
    await ask({ type: 'create', stream });
    await stray('WhileItIsThere');
    await ask({ type: 'delete' });
    await stray('AfterIt');
    for (let starts = 0; starts < 2; starts += 1)
      expect(await (await start()).verify()).toEqual([]);
    const home = node.organizations.find('default')?.database ?? '';
    const types = async (database: string) => (await auditOf(database)).map(({ type }) => type);
    expect(await types(acme.database)).toEqual(['WhileItIsThere', 'AfterIt']);
    expect(await types(home)).toEqual(['BeforeIt']);
  });

  it('says nothing where one of ours stood, and those after it go on to hold', async () => {
    const { position, revision, type } = await storedOf('UserRoleChanged');
    const edited = (event: RecordedEvent): RecordedEvent =>
      event.position === position ? { ...event, data: { ...(event.data as object), userId: ben } } : event; // prettier-ignore
    const { met, rolesOf, node, verify } = await start(new TamperedStore(site.stored, edited));
    expect([rolesOf(ann), rolesOf(ben)]).toEqual([undefined, 'viewer']);
    await node.memberships.put(acme.id, ben, 'editor', by());
    expect(rolesOf(ben)).toBe('editor');
    const stream = streamOf();
    // The event after it shows that the event before it is missing.
    const named = [
      { stream, revision, type },
      { stream, revision: revision + 1 },
    ];
    expect(met.all()).toMatchObject(named);
    expect(await verify()).not.toEqual([]);
  });

  it('is missed where it was taken out', async () => {
    const removed = await storedOf('UserAddedToOrganization');
    const { position, revision, stream } = removed;
    const without = new TamperedStore(site.stored, (event) =>
      event.position === position ? undefined : event,
    );
    const { met, rolesOf, node, verify } = await start(without);
    const gap = { stream, revision: revision + 1, type: 'UserRemovedFromOrganization' };
    expect(met.all()).toMatchObject([gap]);
    expect(rolesOf(ann)).toBeUndefined();
    await node.memberships.put(acme.id, ben, 'editor', by());
    expect(rolesOf(ben)).toBe('editor');
    expect(await verify()).not.toEqual([]);
    expect(met.all()).toMatchObject([gap]);
  });

  it('is missed by the trail where the store was cut off', async () => {
    const all = await eventsOf(site.stored);
    const last = all.at(-3)?.position ?? 0n;
    const cut = new TamperedStore(site.stored, (event) => (event.position > last ? undefined : event)); // prettier-ignore
    const { verify } = await start(cut);
    expect((await verify()).join()).toMatch(/an entry that no event has made/);
  });
});
