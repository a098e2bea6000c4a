import { AuditTrailProjection, EndedTrailsProjection, TrailLeaderElection } from '@app/audit';
import { byOrganization, type Projection, type RecordedEvent } from '@app/event-store';
import type { AuditRow } from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { until } from '../server/until.js';
import { newEvent } from './event-store.contract.js';
import { account, by, openSite, organizationOf, startNode, type Node, type Site } from './node.js';

const soon = (isSo: () => boolean): Promise<void> => until(() => Promise.resolve(isSo()));

/** The tables of some trails fail, and those of others take no end of time. */
class BrokenTables extends MemoryAuditTables {
  readonly broken = new Set<string>();
  readonly slow = new Map<string, () => void>();

  override async appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    if (this.broken.has(database)) throw new Error('disk');
    if (this.slow.has(database))
      await new Promise<void>((resolve) => this.slow.set(database, resolve));
    await super.appendAudit(database, rows);
  }

  override eraseFromAudit(database: string, ids: readonly string[]): Promise<void> {
    if (this.broken.has(database)) return Promise.reject(new Error('disk'));
    return super.eraseFromAudit(database, ids);
  }
}

/** Carries out what is asked for an organization, for which the engine takes its time. */
class SlowTables implements Projection {
  readonly name = 'slow-tables';
  readonly lanes = byOrganization;
  end: (() => void) | undefined;

  async apply({ type }: RecordedEvent): Promise<void> {
    if (type === 'StreamSettingsChanged') await new Promise<void>((end) => (this.end = end));
  }
}

describe('a trail that cannot be written', () => {
  let site: Site;
  let node: Node;
  let tables: BrokenTables;
  let slow: SlowTables;
  let home: string;
  const databases = new Map<string, string>();

  beforeEach(async () => {
    site = openSite();
    tables = new BrokenTables();
    slow = new SlowTables();
    const lead = new TrailLeaderElection(tables);
    await lead.take();
    node = await startNode(site, {
      more: ({ users, organizations, people }) => {
        const directory = new AccountsDirectory(users, organizations, people);
        const trail = new AuditTrailProjection(tables, directory, () => new Uint8Array(32), lead);
        return [slow, new EndedTrailsProjection(trail), trail];
      },
    });
    for (const name of ['default', 'acme', 'beta'])
      databases.set(name, (await node.memberships.create(name, undefined, by())).database);
    home = databaseOf('default');
  });
  afterEach(async () => {
    tables.broken.clear();
    for (const end of tables.slow.values()) end();
    slow.end?.();
    await node.stop();
    await site.dispose();
  });

  const databaseOf = (name: string): string => databases.get(name) ?? '';
  const organization = (name: string): string => node.organizations.find(name)?.id ?? '';
  const rows = (database: string): readonly string[] =>
    (tables.databases.get(database) ?? []).map(({ type }) => type);
  /** Something is refused that was asked of no organization. */
  const refuse = async (): Promise<void> => {
    const refused = newEvent('CommandRefused', { method: 'PUT', reason: 'FORBIDDEN' });
    await site.store.append('refusal-none', [refused], 'any');
  };
  /** Changes something of the organization. */
  const change = async (name: string, actor?: string): Promise<void> => {
    const organizationId = organization(name);
    await node.memberships.rotatePasscode(organizationId, by(actor, { organizationId }));
  };

  it('refuses commands of its own organization, and of no other', async () => {
    tables.broken.add(databaseOf('acme'));
    await change('acme');
    await soon(() => node.projector.isFailing);
    await expect(change('acme')).rejects.toThrow('nothing was changed');
    for (let count = 0; count < 3; count += 1) await change('beta');
    await node.memberships.create('gamma', undefined, by());
    await node.projector.settled();
    expect(rows(databaseOf('beta')).filter((type) => type === 'PasscodeRotated')).toHaveLength(4);
    tables.broken.clear();
    await soon(() => !node.projector.isFailing);
    await change('acme');
    await node.projector.settled(databaseOf('acme'));
    expect(rows(databaseOf('acme')).filter((type) => type === 'PasscodeRotated')).toHaveLength(3);
  });

  it('refuses what belongs to no organization when it is that of default', async () => {
    tables.broken.add(home);
    await refuse();
    await soon(() => node.projector.isFailing);
    expect(() => node.projector.checkBeforeAppend(['user-x'])).toThrow('nothing was changed');
    await change('beta');
  });

  it('is waited for by its own readers only', async () => {
    tables.slow.set(databaseOf('acme'), () => undefined);
    await change('acme');
    await change('beta');
    await node.projector.settled(databaseOf('beta'));
    expect(rows(databaseOf('beta')).filter((type) => type === 'PasscodeRotated')).toHaveLength(2);
    const { position } = node.projector;
    await node.projector.awaitWritten(position, [databaseOf('beta')]);
  });

  it('keeps nobody from being erased in all others', async () => {
    tables.broken.add(databaseOf('acme'));
    const id = await node.accounts.register(account('ann'), by());
    for (const name of ['beta', 'acme']) await change(name, id);
    await node.projector.settled(databaseOf('beta'));
    expect(tables.databases.get(databaseOf('beta'))?.at(-1)?.actor).toBe('ann@example.com');
    const erasing = node.accounts
      .erase(id, 'ann@example.com', by())
      .catch((error: unknown) => error);
    await soon(() => tables.databases.get(databaseOf('beta'))?.at(-1)?.actor === '');
    expect(await erasing).toMatchObject({ kind: 'NOT_READY' });
    await change('beta');
  });

  it('is not that of default when an organization ends for which the engine still works', async () => {
    const id = organization('acme');
    const event = newEvent('StreamSettingsChanged', { id: 'S', settings: {} });
    const asked = { ...event, metadata: { ...event.metadata, organizationId: id } };
    await site.store.append('stream-S', [asked], 'any');
    await soon(() => slow.end !== undefined);
    const ending = node.memberships
      .delete(organizationOf(node, 'acme'), undefined, by())
      .catch((error: unknown) => error);
    await soon(() => node.organizations.find('acme') === undefined);
    // Other processes take this entry for the sign that the leader is at work.
    await soon(() => rows(home).at(-1) === 'OrganizationDeleted');
    await refuse();
    await soon(() => rows(home).includes('CommandRefused'));
    expect(rows(home).slice(-2)).toEqual(['OrganizationDeleted', 'CommandRefused']);
    slow.end?.();
    expect(await ending).toBeUndefined();
  });
});
