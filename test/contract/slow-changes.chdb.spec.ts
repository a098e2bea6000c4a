import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { TrailLeaderElection } from '@app/audit';
import type { Projection } from '@app/event-store';
import {
  DroppedTablesProjection,
  FoundTables,
  StreamsProjection,
  WarehouseTablesProjection,
} from '@app/streams';
import { openWarehouse, type Warehouse } from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { until } from '../server/until.js';
import { newEvent } from './event-store.contract.js';
import { LIMITS } from './limits.js';
import { by, openSite, organizationOf, startNode, type Node, type Site } from './node.js';

/** More than begin at a time. */
const SLOW = 12;

describe('changes of tables for which the engine takes no end of time', () => {
  let directory: string;
  let warehouse: Warehouse;
  let site: Site;
  let node: Node;
  let dropped: DroppedTablesProjection;
  const said: string[] = [];
  /** These end the work that lasts. */
  const ends: (() => void)[] = [];

  beforeEach(async () => {
    said.length = 0;
    directory = mkdtempSync(join(tmpdir(), 'millrace-slow-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: LIMITS,
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
    site = openSite();
    const lead = new TrailLeaderElection(new MemoryAuditTables());
    await lead.take();
    const streams = new StreamsProjection();
    const say = (_: object, message: string) => void said.push(message);
    const log = { error: say, warn: say };
    node = await startNode(site, {
      more: ({ users, organizations, people }): readonly Projection[] => {
        const directory = new AccountsDirectory(users, organizations, people);
        const found = new FoundTables(warehouse, streams, directory);
        dropped = new DroppedTablesProjection(warehouse, streams, directory, lead, log);
        const tables = new WarehouseTablesProjection(warehouse, streams, found, lead, log);
        return [tables, streams, dropped];
      },
    });
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) end();
    jest.restoreAllMocks();
    await node.stop();
    await dropped.stop();
    await site.dispose();
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** @returns the position of the last event */
  const append = async (id: string, type: string, data: object): Promise<bigint> => {
    const event = newEvent(type, { id, ...data });
    const asked = { ...event, metadata: { ...event.metadata, organizationId: id } };
    return (await site.store.append(`stream-${id}`, [asked], 'any')).position;
  };
  const create = async (id: string): Promise<bigint> => {
    const { database } = await node.memberships.create(id.toLowerCase(), undefined, by());
    return append(id, 'StreamCreated', { organizationId: id, database, name: 'logs' });
  };
  const lasting = (): Promise<void> => new Promise((end) => void ends.push(end));

  it('keep nobody else from a new stream or a new organization', async () => {
    for (let n = 0; n < SLOW; n += 1) await node.projector.awaitPosition(await create(`S${n}`));
    jest.spyOn(warehouse, 'setSkipIndexes').mockImplementation(lasting);
    const settings = { partitionKeys: ['a'] };
    for (let n = 0; n < SLOW; n += 1) await append(`S${n}`, 'StreamSettingsChanged', { settings });
    await until(() => Promise.resolve(ends.length === SLOW));
    await node.projector.awaitPosition(await create('NEW'));
    expect(await warehouse.tables()).toHaveLength(2 * (SLOW + 1));
  });

  it('are never all of one account, whatever it founds', async () => {
    const [most, founded] = [14, 30];
    jest.spyOn(warehouse, 'createDatabase').mockResolvedValue();
    jest.spyOn(warehouse, 'createRejectedTable').mockResolvedValue();
    const begun: string[] = [];
    jest.spyOn(warehouse, 'dropDatabase').mockImplementation((database) => {
      begun.push(database);
      return lasting();
    });
    const foundAndEnd = async (id: string, tenant: string): Promise<void> => {
      const [name, database] = [id.toLowerCase(), `o_${id}`];
      const created = newEvent('OrganizationCreated', { id, name, database, tenant });
      const ended = newEvent('OrganizationDeleted', { organizationId: id, name, database });
      await site.store.append(`organization-${id}`, [created, ended], 'any');
    };
    for (let n = 0; n < founded; n += 1) await foundAndEnd(`A${n}`, 'ann');
    await until(() => Promise.resolve(begun.length >= most));
    await foundAndEnd('B', 'ben');
    await until(() => Promise.resolve(begun.includes('o_B')));
    expect(begun).toHaveLength(most + 1);
    const stopped = dropped.stop();
    for (const end of ends.splice(0)) end();
    await stopped;
  });

  it('are not begun any more, where they waited for a place, when it ends', async () => {
    const places = 28;
    jest.spyOn(warehouse, 'dropDatabase').mockImplementation(lasting);
    for (let n = 0; n < places + 2; n += 1) {
      const data = { organizationId: `S${n}`, name: `s${n}`, database: `o_${n}` };
      const ended = newEvent('OrganizationDeleted', data);
      await site.store.append(`organization-S${n}`, [ended], 'any');
    }
    await until(() => Promise.resolve(ends.length === places));
    const stopped = dropped.stop();
    for (const end of ends.splice(0)) end();
    await stopped;
    expect(ends).toHaveLength(0);
  });

  it('hold up the end of an organization no longer than its name is needed', async () => {
    await node.projector.awaitPosition(await create('OLD'));
    const ended = organizationOf(node, 'old');
    const drop = jest.spyOn(warehouse, 'dropDatabase');
    drop.mockImplementationOnce(() => Promise.reject(new Error('disk')));
    await node.memberships.delete(ended, undefined, by());
    await node.memberships.create('old', undefined, by());
    expect(node.projector.isFailing).toBe(false);
    await until(async () => !(await warehouse.databases()).includes(ended.database));
    expect(said).toEqual([expect.stringContaining('is still there; it is tried again')]);
  });
});
