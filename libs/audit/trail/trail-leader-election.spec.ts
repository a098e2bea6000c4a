import { WarehouseError, type AuditRow } from '@app/warehouse';
import { MemoryAuditTables } from '../../../test/doubles/audit-tables/memory-audit-tables.js';
import { TrailLeaderElection } from './trail-leader-election.js';

const NEVER_MS = 60_000;

/** A process that leads writes; this one follows. */
class Tables extends MemoryAuditTables {
  claims = 0;
  away = false;

  override claimAudit(): Promise<void> {
    this.claims += 1;
    return Promise.resolve();
  }

  override lastAudit(database: string): Promise<AuditRow | undefined> {
    if (this.away) return Promise.reject(new WarehouseError(210, 'NETWORK_ERROR', 'away'));
    return super.lastAudit(database);
  }

  write(database: string, position: string): void {
    const rows = this.databases.get(database) ?? [];
    this.databases.set(database, [...rows, { position } as AuditRow]);
  }
}

describe('a process that follows the leader', () => {
  let tables: Tables;
  const follow = (maxWaitMs = NEVER_MS): Promise<void> =>
    new TrailLeaderElection(tables, { rank: 'reserve', maxWaitMs }).follow('o_gone', 7n, 'o_home');
  beforeEach(() => {
    tables = new Tables();
    tables.write('o_home', '6');
  });

  it('does not wait for the trail of an organization that was deleted since', async () => {
    const following = follow();
    tables.write('o_home', '8');
    await following;
    expect(tables.claims).toBe(0);
  });

  it('waits for the trail itself while it is there', async () => {
    tables.write('o_gone', '5');
    tables.write('o_home', '8');
    const following = follow();
    const isDone = await Promise.race([following.then(() => true), Promise.resolve(false)]);
    expect(isDone).toBe(false);
    tables.write('o_gone', '7');
    await following;
    expect(tables.claims).toBe(0);
  });

  it('takes the lead when neither comes, as for one that is being made', async () => {
    await follow(1);
    expect(tables.claims).toBe(1);
  });

  it('tells a warehouse that is away from a trail that is not there', async () => {
    tables.away = true;
    await expect(follow()).rejects.toMatchObject({ code: 210 });
  });
});
