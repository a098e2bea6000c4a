import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AuditTrailProjection,
  TrailLeaderElection,
  verifyAudit,
  type AuditVerdict,
} from '@app/audit';
import { openWarehouse, type AuditTables, type Warehouse } from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { newEvent } from './event-store.contract.js';
import { account, by, eventsOf, openSite, startNode, type Node, type Site } from './node.js';
import { LIMITS } from './limits.js';
import { rounds } from '../rounds.js';

const KEY = Buffer.alloc(32, 5);
/** It is verified in pages of 5000, of which the last is not full. */
const MANY = rounds(11_000, 26_000);

describe('the audit trail, on chDB', () => {
  let directory: string;
  let warehouse: Warehouse;
  let site: Site;
  let node: Node;
  let trail: AuditTrailProjection;
  let organizationId: string;
  let database: string;

  /** A node whose events also go to the tables. */
  const start = async (tables: AuditTables = warehouse): Promise<void> => {
    const lead = new TrailLeaderElection(tables);
    await lead.take();
    node = await startNode(site, {
      more: ({ users, organizations, people }) => {
        trail = new AuditTrailProjection(
          tables,
          new AccountsDirectory(users, organizations, people),
          () => KEY,
          lead,
        );
        return [trail];
      },
    });
  };
  const inOrganization = () =>
    by('system', { organizationId, address: '203.0.113.9', requestId: 'r-1' });
  const rows = async () => {
    await node.projector.settled();
    return warehouse.auditAfter(database, '0', 1000);
  };
  const verify = async (noted?: string): Promise<AuditVerdict> => {
    await node.projector.settled();
    const { users, organizations, people } = node;
    const [verdict] = await verifyAudit(
      site.store,
      warehouse,
      new AccountsDirectory(users, organizations, people),
      {
        key: () => KEY,
        noted: new Set(noted === undefined ? [] : [noted]),
        onProgress: () => undefined,
      },
    );
    if (!verdict) throw new Error('no organization');
    return verdict;
  };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-audit-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: LIMITS,
      readers: 2,
      acceptors: 1,
      files: [directory],
    }));
    site = openSite();
    await start();
    ({ id: organizationId, database } = await node.memberships.create('acme', undefined, by()));
    for (const name of ['ann', 'ben']) {
      const id = await node.accounts.register(account(name), inOrganization());
      await node.memberships.put(organizationId, id, 'admin', inOrganization());
    }
  });
  afterEach(async () => {
    await node.stop();
    await site.dispose();
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has an entry for each event, each with the hash of the one before', async () => {
    const all = await rows();
    expect(all.map(({ type }) => type)).toEqual([
      'OrganizationCreated',
      'PasscodeRotated',
      'UserRegistered',
      'UserAddedToOrganization',
      'UserRegistered',
      'UserAddedToOrganization',
    ]);
    expect(all.slice(1).map(({ previousHash }) => previousHash)).toEqual(
      all.slice(0, -1).map(({ hash }) => hash),
    );
    expect(all[2]).toMatchObject({
      actor: 'system',
      subject: 'ann@example.com',
      address: '203.0.113.9',
      requestId: 'r-1',
      outcome: 'done',
    });
    expect(await verify(all[2]?.hash)).toMatchObject({
      entries: 6,
      head: all[5]?.hash,
      problems: [],
      found: new Set([all[2]?.hash]),
    });
  });

  it('shows a row that was changed, removed, or put between', async () => {
    const [, , first, second, third] = await rows();
    if (!first || !second || !third) throw new Error('there are six');
    const { position } = second;
    await warehouse.truncateAudit(database, first.position);
    const others = { ...third, position: String(BigInt(third.position) + 1000n) };
    await warehouse.appendAudit(database, [
      { ...second, actor: 'mallory@example.com' },
      third,
      others,
    ]);
    const { problems } = await verify();
    expect(problems).toEqual([
      `position ${position}: changed in actor`,
      expect.stringMatching(/the entry of UserAddedToOrganization is missing/),
      expect.stringMatching(/an entry that no event has made/),
    ]);
  });

  it('shows a trail that was made again over changed events: a hash that was noted is gone', async () => {
    const last = (await rows()).at(-1);
    // Somebody replays a history of their own, with the chain made to fit.
    const other = openSite();
    const all = await eventsOf(site.store);
    for (const { stream, id, type, data, metadata } of all) {
      const changed =
        type === 'UserAddedToOrganization' ? { ...(data as object), role: 'viewer' } : data;
      await other.store.append(stream, [{ id, type, data: changed, metadata }], 'any');
    }
    await node.stop();
    await site.dispose();
    site = { ...other, directory: site.directory, serverKey: site.serverKey };
    await start();
    expect((await verify()).problems.length).toBeGreaterThan(0);
    await trail.truncate(0n);
    await node.stop();
    await start();
    const verdict = await verify(last?.hash);
    expect([verdict.problems, verdict.found.size]).toEqual([[], 0]);
  });

  it.each([0, 1, 3, 5, 6])(
    'is whole and once after a crash that left %i of its rows',
    async (kept) => {
      const before = await rows();
      await node.stop();
      await warehouse.truncateAudit(
        database,
        kept === 0 ? '0' : (before[kept - 1]?.position ?? '0'),
      );
      await start();
      expect(await rows()).toEqual(before);
      expect((await verify()).problems).toEqual([]);
    },
  );

  it('verifies when somebody was erased, and shows nothing of them any more', async () => {
    const before = await rows();
    const ann = node.users.byEmail('ann@example.com');
    const act = by(ann?.id ?? '', { organizationId, address: '203.0.113.10', userAgent: 'hers' });
    await node.memberships.rotatePasscode(organizationId, act);
    await node.accounts.erase(ann?.id ?? '', 'ann@example.com', inOrganization());
    const after = await rows();
    expect(after.map(({ hash }) => hash).slice(0, 6)).toEqual(before.map(({ hash }) => hash));
    expect(JSON.stringify(after)).not.toMatch(/ann@|203\.0\.113\.10|hers/);
    expect(JSON.stringify(after)).toMatch(/ben@/);
    expect((await verify()).problems).toEqual([]);
    // a crash before the names were blanked: the next start does it
    await warehouse.truncateAudit(database, '0');
    await warehouse.appendAudit(
      database,
      after.map((row) =>
        row.subjectId === ann?.id ? { ...row, subject: 'ann@example.com' } : row,
      ),
    );
    await node.stop();
    await start();
    expect(JSON.stringify(await rows())).not.toMatch(/ann@/);
  });

  it('takes many entries at once, and gives them in pages', async () => {
    await node.stop();
    const context = { ...newEvent('x').metadata, organizationId, actor: 'system' };
    for (let n = 0; n < MANY; n += 1000) {
      const events = Array.from({ length: 1000 }, (_, each) => ({
        ...newEvent('CommandRefused', {
          method: 'PUT',
          route: '/api/:org/users',
          reason: 'FORBIDDEN',
          n: n + each,
          text: "it's \\ \u0000 \n",
        }),
        metadata: context,
      }));
      await site.store.append('refusal-1', events, 'any');
    }
    await start();
    const { rows: page, total } = await warehouse.auditPage(database, {
      offset: 10,
      limit: 3,
      type: 'CommandRefused',
    });
    expect(total).toBe(MANY);
    expect(page.map(({ data }) => (JSON.parse(data) as { n: number }).n)).toEqual([
      MANY - 11,
      MANY - 12,
      MANY - 13,
    ]);
    expect((await verify()).problems).toEqual([]);
  });
});
