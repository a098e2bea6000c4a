import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { AuditTrailProjection, FollowLeaderProjection, TrailLeaderElection } from '@app/audit';
import { FoundTables, StreamsProjection, WarehouseTablesProjection } from '@app/streams';
import {
  NETWORK_ERROR,
  openWarehouse,
  UNTYPED,
  WarehouseError,
  type Warehouse,
} from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { until } from '../server/until.js';
import { newEvent } from './event-store.contract.js';
import { by, openSite, startNode, type Node, type Site } from './node.js';

const limits = { timeoutSeconds: 10, memoryBytes: 1 << 30, readRows: 1e9, readBytes: 1e12, resultRows: 1e6, resultBytes: 1 << 30 }; // prettier-ignore

describe('an event that the warehouse refuses to carry out', () => {
  let directory: string;
  let warehouse: Warehouse;
  let site: Site;
  let node: Node;
  let database: string;
  let tables: WarehouseTablesProjection;
  const said: string[] = [];

  const start = async (): Promise<void> => {
    const audit = new MemoryAuditTables();
    const lead = new TrailLeaderElection(audit, { maxWaitMs: 50 });
    const streams = new StreamsProjection();
    node = await startNode(site, {
      more: ({ users, organizations, people }) => {
        const accounts = new AccountsDirectory(users, organizations, people);
        const say = (_: object, message: string) => void said.push(message);
        const log = { error: say, warn: say };
        const found = new FoundTables(warehouse, streams, accounts);
        tables = new WarehouseTablesProjection(warehouse, streams, found, lead, log);
        return [
          new FollowLeaderProjection(lead, accounts),
          tables,
          streams,
          new AuditTrailProjection(audit, accounts, () => new Uint8Array(32), lead),
        ];
      },
    });
  };
  const append = async (id: string, type: string, data: object): Promise<void> => {
    const event = newEvent(type, { id, ...data });
    await site.store.append(`stream-${id}`, [event], 'any');
    await node.projector.awaitPosition((await site.store.lastPosition()) ?? 0n);
  };
  const create = (id: string) =>
    append(id, 'StreamCreated', { organizationId: 'o', database, name: id });
  const evolve = (id: string, added: object[], widened: object[] = []) =>
    append(id, 'StreamSchemaEvolved', { added, widened, version: 1 });
  const columnsOf = async (table: string) =>
    (await warehouse.columns({ database, table })).map(({ name }) => name);
  const number = (name: string) => ({ name, type: 'Nullable(Int64)' });

  beforeEach(async () => {
    said.length = 0;
    directory = mkdtempSync(join(tmpdir(), 'millrace-aside-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits,
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
    site = openSite();
    await start();
    ({ database } = await node.memberships.create('default', undefined, by()));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await node.stop();
    await tables.idle();
    await site.dispose();
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('puts its stream aside; all others go on, and so does the next start', async () => {
    await create('bad');
    await create('good');
    await evolve('bad', [number('_block_number')]);
    await evolve('good', [number('n')]);
    for (let round = 0; round < 2; round += 1) {
      expect(tables.streamsAside).toBe(1);
      expect(() => tables.checkUsable('bad')).toThrow('stream bad is out of use');
      expect(() => tables.checkUsable('good')).not.toThrow();
      expect(await columnsOf('good')).toEqual(['_timestamp', 'n']);
      await node.stop();
      await start();
    }
    expect(said).toHaveLength(3);
    await append('bad', 'StreamDeleted', {});
    expect(tables.streamsAside).toBe(0);
  });

  it('tells of a table that is gone when a start makes it again', async () => {
    await create('good');
    await node.stop();
    await warehouse.dropTable({ database, table: 'good' });
    await start();
    expect(said).toEqual([expect.stringContaining('tables of streams are not there')]);
    expect(await columnsOf('good')).toEqual(['_timestamp']);
  });

  it('has fields without a value as columns that give up their places, also where a start mends them', async () => {
    const more = (id: string, version: number, data: object) =>
      append(id, 'StreamSchemaEvolved', { added: [], widened: [], version, ...data });
    const table = { database, table: 's' };
    await append('s', 'StreamCreated', { organizationId: 'o', database, name: 's', untyped: ['a', 'l', 'z'] }); // prettier-ignore
    expect(await columnsOf('s')).toEqual(['_timestamp', 'a', 'l', 'z']);
    await more('s', 2, { added: [number('a'), { name: 'l.x', type: 'Array(JSON)' }], untyped: ['b'], withdrawn: ['l'] }); // prettier-ignore
    const all = await warehouse.columns(table);
    expect(new Map(all.map(({ name, type }) => [name, type]))).toEqual(
      new Map([
        ['_timestamp', "DateTime64(6, 'UTC')"],
        ['a', 'Nullable(Int64)'],
        ['l.x', 'Array(JSON)'],
        ['z', UNTYPED],
        ['b', UNTYPED],
      ]),
    );
    await node.stop();
    // A crash can leave the event of a change and nothing else of it.
    await warehouse.dropTable(table);
    await warehouse.createTable(table, ['a', 'l', 'z'].map((name) => ({ name, type: UNTYPED })), 's'); // prettier-ignore
    await start();
    const byName = (columns: typeof all) => [...columns].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(byName(await warehouse.columns(table))).toEqual(byName(all));
    expect(said).toEqual([]);
  });

  it('has its index again where the engine was lost while the indexed column widened', async () => {
    const table = { database, table: 's' };
    const columns = [{ name: 'd', type: 'Nullable(Decimal(5, 2))' }];
    await append('s', 'StreamCreated', { organizationId: 'o', database, name: 's', columns });
    const settings = { dataRetention: 0, partitionKeys: ['d'], fullTextSearchKeys: [] };
    await append('s', 'StreamSettingsChanged', { settings, version: 1 });
    const indexes = async () =>
      (await warehouse.tables()).find((each) => each.table === 's')?.skipIndexes;
    expect(await indexes()).toEqual(['d']);
    jest.spyOn(warehouse, 'modifyColumns').mockImplementationOnce(async () => {
      await warehouse.setSkipIndexes(table, []);
      throw new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', 'the engine has ended');
    });
    const widened = evolve('s', [], [{ name: 'd', type: 'Nullable(Decimal(20, 5))' }]);
    await expect(widened).rejects.toThrow('does not show yet');
    const isCaughtUp = (position: bigint) =>
      node.projector.awaitPosition(position).then(
        () => true,
        () => false,
      );
    const last = (await site.store.lastPosition()) ?? 0n;
    await until(() => isCaughtUp(last));
    expect((await warehouse.columns(table))[1]?.type).toBe('Nullable(Decimal(20, 5))');
    expect(await indexes()).toEqual(['d']);
    expect(tables.streamsAside).toBe(0);
  });

  it('is tried again when its stream is used, and done once nothing is in the way', async () => {
    await create('s');
    const table = { database, table: 's' };
    await warehouse.addColumns(table, [{ name: 'v', type: 'Array(Nullable(Int64))' }]);
    await evolve('s', [number('v')], [number('v')]);
    expect(() => tables.checkUsable('s')).toThrow('out of use');
    await warehouse.dropTable(table);
    expect(() => tables.checkUsable('s')).toThrow('out of use');
    const later = performance.now() + 60_000;
    jest.spyOn(performance, 'now').mockReturnValue(later);
    expect(() => tables.checkUsable('s')).toThrow('out of use');
    await tables.idle();
    expect(tables.streamsAside).toBe(0);
    expect(() => tables.checkUsable('s')).not.toThrow();
    expect(await columnsOf('s')).toEqual(['_timestamp', 'v']);
  });
});
