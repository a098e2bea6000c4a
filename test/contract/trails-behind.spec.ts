import { AuditTrailProjection, TrailLeaderElection, verifyAudit } from '@app/audit';
import { TableAsideError, WarehouseError, type AuditRow } from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { until } from '../server/until.js';
import { account, by, openSite, startNode, type Node, type Site } from './node.js';

const KEY = (): Uint8Array => new Uint8Array(32);

/** The engine cannot load the tables of some trails. */
class PartlyLoaded extends MemoryAuditTables {
  readonly aside = new Set<string>();
  /** Tables that have another column in the place of one of theirs. */
  readonly changed = new Set<string>();
  /** They are as they were made after so many refusals. */
  refusals = Infinity;

  override createAuditTable(database: string): Promise<void> {
    return this.unless(database, () => super.createAuditTable(database));
  }

  override appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    return this.unless(database, () => super.appendAudit(database, rows));
  }

  override lastAudit(database: string): Promise<AuditRow | undefined> {
    return this.unless(database, () => super.lastAudit(database));
  }

  override eraseFromAudit(database: string, ids: readonly string[]): Promise<void> {
    return this.unless(database, () => super.eraseFromAudit(database, ids));
  }

  private unless<T>(database: string, work: () => Promise<T>): Promise<T> {
    if (this.aside.has(database)) return Promise.reject(new TableAsideError('_audit'));
    if (!this.changed.has(database)) return work();
    this.refusals -= 1;
    if (this.refusals < 0) return work();
    return Promise.reject(new WarehouseError(47, 'UNKNOWN_IDENTIFIER', 'no column actor'));
  }
}

describe('a trail whose table the engine cannot load', () => {
  let site: Site;
  let node: Node;
  let tables: PartlyLoaded;
  const databases = new Map<string, string>();
  const said: string[] = [];
  let lagMs: number;
  const log = { error: (_: object, message: string) => void said.push(message) };

  const start = async (): Promise<void> => {
    const lead = new TrailLeaderElection(tables);
    await lead.take();
    node = await startNode(site, {
      snapshots: site.snapshots,
      more: (models) => [
        new AuditTrailProjection(tables, directoryOf(models), KEY, lead, { log, lagMs }),
      ],
    });
  };
  const directoryOf = (
    models: Pick<Node, 'users' | 'organizations' | 'people'>,
  ): AccountsDirectory => new AccountsDirectory(models.users, models.organizations, models.people);
  const databaseOf = (name: string): string => databases.get(name) ?? '';
  const change = async (name: string, actor?: string): Promise<void> => {
    const organizationId = node.organizations.find(name)?.id ?? '';
    await node.memberships.rotatePasscode(organizationId, by(actor, { organizationId }));
  };
  const problems = async (): Promise<readonly string[]> => {
    const options = { key: KEY, onProgress: () => undefined };
    const verdicts = await verifyAudit(site.store, tables, directoryOf(node), options);
    return verdicts.flatMap((verdict) => verdict.problems);
  };

  beforeEach(async () => {
    said.length = 0;
    lagMs = 100;
    site = openSite();
    tables = new PartlyLoaded();
    await start();
    for (const name of ['default', 'acme', 'beta'])
      databases.set(name, (await node.memberships.create(name, undefined, by())).database);
  });
  afterEach(async () => {
    await node.stop();
    await site.dispose();
  });

  it('does not refuse the start where its columns are others, and has no gap when it is mended', async () => {
    for (let starts = 0; starts < 2; starts += 1) {
      tables.changed.add(databaseOf('acme'));
      await change('acme');
      await until(() => Promise.resolve(node.projector.isFailing));
      await node.stop();
      await start();
      expect(said).toHaveLength(starts + 1);
      // A table that is mended while the process runs waits for the next one.
      tables.changed.clear();
      await change('beta');
    }
    await node.stop();
    await start();
    await change('acme');
    await node.projector.settled();
    expect(await problems()).toEqual([]);
  });

  it('is waited for where a node refuses its table for a moment only', async () => {
    await node.stop();
    lagMs = 20_000;
    tables.changed.add(databaseOf('acme'));
    tables.refusals = 3;
    await start();
    expect(said).toEqual([]);
    await change('acme');
    await node.projector.settled();
    expect(await problems()).toEqual([]);
  });

  it('is written again from its beginning where it is gone, and those of others are not', async () => {
    await change('acme');
    await change('beta');
    await node.stop();
    tables.databases.delete(databaseOf('acme'));
    await start();
    expect(await problems()).toEqual([]);
  });

  it.each(['default', 'acme'])(
    'falls behind alone, that of %s, and has each entry once when it can be loaded again',
    async (name) => {
      const id = await node.accounts.register(account('ann'), by());
      // The engine may also lose it while the process runs.
      tables.aside.add(databaseOf(name));
      for (let starts = 0; starts < 3; starts += 1) {
        for (const each of ['default', 'acme', 'beta']) await change(each, id);
        await node.projector.settled();
        expect(node.projector.isFailing).toBe(false);
        await node.stop();
        await start();
      }
      await node.accounts.erase(id, 'ann@example.com', by());
      await node.stop();
      tables.aside.clear();
      await start();
      expect(await problems()).toEqual([]);
      const rows = tables.databases.get(databaseOf(name)) ?? [];
      expect(rows.filter(({ type }) => type === 'PasscodeRotated')).toHaveLength(4);
      expect(JSON.stringify(rows)).not.toContain('ann@');
      // From here on a snapshot has all of it.
      await node.stop();
      await start();
      await change(name);
      await node.projector.settled();
      expect(await problems()).toEqual([]);
    },
  );
});
