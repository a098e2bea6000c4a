import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AuditTrailProjection,
  FollowLeaderProjection,
  TrailLeaderElection,
  type LeaderRank,
} from '@app/audit';
import type { RecordedEvent } from '@app/event-store';
import {
  DroppedTablesProjection,
  FoundTables,
  StreamsProjection,
  WarehouseTablesProjection,
} from '@app/streams';
import { openWarehouse, FencedError, type AuditRow, type Warehouse } from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { newEvent } from './event-store.contract.js';
import { by, eventsOf, openSite, startNode, type Site } from './node.js';

const limits = { timeoutSeconds: 10, memoryBytes: 1 << 30, readRows: 1e9, readBytes: 1e12, resultRows: 1e6, resultBytes: 1 << 30 }; // prettier-ignore
const MAX_WAIT_MS = 50;
const log = { error: () => undefined, warn: () => undefined };

/** The same tables, as one of several processes has them. */
class TablesOfProcess extends MemoryAuditTables {
  override readonly databases: Map<string, AuditRow[]>;
  /** Another process takes the lead at the same moment, and is never seen again. */
  comesSecond = false;

  constructor(private readonly shared: { holder?: unknown; databases: Map<string, AuditRow[]> }) {
    super();
    this.databases = shared.databases;
  }

  override claimAudit(): Promise<void> {
    this.shared.holder = this.comesSecond ? 'another' : this;
    if (!this.comesSecond) return Promise.resolve();
    this.comesSecond = false;
    return Promise.reject(new FencedError(1, 1n));
  }

  override holdsAudit(): Promise<boolean> {
    return Promise.resolve(this.shared.holder === this);
  }

  override async appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    if (this.shared.holder !== this) throw new FencedError(1, 1n);
    await super.appendAudit(database, rows);
  }
}

describe('a process that starts while the one that leads dies', () => {
  const shared = { databases: new Map<string, AuditRow[]>() };
  let directory: string;
  let warehouse: Warehouse;
  let site: Site;
  let database: string;
  let events: RecordedEvent[];

  beforeEach(async () => {
    shared.databases.clear();
    directory = mkdtempSync(join(tmpdir(), 'millrace-takeover-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits,
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
    site = openSite();
    const node = await startNode(site);
    ({ database } = await node.memberships.create('default', undefined, by()));
    await node.stop();
    const data = { id: 'S1', organizationId: 'o', database, name: 'logs' };
    await site.store.append('stream-S1', [newEvent('StreamCreated', data)], 'any');
    events = await eventsOf(site.store);
  });
  afterEach(async () => {
    await site.dispose();
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Starts a process that comes second, or that leaves the lead to others. */
  const start = async (rank: LeaderRank = 'equal') => {
    const tables = new TablesOfProcess(shared);
    tables.comesSecond = rank === 'equal';
    const lead = new TrailLeaderElection(tables, { rank, maxWaitMs: MAX_WAIT_MS });
    const streams = new StreamsProjection();
    return startNode(site, {
      more: ({ users, organizations, people }) => {
        const accounts = new AccountsDirectory(users, organizations, people);
        return [
          new FollowLeaderProjection(lead, accounts),
          new WarehouseTablesProjection(
            warehouse,
            streams,
            new FoundTables(warehouse, streams, accounts),
            lead,
            log,
          ),
          streams,
          new DroppedTablesProjection(warehouse, streams, accounts, lead, log),
          new AuditTrailProjection(tables, accounts, () => new Uint8Array(32), lead),
        ];
      },
    });
  };
  const audited = () => (shared.databases.get(database) ?? []).map(({ type }) => type);

  it('writes the rows and mends the tables that the other did not come to', async () => {
    const node = await start();
    try {
      const expected = events.map(({ type }) => type).filter((type) => !/Reserved$/.test(type));
      expect(expected.at(-1)).toBe('StreamCreated');
      expect(audited()).toEqual(expected);
      expect(await warehouse.tables()).toContainEqual(
        expect.objectContaining({ database, table: 'logs', streamId: 'S1' }),
      );
    } finally {
      await node.stop();
    }
  });

  it('has each row once when the other came to some of them', async () => {
    await (await start()).stop();
    const complete = shared.databases.get(database) ?? [];
    expect(complete).toHaveLength(3);
    for (let written = 0; written < complete.length; written += 1) {
      shared.databases.set(database, complete.slice(0, written));
      await (await start()).stop();
      expect(shared.databases.get(database)).toEqual(complete);
    }
  });

  it('does so too when it would leave that to others, and there are none', async () => {
    const node = await start('reserve');
    try {
      expect(audited().at(-1)).toBe('StreamCreated');
      expect(await warehouse.tables()).toContainEqual(
        expect.objectContaining({ database, table: 'logs', streamId: 'S1' }),
      );
    } finally {
      await node.stop();
    }
  });

  it.each(['equal', 'reserve'] as const)(
    'does not start on tables of which the events know nothing, as one that is %s',
    async (rank) => {
      await (await start(rank)).stop();
      await warehouse.createTable({ database, table: 'strange' }, [], 'S-unknown');
      await expect(start(rank)).rejects.toThrow(/know nothing of .*strange/);
      expect(await warehouse.tables()).toContainEqual(
        expect.objectContaining({ table: 'strange' }),
      );
    },
  );
});
