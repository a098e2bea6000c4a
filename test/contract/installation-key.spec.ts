import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { NotOurs, systemContext, type EventStore } from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { openEventStoreDb } from '@app/event-store/eventstoredb';
import { changeInstallationKey, eventsOfInstallation, FormerKeyError } from '@app/identity';
import { ServerKey } from '@app/key-store';
import { EmbeddedPersonKeys } from '@app/key-store/embedded';
import { VerifiedCredentials } from '../../libs/identity/auth/verified-credentials.js';
import {
  EnsureRoot,
  EnsureRootHandler,
} from '../../libs/identity/commands/installation/ensure-root.command.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { eventsOf, startNode, type Node, type Site } from './node.js';

const EMAIL = 'root@example.com';
const OTHER_KEY = /MILLRACE_SECRET_KEY is not the key that the events/;

/** A server with a key and a data directory of its own, on events that it may share. */
interface Server {
  readonly serverKey: ServerKey;
  readonly directory: string;
}

describe.each([
  [
    'embedded',
    (directory: string) => {
      const store = openEmbeddedEventStore({ directory: join(directory, 'events') });
      return Promise.resolve({ store, end: () => Promise.resolve() });
    },
  ],
  [
    'in EventStoreDB (double)',
    async () => {
      const double = await EventStoreDbDouble.start();
      const log = { warn: () => undefined, info: () => undefined };
      const store = openEventStoreDb({ url: double.url, log });
      return { store, end: () => double.stop() };
    },
  ],
])('the check of the installation’s key, %s', (_, openStore) => {
  let directory: string;
  let store: EventStore;
  let end: () => Promise<void>;
  const warnings: object[] = [];
  const log = { warn: (details: object) => void warnings.push(details) };

  const server = (name: string): Server => ({
    serverKey: new ServerKey(randomBytes(32)),
    directory: join(directory, name),
  });
  const keysOf = ({ serverKey, directory: own }: Server) =>
    new EmbeddedPersonKeys(join(own, 'person-keys'), serverKey);
  const notOurs = new NotOurs({ error: () => undefined });
  const check = async (one: Server, isAlone = true): Promise<EventStore> => {
    const { events } = await eventsOfInstallation(store, {
      serverKey: one.serverKey,
      openKeys: () => Promise.resolve(keysOf(one)),
      isAlone,
      understand: (each) => each,
      notOurs,
      log,
    });
    return events;
  };
  const change = (from: Server, to: Server): Promise<void> =>
    changeInstallationKey(store, from.serverKey, to.serverKey, notOurs);
  const site = (one: Server, events: EventStore): Site =>
    ({ ...one, store: events, dispose: () => Promise.resolve() }) as unknown as Site;

  /** A start of the program; for a program from before the check, without the check. */
  async function start(one: Server, isOld = false): Promise<Node> {
    const node = await startNode(site(one, isOld ? store : await check(one)));
    const { accounts, memberships, users, organizations, people } = node;
    const credentials = new VerifiedCredentials(users, people);
    const handler = new EnsureRootHandler(accounts, memberships, credentials, users, organizations);
    await handler.execute(new EnsureRoot(EMAIL, 'Secret-77', one.directory));
    return node;
  }

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-key-'));
    ({ store, end } = await openStore(directory));
    warnings.length = 0;
  });
  afterEach(async () => {
    await store.close();
    await end();
    rmSync(directory, { recursive: true, force: true });
  });

  it('lets the same key in again, and no other, which changes nothing', async () => {
    const first = server('a');
    await (await start(first)).stop();
    const before = await eventsOf(store);
    await expect(check(server('b'))).rejects.toThrow(OTHER_KEY);
    expect(await eventsOf(store)).toEqual(before);
    const again = await start(first);
    expect(again.users.root()?.email).toBe(EMAIL);
    await again.stop();
    expect(warnings).toEqual([]);
  });

  it('is noted once when two start at the same moment, and the one with another key is refused', async () => {
    const [a, b] = [server('a'), server('b')];
    const same: Server = { ...a, directory: join(directory, 'c') };
    const [first, second] = await Promise.allSettled([check(a), check(b)]);
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    if (first.status === 'fulfilled') await check(same);
    const noted = (await eventsOf(store)).filter(({ stream }) => stream === 'installation-key');
    expect(noted.map(({ type }) => type)).toEqual([
      'InstallationKeyNoted',
      'EventsSealed',
      'AccountsLeftOut',
    ]);
  });

  it.each(['lastPosition', 'read'] as const)(
    'lets in who starts while another one founds it, just before its %s',
    async (asked) => {
      const first = server('a');
      const other: Server = { ...first, directory: join(directory, 'b') };
      const found = () => check(other, false);
      if (asked === 'lastPosition') {
        const { lastPosition } = store;
        jest.spyOn(store, asked).mockImplementationOnce(async () => {
          await found();
          return lastPosition.call(store);
        });
      } else {
        const { read } = store;
        jest.spyOn(store, asked).mockImplementationOnce(async function* (...asking) {
          await found();
          yield* read.apply(store, asking);
        });
      }
      await check(first, false);
      expect((await eventsOf(store)).map(({ type }) => type)).toEqual([
        'InstallationKeyNoted',
        'EventsSealed',
        'AccountsLeftOut',
      ]);
    },
  );

  it('is noted in an installation of before only by a key that opens its first sealed text', async () => {
    const first = server('a');
    await (await start(first, true)).stop();
    const before = await eventsOf(store);
    await expect(check(server('b'))).rejects.toThrow(OTHER_KEY);
    expect(await eventsOf(store)).toEqual(before);
    await check(first);
    expect((await eventsOf(store)).slice(before.length).map(({ type }) => type)).toEqual([
      'InstallationKeyNoted',
      'EventsSealed',
      'AccountsLeftOut',
    ]);
    await expect(check(server('b'))).rejects.toThrow(OTHER_KEY);
  });

  it('brings back an installation in which a server with another key has founded itself anew', async () => {
    const [first, second] = [server('a'), server('b')];
    const a = await start(first, true);
    const ann = {
      email: 'ann@example.com',
      firstName: 'Ann',
      lastName: 'A',
      password: 'Secret-77',
    };
    await a.accounts.register({ ...ann, root: false }, systemContext());
    const organization = a.organizations.find('default');
    const id = organization?.id ?? '';
    const passcode = a.passcodes.open({ id, passcode: organization?.passcode });
    await a.stop();
    await strangersRoot(second);
    // Somebody used this account, too.
    const b = await startNode(site(second, store));
    const root = b.users.byEmail(EMAIL)?.id ?? '';
    const bob = {
      email: 'bob@example.com',
      firstName: 'Bob',
      lastName: 'B',
      password: 'Secret-77',
    };
    const bobs = await b.accounts.register(
      { ...bob, root: false },
      { ...systemContext(), actor: root },
    );
    await b.memberships.put(id, bobs, 'admin', systemContext());
    await b.memberships.rotatePasscode(id, systemContext());
    await b.stop();

    await expect(check(second)).rejects.toThrow(OTHER_KEY);
    const again = await start(first);
    expect(again.users.root()?.email).toBe(EMAIL);
    expect(again.users.byEmail(ann.email)?.firstName).toBe('Ann');
    expect(again.users.byEmail(bob.email)).toBeUndefined();
    const now = again.organizations.find('default');
    expect([...(now?.members.keys() ?? [])]).not.toContain(bobs);
    expect(again.passcodes.open({ id, passcode: now?.passcode })).toBe(passcode);
    // Events that are left out still count as revisions, so commands for the same streams go on.
    await again.memberships.rotatePasscode(id, systemContext());
    const last = again.organizations.find('default');
    expect(again.passcodes.open({ id, passcode: last?.passcode })).not.toBe(passcode);
    await again.stop();
    expect(warnings).toEqual([
      { accounts: 2, passcodes: 1, first: expect.arrayContaining([root]) as unknown },
    ]);
  });

  it('is changed: all is opened by the new key, found as before, and the old key is refused', async () => {
    const first = server('a');
    const node = await start(first);
    const ann = {
      email: 'ann@example.com',
      firstName: 'Ann',
      lastName: 'L',
      password: 'Secret-78',
    };
    await node.accounts.register({ ...ann, root: false }, systemContext());
    const { id, passcode: sealed } = node.organizations.find('default') ?? { id: '' };
    const passcode = node.passcodes.open({ id, passcode: sealed });
    await node.stop();

    const [second, third] = [server('a'), server('a')];
    await check(first);
    await change(first, second);
    await expect(check(first)).rejects.toThrow(FormerKeyError);
    await expect(check(server('b'))).rejects.toThrow(OTHER_KEY);
    // The change was interrupted before the keys of people were wrapped again: nothing is lost.
    const between = await start(second);
    expect(between.users.byEmail(ann.email)?.firstName).toBe('Ann');
    await between.stop();
    expect(await keysOf(second).rewrap()).toBe(2);
    await change(second, third);
    await check(third);
    await keysOf(third).rewrap();

    const last = await start(third);
    expect(last.users.byEmail(ann.email)?.firstName).toBe('Ann');
    expect(last.users.root()?.email).toBe(EMAIL);
    expect(last.passcodes.open({ id, passcode: sealed })).toBe(passcode);
    await last.memberships.rotatePasscode(id, systemContext());
    await last.stop();
    const person = last.users.byEmail(ann.email)?.id ?? '';
    for (const { serverKey } of [first, second]) {
      // These keys are opened without the node's knowledge of others.
      const keys = new EmbeddedPersonKeys(join(directory, 'a', 'person-keys'), serverKey);
      expect(() => keys.find(person)).toThrow(/wrapped with another secret key/);
    }
  });

  it('is not changed to one that it had, and once of two at the same moment', async () => {
    const first = server('a');
    await (await start(first)).stop();
    await check(first);
    await expect(change(first, first)).rejects.toThrow(/is, or was, the key/);
    const both = await Promise.allSettled(
      [server('a'), server('a')].map((next) => change(first, next)),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('seals what is older than MACs only where no older release can be beside it', async () => {
    const first = server('a');
    await (await start(first, true)).stop();
    const before = await eventsOf(store);
    await expect(check(first, false)).rejects.toThrow(/millrace seal-events/);
    expect(await eventsOf(store)).toEqual(before);
    await check(first);
    // Events that the older release writes after that do not count for this installation.
    const late = await startNode(site(first, store));
    await late.memberships.create('late', undefined, systemContext());
    await late.stop();
    const node = await startNode(site(first, await check(first, false)));
    expect(node.users.root()?.email).toBe(EMAIL);
    expect(node.organizations.find('late')).toBeUndefined();
    await node.memberships.create('late', undefined, systemContext());
    expect(node.organizations.find('late')?.name).toBe('late');
    await node.stop();
  });

  it.each([
    ['', false],
    [', of a key from before it was changed', true],
  ])(
    'is not sealed anew where the seal was taken out and other events have MACs%s',
    async (_case, isChanged) => {
      let first = server('a');
      await (await start(first)).stop();
      if (isChanged) {
        const next = { ...first, serverKey: server('a').serverKey };
        await change(first, next);
        first = next;
      }
      const sealed = store;
      store = openEmbeddedEventStore({ directory: join(directory, 'without-seal') });
      for await (const { stream, id, type, data, metadata } of sealed.readAll())
        if (stream !== 'installation-key')
          await store.append(stream, [{ id, type, data, metadata }], 'any');
      await sealed.close();
      const before = await eventsOf(store);
      await expect(check(first)).rejects.toThrow(/seal is gone/);
      await expect(check(first, false)).rejects.toThrow(/seal is gone/);
      expect(await eventsOf(store)).toEqual(before);
    },
  );

  it('is of no other program, whatever that writes into its stream', async () => {
    const [first, second, stranger] = [server('a'), server('a'), server('b')];
    const node = await start(first);
    const root = node.users.root()?.id ?? '';
    await node.stop();
    const [noted, sealed] = await eventsOf(store);
    const forge = async (type: string, data: object, metadata = noted?.metadata): Promise<void> => {
      if (!metadata) throw new Error('nothing was noted');
      const event = { id: crypto.randomUUID(), type, data, metadata };
      await store.append('installation-key', [event], 'any');
    };
    const strange = { check: 'x' };
    await forge('InstallationKeyNoted', strange);
    await forge('InstallationKeyChanged', { ...strange, former: 'x', signed: 'x' });
    await forge('AccountsLeftOut', { accounts: [root], passcodes: [] });
    await forge('EventsSealed', { upTo: '999999999999' }, sealed?.metadata);
    await forge('EventsSealed', { upTo: 7 });
    const again = await start(first);
    expect(again.users.root()?.id).toBe(root);
    await again.stop();
    await expect(check(stranger)).rejects.toThrow(OTHER_KEY);
    // The key is changed although these events exist, and a process with the old key is told so.
    await change(first, second);
    await forge('InstallationKeyChanged', { ...strange, former: 'x' });
    await expect(check(first)).rejects.toThrow(FormerKeyError);
    await expect(check(stranger)).rejects.toThrow(OTHER_KEY);
    const last = await startNode(site(second, await check(second)));
    expect(last.users.root()?.id).toBe(root);
    await last.stop();
  });

  /** Makes a second root, as an older server did: it did not find the root of another key. */
  async function strangersRoot(one: Server): Promise<void> {
    const node = await startNode(site(one, store));
    const account = { email: EMAIL, firstName: 'root', lastName: '', password: 'Secret-77' };
    await node.accounts.register({ ...account, root: true }, systemContext());
    await node.stop();
  }
});
