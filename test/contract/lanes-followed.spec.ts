import {
  AuditTrailProjection,
  FollowLeaderProjection,
  TrailLeaderElection,
  verifyAudit,
  type LeaderRank,
} from '@app/audit';
import { byOrganization, type Projection, type RecordedEvent } from '@app/event-store';
import type { AuditRow } from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { until } from '../server/until.js';
import { newEvent } from './event-store.contract.js';
import { account, by, openSite, startNode, type Node, type Site } from './node.js';

const KEY = Buffer.alloc(32, 5);
const NEVER_MS = 60_000;

/** Makes the databases of organizations, for which the engine takes its time after the first. */
class SlowDatabases implements Projection {
  readonly name = 'slow-databases';
  readonly lanes = byOrganization;
  isSlow = false;
  isWaiting = false;
  end: () => void = () => undefined;

  async apply({ type }: RecordedEvent): Promise<void> {
    if (!this.isSlow || type !== 'OrganizationCreated') return;
    const ended = new Promise<void>((resolve) => (this.end = resolve));
    this.isWaiting = true;
    await ended;
  }
}

/** Counts how often somebody asks for a trail that is not there. */
class CountedTables extends MemoryAuditTables {
  missed = 0;
  asked = 0;
  /** Entries of this trail take their time to be written. */
  held: string | undefined;
  release: () => void = () => undefined;

  override async appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    if (database === this.held) await new Promise<void>((resolve) => (this.release = resolve));
    await super.appendAudit(database, rows);
  }

  override lastAudit(database: string): Promise<AuditRow | undefined> {
    this.asked += 1;
    if (!this.databases.has(database)) this.missed += 1;
    return super.lastAudit(database);
  }
}

interface Process {
  readonly node: Node;
  readonly lead: TrailLeaderElection;
  readonly directory: AccountsDirectory;
}

describe('a process that follows one that is slow for an organization', () => {
  let site: Site;
  let tables: CountedTables;
  let databases: SlowDatabases;
  let leader: Process;
  let follower: Process;

  const start = async (rank: LeaderRank, more: readonly Projection[] = []): Promise<Process> => {
    const lead = new TrailLeaderElection(tables, { rank, maxWaitMs: NEVER_MS });
    let directory!: AccountsDirectory;
    const node = await startNode(site, {
      more: ({ users, organizations, people }) => {
        directory = new AccountsDirectory(users, organizations, people);
        const trail = new AuditTrailProjection(tables, directory, () => KEY, lead);
        return [new FollowLeaderProjection(lead, directory), ...more, trail];
      },
    });
    return { node, lead, directory };
  };
  /** The leader is slow for a new organization, and has carried out what came later elsewhere. */
  const found = async (): Promise<{ readonly database: Promise<string> }> => {
    databases.isSlow = true;
    const founding = follower.node.memberships.create('acme', undefined, by());
    await until(() => Promise.resolve(databases.isWaiting));
    const refused = newEvent('CommandRefused', { method: 'PUT', reason: 'FORBIDDEN' });
    const { position } = await site.store.append('refusal-none', [refused], 'any');
    const home = leader.directory.database(undefined) ?? '';
    await until(async () => BigInt((await tables.lastAudit(home))?.position ?? 0) >= position);
    return { database: founding.then(({ database }) => database) };
  };
  /** @returns whether it has ended, when the follower has asked for the missing trail once more */
  const endsMeanwhile = async (waiting: Promise<unknown>): Promise<boolean> => {
    let isEnded = false;
    void waiting.then(() => (isEnded = true));
    const before = tables.missed;
    await until(() => Promise.resolve(isEnded || tables.missed > before + 2));
    return isEnded;
  };

  beforeEach(async () => {
    site = openSite();
    tables = new CountedTables();
    databases = new SlowDatabases();
    leader = await start('equal', [databases]);
    await leader.node.memberships.create('default', undefined, by());
    follower = await start('reserve');
  });
  afterEach(async () => {
    databases.end();
    tables.release();
    await follower.node.stop();
    await leader.node.stop();
    await site.dispose();
  });

  it('tells of the end of a person only when what the leader still writes names them no more', async () => {
    const { memberships } = leader.node;
    const { id: organizationId, database } = await memberships.create('acme', undefined, by());
    const ann = await leader.node.accounts.register(account('ann'), by());
    tables.held = database;
    await memberships.rotatePasscode(organizationId, by(ann, { organizationId }));
    await until(() => Promise.resolve(follower.node.users.byId(ann) !== undefined));
    let isErased = false;
    const erasing = follower.node.accounts
      .erase(ann, 'ann@example.com', by())
      .then(() => (isErased = true));
    await until(() => Promise.resolve(follower.directory.erased().includes(ann)));
    const before = tables.asked;
    await until(() => Promise.resolve(isErased || tables.asked > before + 100));
    expect(isErased).toBe(false);
    tables.held = undefined;
    tables.release();
    await erasing;
    const actors = tables.databases.get(database)?.map(({ actor }) => actor);
    expect(actors).not.toContain('ann@example.com');
  });

  it('leaves no entry unwritten when it stops, where it is the leader', async () => {
    const { memberships } = leader.node;
    const { id: organizationId, database } = await memberships.create('acme', undefined, by());
    const entries = (): readonly string[] =>
      tables.databases.get(database)?.map(({ type }) => type) ?? [];
    tables.held = database;
    // The second one comes while the first one is written.
    await memberships.rotatePasscode(organizationId, by());
    await memberships.rotatePasscode(organizationId, by());
    leader.lead.stopFollowing();
    const stopped = leader.node.stop();
    tables.held = undefined;
    tables.release();
    await stopped;
    expect(entries().slice(-2)).toEqual(['PasscodeRotated', 'PasscodeRotated']);
  });

  it('shows the organization only when the leader has carried it out', async () => {
    const { database } = await found();
    expect(await endsMeanwhile(database)).toBe(false);
    databases.end();
    expect(tables.databases.has(await database)).toBe(true);
  });

  it('does not wait for that one when it stops, and takes nothing over', async () => {
    const { database } = await found();
    const refused = expect(database).rejects.toMatchObject({ kind: 'SHUTTING_DOWN' });
    expect(await endsMeanwhile(refused)).toBe(false);
    follower.lead.stopFollowing();
    await follower.node.stop();
    await refused;
    expect(follower.lead.isLeading).toBe(false);
  });

  it('lacks no entry when it takes the lead, where the other does not come to write it', async () => {
    const { database } = await found();
    await endsMeanwhile(database);
    await follower.lead.take();
    const trail = await database;
    await follower.node.projector.settled(trail);
    const types = tables.databases.get(trail)?.map(({ type }) => type);
    expect(types).toEqual(['OrganizationCreated', 'PasscodeRotated']);
    const options = { key: () => KEY, onProgress: () => undefined };
    const verdicts = await verifyAudit(site.store, tables, follower.directory, options);
    expect(verdicts.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
