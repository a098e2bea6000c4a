import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { verifyAudit } from '@app/audit';
import { CommandPipeline, Projector, type EventStore } from '@app/event-store';
import { createLogger } from '@app/platform';
import { readConfig } from '@app/config';
import { auditKey } from '../../apps/api/components/audit-key.js';
import { openStores, type Stores } from '../../apps/api/components/open-components.js';
import { Memberships } from '../../libs/identity/people/memberships.js';
import { Passcodes } from '../../libs/identity/people/passcode.js';
import { until } from '../server/until.js';
import { newEvent } from './event-store.contract.js';
import { by } from './node.js';

const log = createLogger('fatal');
const SETTINGS = { dataRetention: 0, partitionKeys: [], fullTextSearchKeys: [] };

/** Closed gates. A test that fails must not leave work of the warehouse behind one. */
const closed: (() => void)[] = [];

/** Work of the warehouse that begins when it is let. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  closed.push(open);
  return { opened, open };
}

describe('a table that takes the warehouse long, of one organization', () => {
  let directory: string;
  let stores: Stores;
  let projector: Projector;
  let memberships: Memberships;
  const start = async (): Promise<void> => {
    const config = readConfig({ MILLRACE_DATA_DIR: directory });
    stores = await openStores(config, log);
    const { events, projections, snapshots, people, organizations, users, serverKey } = stores;
    projector = new Projector(events, projections, log, snapshots);
    await projector.start();
    const commands = new CommandPipeline(events, projector, people);
    const passcodes = new Passcodes(serverKey);
    memberships = new Memberships(commands, organizations, passcodes, users, stores.warehouse, config.accounts); // prettier-ignore
  };
  const stop = async (): Promise<void> => {
    await projector.stop();
    await stores.close();
  };
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-apart-'));
    await start();
    await memberships.create('default', undefined, by());
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const open of closed.splice(0)) open();
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const found = (name: string) => memberships.create(name, undefined, by());
  const events = (): EventStore => stores.events;
  /** @returns the position */
  const append = async (organizationId: string, id: string, type: string, data: object) => {
    const event = newEvent(type, { id, ...data });
    const metadata = { ...event.metadata, organizationId };
    return (await events().append(`stream-${id}`, [{ ...event, metadata }], 'any')).position;
  };
  const create = (organization: { id: string; database: string }, id: string, name = id) =>
    append(organization.id, id, 'StreamCreated', {
      organizationId: organization.id,
      database: organization.database,
      name,
    });
  const evolve = (organizationId: string, id: string, column: string) =>
    append(organizationId, id, 'StreamSchemaEvolved', {
      added: [{ name: column, type: 'Nullable(Int64)' }],
      widened: [],
      version: 1,
    });
  const tablesOf = async (database: string) =>
    (await stores.warehouse.tables())
      .filter((each) => each.database === database && !each.table.startsWith('_'))
      .map(({ table, streamId, columns }) => [table, streamId, columns.length]);
  const verdicts = async () => {
    await projector.settled();
    const verified = await verifyAudit(events(), stores.warehouse, stores.directory, {
      key: auditKey(stores.serverKey),
      noted: new Set(),
      onProgress: () => undefined,
    });
    return verified.map(({ problems }) => problems);
  };
  /** The next change of columns waits. */
  const holdColumns = () => {
    const held = gate();
    const addColumns = stores.warehouse.addColumns.bind(stores.warehouse);
    const asked = jest
      .spyOn(stores.warehouse, 'addColumns')
      .mockImplementationOnce(async (...of) => {
        await held.opened;
        await addColumns(...of);
      });
    return { ...held, isAsked: () => Promise.resolve(asked.mock.calls.length > 0) };
  };

  it('keeps nothing of others waiting: new streams, organizations, ends of these, their trails', async () => {
    const [wide, other, going] = [await found('wide'), await found('other'), await found('going')];
    await projector.awaitPosition(await create(wide, 'w'));
    await projector.awaitPosition(await create(going, 'g'));
    const held = holdColumns();
    const evolved = await evolve(wide.id, 'w', 'n');
    const behind = await create(wide, 'w2');
    await until(held.isAsked);
    await projector.awaitPosition(await create(other, 's'));
    await found('latest');
    await memberships.delete({ ...going, administered: true }, undefined, by());
    await projector.settled(other.database);
    await projector.settled(stores.directory.database(undefined));
    expect(await tablesOf(other.database)).toEqual([['s', 's', 1]]);
    expect(await stores.warehouse.databases()).not.toContain(going.database);
    expect([stores.streams.byId('w2'), await tablesOf(wide.database)]).toEqual([
      undefined,
      [['w', 'w', 1]],
    ]);
    held.open();
    await projector.awaitPosition(evolved);
    await projector.awaitPosition(behind);
    expect((await tablesOf(wide.database)).sort()).toEqual([
      ['w', 'w', 2],
      ['w2', 'w2', 1],
    ]);
    expect(await verdicts()).toEqual([[], [], [], []]);
  });

  it('keeps no login of others waiting where an organization with its tables is dropped', async () => {
    const going = await found('going');
    const held = gate();
    const dropDatabase = stores.warehouse.dropDatabase.bind(stores.warehouse);
    const asked = jest
      .spyOn(stores.warehouse, 'dropDatabase')
      .mockImplementationOnce(async (database) => {
        await held.opened;
        await dropDatabase(database);
      });
    const deleting = memberships.delete({ ...going, administered: true }, undefined, by());
    await until(() => Promise.resolve(asked.mock.calls.length > 0));
    const failed = newEvent('LoginFailed', { failed: 1 });
    const { position } = await events().append('user-nobody', [failed], 'any');
    await projector.awaitPosition(position);
    await projector.awaitPosition(await create(await found('other'), 's'));
    held.open();
    await deleting;
    await projector.awaitWritten(position);
    expect(await stores.warehouse.databases()).not.toContain(going.database);
    expect(await verdicts()).toEqual([[], []]);
  });

  it('leaves nothing of an organization that ends while its table is changed', async () => {
    const wide = await found('wide');
    await projector.awaitPosition(await create(wide, 'w'));
    const held = holdColumns();
    await evolve(wide.id, 'w', 'n');
    await create(wide, 'w2');
    await until(held.isAsked);
    const deleting = memberships.delete({ ...wide, administered: true }, undefined, by());
    await create(wide, 'late');
    await projector.awaitPosition(await create(await found('other'), 's'));
    held.open();
    await deleting;
    await projector.awaitPosition((await events().lastPosition()) ?? 0n);
    expect(await stores.warehouse.databases()).not.toContain(wide.database);
    expect(await verdicts()).toEqual([[], []]);
    await stop();
    await start();
    expect(await stores.warehouse.databases()).not.toContain(wide.database);
  });

  it('keeps the order of a name: a stream ends, and the next has its name, behind a slow change', async () => {
    const wide = await found('wide');
    await projector.awaitPosition(await create(wide, 'w1', 'w'));
    const held = holdColumns();
    await evolve(wide.id, 'w1', 'n');
    await append(wide.id, 'w1', 'StreamSettingsChanged', { settings: { ...SETTINGS, dataRetention: 3 } }); // prettier-ignore
    await append(wide.id, 'w1', 'StreamDeleted', {});
    await create(wide, 'w2', 'w');
    const last = await evolve(wide.id, 'w2', 'm');
    await until(held.isAsked);
    held.open();
    await projector.awaitPosition(last);
    expect(await tablesOf(wide.database)).toEqual([['w', 'w2', 2]]);
    expect(stores.tables.streamsAside).toBe(0);
    expect(await verdicts()).toEqual([[], []]);
  });
});
