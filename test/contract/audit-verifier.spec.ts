import {
  AuditTrailProjection,
  AuditVerifier,
  EndedTrailsProjection,
  TrailLeaderElection,
  type AuditDirectory,
} from '@app/audit';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { account, by, openSite, startNode, type Node, type Site } from './node.js';

const KEY = Buffer.alloc(32, 5);

/** Counts passes over the events, by their first look at a trail. */
class WatchedTables extends MemoryAuditTables {
  looks = 0;
  /** Called at each look, before anything is read. */
  onLook: () => void = () => undefined;

  override auditAfter(
    ...[database, position, limit]: Parameters<MemoryAuditTables['auditAfter']>
  ): ReturnType<MemoryAuditTables['auditAfter']> {
    if (position === '-1') {
      this.looks += 1;
      this.onLook();
    }
    return super.auditAfter(database, position, limit);
  }
}

describe('verifying a trail while the server runs', () => {
  let site: Site;
  let node: Node;
  let tables: WatchedTables;
  let directory: AuditDirectory;
  let verifier: AuditVerifier;
  const databases: string[] = [];

  beforeEach(async () => {
    site = openSite();
    tables = new WatchedTables();
    const lead = new TrailLeaderElection(tables);
    await lead.take();
    node = await startNode(site, {
      more: ({ users, organizations, people }) => {
        directory = new AccountsDirectory(users, organizations, people);
        const trail = new AuditTrailProjection(tables, directory, () => KEY, lead);
        return [new EndedTrailsProjection(trail), trail];
      },
    });
    databases.length = 0;
    for (const name of ['default', 'acme', 'other']) {
      const { id, database } = await node.memberships.create(name, undefined, by());
      databases.push(database);
      await node.accounts.register(account(name), by('system', { organizationId: id }));
    }
    const carriedOut = async (): Promise<bigint> => {
      const { position } = node.projector;
      await node.projector.awaitWritten(position);
      return position;
    };
    verifier = new AuditVerifier({
      events: site.store,
      tables,
      directory,
      key: () => KEY,
      carriedOut,
    });
  });
  afterEach(async () => {
    await node.stop();
    await site.dispose();
  });

  const acme = (): string => databases[1] ?? '';

  it('tells that it is intact, with its head', async () => {
    const { problems, entries, head, upTo } = await verifier.trail(acme());
    const rows = tables.databases.get(acme()) ?? [];
    expect([problems, entries, head]).toEqual([[], rows.length, rows.at(-1)?.hash]);
    expect(rows.length).toBeGreaterThan(0);
    expect(upTo).toBe(await site.store.lastPosition());
  });

  it('tells what somebody has changed', async () => {
    const [row, ...others] = tables.databases.get(acme()) ?? [];
    if (!row) throw new Error('there is an entry');
    const changed = { ...row, actor: 'mallory@example.com' };
    tables.databases.set(acme(), [changed, ...others]);
    const { problems } = await verifier.trail(acme());
    expect(problems).toEqual([`position ${row.position}: changed in actor`]);
    expect((await verifier.trail(databases[2] ?? '')).problems).toEqual([]);
  });

  it('looks once for all that ask, and not again soon', async () => {
    const [first] = await Promise.all([acme(), acme(), acme()].map((each) => verifier.trail(each)));
    expect(tables.looks).toBe(1);
    expect(await verifier.trail(acme())).toBe(first);
    expect(tables.looks).toBe(1);
    await Promise.all(databases.map((each) => verifier.trail(each)));
    expect(tables.looks).toBe(databases.length);
  });

  it('looks again where something has changed just then, as by an erasure', async () => {
    const whole = tables.databases.get(acme()) ?? [];
    tables.databases.set(
      acme(),
      whole.map((row) => ({ ...row, address: 'not blanked yet' })),
    );
    tables.onLook = () => {
      if (tables.looks === 2) tables.databases.set(acme(), whole);
    };
    expect((await verifier.trail(acme())).problems).toEqual([]);
    expect(tables.looks).toBe(2);
  });

  it('goes on with the others when an organization is deleted in the middle', async () => {
    let present = directory.databases();
    const shrinking: AuditDirectory = Object.create(directory, {
      databases: { value: () => present },
    }) as AuditDirectory;
    const upTo = (await site.store.lastPosition()) ?? 0n;
    const other = new AuditVerifier({
      events: site.store,
      tables,
      directory: shrinking,
      key: () => KEY,
      carriedOut: () => Promise.resolve(upTo),
    });
    const [, , last = ''] = databases;
    tables.onLook = () => {
      if (tables.looks !== 1) return;
      present = present.filter((each) => each !== acme());
      tables.databases.delete(acme());
    };
    const gone = expect(other.trail(acme())).rejects.toMatchObject({
      kind: 'ORGANIZATION_NOT_FOUND',
    });
    expect((await other.trail(last)).problems).toEqual([]);
    await gone;
  });

  it('tells what has failed, and looks again for the next who asks', async () => {
    tables.onLook = () => {
      throw new Error('no connection');
    };
    await expect(verifier.trail(acme())).rejects.toThrow('no connection');
    tables.onLook = () => undefined;
    expect((await verifier.trail(acme())).problems).toEqual([]);
  });
});
