import { WarehouseError, type AuditRow } from '@app/warehouse';
import { MemoryAuditTables } from '../../../test/doubles/audit-tables/memory-audit-tables.js';
import { TrailLeaderElection } from './trail-leader-election.js';

const NEVER_MS = 60_000;
/** It has looked more than once by then. */
const LOOKED_MS = 100;

/** A process that leads writes; this one follows. */
class Tables extends MemoryAuditTables {
  claims = 0;
  away = false;
  /** Databases whose tables the engine is changing. */
  readonly changing = new Set<string>();

  override isChanging(database: string): Promise<boolean> {
    return Promise.resolve(this.changing.has(database));
  }

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

describe('a process that takes the lead', () => {
  it('does all duties first, also those that come while it does another', async () => {
    const election = new TrailLeaderElection(new Tables(), { rank: 'reserve' });
    const done: string[] = [];
    election.whenTaken(() => {
      done.push('first');
      election.whenTaken(() => Promise.resolve(void done.push(`second ${election.isLeading}`)));
      return Promise.resolve();
    });
    await election.take();
    expect([done, election.isLeading]).toEqual([['first', 'second false'], true]);
    await election.take();
    expect(done).toHaveLength(2);
  });
});

describe('a process that follows the leader', () => {
  let tables: Tables;
  let isGone: boolean;
  const follow = (maxWaitMs = NEVER_MS): Promise<void> => {
    const election = new TrailLeaderElection(tables, { rank: 'reserve', maxWaitMs });
    return election.follow('o_new', 7n, () => isGone);
  };
  const isDone = (following: Promise<void>): Promise<boolean> => {
    const looked = new Promise((resolve) => setTimeout(resolve, LOOKED_MS));
    return Promise.race([following.then(() => true), looked.then(() => false)]);
  };
  beforeEach(() => {
    tables = new Tables();
    isGone = false;
  });

  it('does not wait for the trail of an organization that was deleted since', async () => {
    const following = follow();
    isGone = true;
    await following;
    expect(tables.claims).toBe(0);
  });

  it('waits for a trail that is not made yet, however far the leader is in others', async () => {
    tables.write('o_home', '8');
    const following = follow();
    expect(await isDone(following)).toBe(false);
    tables.write('o_new', '7');
    await following;
    expect(tables.claims).toBe(0);
  });

  it('waits for an entry of its event, or of a later one', async () => {
    tables.write('o_new', '6');
    const following = follow();
    expect(await isDone(following)).toBe(false);
    tables.write('o_new', '9');
    await following;
    expect(tables.claims).toBe(0);
  });

  it('waits no longer when it stops, also where the warehouse does not answer, and takes no lead', async () => {
    const election = new TrailLeaderElection(tables, { rank: 'reserve', maxWaitMs: 1 });
    tables.changing.add('o_new');
    const following = election.follow('o_new', 7n, () => isGone);
    expect(await isDone(following.catch(() => undefined))).toBe(false);
    let answer = (_: boolean): void => undefined;
    const asked = new Promise<void>((resolve) => {
      tables.isChanging = () => {
        resolve();
        return new Promise((tell) => (answer = tell));
      };
    });
    await asked;
    election.stopFollowing();
    const stopped = { kind: 'SHUTTING_DOWN' };
    await expect(following).rejects.toMatchObject(stopped);
    answer(false);
    await expect(election.follow('o_new', 7n, () => isGone)).rejects.toMatchObject(stopped);
    await new Promise((resolve) => setImmediate(resolve));
    expect(tables.claims).toBe(0);
  });

  it('takes the lead when none comes, as for one that is being made', async () => {
    await follow(1);
    expect(tables.claims).toBe(1);
  });

  it('leaves the lead to one for which the engine works on the tables of the organization', async () => {
    for (const rank of ['reserve', 'projector'] as const) {
      tables.changing.add('o_new');
      const election = new TrailLeaderElection(tables, { rank, maxWaitMs: 1 });
      const following = election.follow('o_new', 7n, () => false);
      expect(await isDone(following)).toBe(false);
      expect(tables.claims).toBe(0);
      tables.changing.clear();
      await following;
      expect(tables.claims).toBe(1);
      tables.claims = 0;
    }
  });

  it('takes the lead where the engine only works on tables of others', async () => {
    tables.changing.add('o_home');
    await follow(1);
    expect(tables.claims).toBe(1);
  });

  it('leaves the lead to one that is busy with many, and takes it when that one stops', async () => {
    const [count, maxWaitMs] = [60, 1000];
    const election = new TrailLeaderElection(tables, { rank: 'reserve', maxWaitMs });
    const trails = Array.from({ length: count }, (_, n) => `o_${n}`);
    const following = trails.map((trail) => election.follow(trail, 7n, () => false));
    const began = performance.now();
    for (const trail of trails.slice(0, -1)) {
      await new Promise((resolve) => setTimeout(resolve, (2 * maxWaitMs) / count));
      tables.write(trail, '7');
    }
    await Promise.all(following.slice(0, -1));
    expect(performance.now() - began).toBeGreaterThan(maxWaitMs);
    expect(tables.claims).toBe(0);
    await following.at(-1);
    expect(tables.claims).toBe(1);
  });

  it('takes the lead from one that is busy, but never comes to this one', async () => {
    const maxWaitMs = 20;
    const election = new TrailLeaderElection(tables, { rank: 'reserve', maxWaitMs });
    let isTaken = false;
    const following = election.follow('o_new', 7n, () => false).then(() => (isTaken = true));
    for (let position = 0n; !isTaken; position += 1n) {
      tables.write('o_home', String(position));
      await election.follow('o_home', position, () => false);
      await new Promise(setImmediate);
    }
    await following;
    expect(tables.claims).toBe(1);
  });

  it('tells a warehouse that is away from a trail that is not there', async () => {
    tables.away = true;
    await expect(follow()).rejects.toMatchObject({ code: 210 });
  });
});
