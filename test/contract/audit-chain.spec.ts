import fc from 'fast-check';
import {
  AuditTrailProjection,
  EndedTrailsProjection,
  TrailLeaderElection,
  verifyAudit,
  type AuditDirectory,
  type AuditVerdict,
} from '@app/audit';
import { rebuild, type EventStore, type Projection, type RecordedEvent } from '@app/event-store';
import { NETWORK_ERROR, WarehouseError, type AuditRow } from '@app/warehouse';
import { AccountsDirectory } from '../../apps/api/components/accounts-directory.js';
import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { deed, FULL, performAll } from './deeds.js';
import { newEvent } from './event-store.contract.js';
import { account, by, eventsOf, openSite, startNode, type Node, type Site } from './node.js';
import { rounds } from '../rounds.js';

const KEY = Buffer.alloc(32, 5);
const quiet = { onProgress: () => undefined };

/** Fails when it is told to, before or after the rows are stored. The caller cannot tell which. */
class FailingTables extends MemoryAuditTables {
  /** The next appends end as this list says; all later ones succeed. */
  readonly plan: ('succeed' | 'fail before' | 'fail after' | 'lose answer')[] = [];

  override async appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    const outcome = this.plan.shift() ?? 'succeed';
    if (outcome === 'fail before') throw new Error('no connection');
    await super.appendAudit(database, rows);
    if (outcome === 'fail after') throw new Error('connection lost');
    if (outcome === 'lose answer')
      throw new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', 'connection lost');
  }
}

/** The trail of a deleted organization goes with its database. */
class DroppedTrails implements Projection {
  readonly name = 'dropped-trails';

  constructor(private readonly tables: MemoryAuditTables) {}

  apply({ type, data }: RecordedEvent): void {
    if (type === 'OrganizationDeleted')
      this.tables.databases.delete((data as { readonly database: string }).database);
  }
}

/** An audit trail that a node writes. */
class Audited {
  readonly tables = new MemoryAuditTables();
  node!: Node;
  trail!: AuditTrailProjection;
  directory!: AuditDirectory;

  constructor(readonly site: Site) {}

  async start(tables = this.tables): Promise<this> {
    const lead = await leadOf(tables);
    this.node = await startNode(this.site, {
      snapshots: this.site.snapshots,
      more: ({ users, organizations, people }) => {
        this.directory = new AccountsDirectory(users, organizations, people);
        this.trail = new AuditTrailProjection(tables, this.directory, () => KEY, lead);
        return [new EndedTrailsProjection(this.trail), new DroppedTrails(tables), this.trail];
      },
    });
    return this;
  }
}

async function leadOf(tables: MemoryAuditTables): Promise<TrailLeaderElection> {
  const lead = new TrailLeaderElection(tables);
  await lead.take();
  return lead;
}

const verify = (
  events: EventStore,
  tables: MemoryAuditTables,
  directory: AuditDirectory,
  key: Uint8Array = KEY,
): Promise<readonly AuditVerdict[]> =>
  verifyAudit(events, tables, directory, { key: () => key, ...quiet });
const problems = (verdicts: readonly AuditVerdict[]): string[] =>
  verdicts.flatMap((verdict) => verdict.problems);

describe('the audit trail after any history', () => {
  it('is the same live, from a snapshot, and made again from the first event', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { minLength: 1, maxLength: 30 }),
        fc.array(deed, { maxLength: 15 }),
        async (before, after) => {
          const site = openSite();
          try {
            const audited = await new Audited(site).start();
            await audited.node.memberships.create('default', undefined, by());
            await performAll(audited.node, before);
            await audited.node.stop();
            await audited.start();
            await performAll(audited.node, after);
            const live = audited.tables.databases;
            expect(problems(await verify(site.store, audited.tables, audited.directory))).toEqual(
              [],
            );

            const again = new MemoryAuditTables();
            const trail = new AuditTrailProjection(
              again,
              audited.directory,
              () => KEY,
              await leadOf(again),
            );
            await rebuild(site.store, [trail], site.snapshots, { from: () => 0n, ...quiet });
            expect(again.databases).toEqual(live);
            expect(trail.snapshot()).toEqual(audited.trail.snapshot());
            await audited.node.stop();
          } finally {
            await site.dispose();
          }
        },
      ),
      { numRuns: rounds(5, 100), examples: [[FULL, FULL]] },
    );
  });
});

describe('an audit trail', () => {
  let site: Site;
  let audited: Audited;
  let events: RecordedEvent[];
  let database: string;
  const rows = (): AuditRow[] => audited.tables.databases.get(database) ?? [];

  beforeEach(async () => {
    site = openSite();
    audited = await new Audited(site).start();
    const { node } = audited;
    ({ database } = await node.memberships.create('default', undefined, by()));
    const { id } = await node.memberships.create('o0', undefined, by());
    await performAll(node, FULL);
    await node.accounts.register(account('zoe'), by('system', { organizationId: id }));
    await node.stop();
    events = await eventsOf(site.store);
  });
  afterEach(() => site.dispose());

  /** Verifies the trail after somebody has changed rows. */
  const tampered = async (tamper: (tables: MemoryAuditTables) => void): Promise<string[]> => {
    const tables = new MemoryAuditTables();
    for (const [name, kept] of audited.tables.databases)
      tables.databases.set(
        name,
        kept.map((row) => ({ ...row })),
      );
    tamper(tables);
    return problems(await verify(site.store, tables, audited.directory));
  };
  const rowsOf = (tables: MemoryAuditTables): AuditRow[] => tables.databases.get(database) ?? [];

  it('shows any field of any row that was changed', async () => {
    const fields = Object.keys(rows()[0] ?? {}) as (keyof AuditRow)[];
    for (const [n, { position }] of rows().entries())
      for (const field of fields) {
        const found = await tampered((tables) => {
          const row = rowsOf(tables)[n];
          const value = field === 'occurredAt' ? '2001-01-01T00:00:00Z' : '7777';
          if (row) Object.assign(row, { [field]: value });
        });
        if (field !== 'position')
          expect(found).toEqual([`position ${position}: changed in ${field}`]);
        else expect(found.length).toBeGreaterThan(0);
      }
  });

  it('shows rows that were removed, put in another order, or put in anywhere', async () => {
    const index = fc.nat({ max: rows().length - 1 });
    const last = BigInt(rows().at(-1)?.position ?? 0);
    const place = fc.bigInt({ min: 0n, max: last + 3n });
    const tamper = fc.oneof(
      fc.record({ how: fc.constant('remove' as const), index }),
      fc.record({ how: fc.constant('insert' as const), index, place }),
      fc
        .record({ how: fc.constant('swap' as const), index, other: index })
        .filter((swap) => swap.index !== swap.other),
    );
    await fc.assert(
      fc.asyncProperty(tamper, async (what) => {
        const found = await tampered((tables) => {
          const all = rowsOf(tables);
          const row = all[what.index];
          if (!row) return;
          if (what.how === 'remove') all.splice(what.index, 1);
          else if (what.how === 'insert') all.push({ ...row, position: String(what.place) });
          else {
            const other = all[what.other] ?? row;
            all[what.index] = { ...row, position: other.position };
            all[what.other] = { ...other, position: row.position };
          }
        });
        expect(found).not.toEqual([]);
      }),
      { examples: [[{ how: 'insert', index: 0, place: 0n }]] },
    );
  });

  it('shows a row that is there twice where two pages meet', async () => {
    const refused = { method: 'PUT', reason: 'FORBIDDEN' };
    const more = Array.from({ length: 5001 }, () => newEvent('CommandRefused', refused));
    await site.store.append('refusal-none', more, 'any');
    await audited.start();
    await audited.node.stop();
    const all = rows();
    expect(all.length).toBeGreaterThan(5001);
    expect(await tampered(() => undefined)).toEqual([]);
    for (const n of [4998, 4999, 5000, all.length - 1]) {
      const row = all[n];
      if (!row) throw new Error('there are so many');
      expect(await tampered((tables) => void rowsOf(tables).push({ ...row }))).toHaveLength(1);
    }
  });

  it('shows an event that was changed, removed or put in, in any place', async () => {
    // The entries of a deleted organization are in no trail any more.
    const audit = events.filter(
      ({ type, metadata: { organizationId } }) =>
        !/(?:Reserved|Released)$/.test(type) &&
        (organizationId === undefined || audited.node.organizations.get(organizationId)),
    );
    const change = fc.constantFrom<(event: RecordedEvent) => RecordedEvent[]>(
      () => [],
      (event) => [{ ...event, data: { ...(event.data as object), changed: true } }],
      (event) => [{ ...event, type: 'UserRoleChanged2' }],
      (event) => [{ ...event, id: crypto.randomUUID() }],
      (event) => [{ ...event, stream: `${event.stream}x` }],
      (event) => [{ ...event, metadata: { ...event.metadata, actor: 'mallory' } }],
      (event) => [
        { ...event, metadata: { ...event.metadata, occurredAt: '2001-01-01T00:00:00.000Z' } },
      ],
      (event) => [event, { ...event, id: crypto.randomUUID() }],
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...audit), change, async (victim, tamper) => {
        const other = openSite();
        try {
          for (const event of events)
            for (const { stream, ...rest } of event === victim ? tamper(event) : [event])
              await other.stored.append(stream, [rest], 'any');
          const found = await verify(other.store, audited.tables, audited.directory);
          expect(problems(found)).not.toEqual([]);
        } finally {
          await other.dispose();
        }
      }),
      { numRuns: rounds(8, 200) },
    );
  });

  it('cannot be made again without the key', async () => {
    const found = await verify(site.store, audited.tables, audited.directory, Buffer.alloc(32, 6));
    expect(problems(found)[0]).toMatch(/changed in (?:hash|previousHash, hash)/);
  });

  it('is made again in one go where answers of the engine are lost, with each row once', async () => {
    const tables = new FailingTables();
    tables.plan.push('lose answer', 'lose answer', 'succeed', 'lose answer');
    const { directory } = audited;
    const trail = new AuditTrailProjection(tables, directory, () => KEY, await leadOf(tables));
    for (const event of events) await trail.apply(event);
    await trail.caughtUp();
    expect([tables.plan, tables.databases]).toEqual([[], audited.tables.databases]);
  });

  it('ends a start where no answer comes at all', async () => {
    const tables = new FailingTables();
    tables.plan.push(...Array.from({ length: 100 }, () => 'lose answer' as const));
    const { directory } = audited;
    const trail = new AuditTrailProjection(tables, directory, () => KEY, await leadOf(tables));
    for (const event of events) await trail.apply(event);
    await expect(trail.caughtUp()).rejects.toThrow('connection lost');
  });

  it('is whole and once, whatever fails and wherever it starts again', async () => {
    const outcome = fc.constantFrom(
      'succeed' as const,
      'fail before' as const,
      'fail after' as const,
      'lose answer' as const,
    );
    const stop = fc.record({
      /** This many events come while it runs; then it is started again. */
      after: fc.nat({ max: 12 }),
      /** It starts with its last snapshot, or from the first event. */
      snapshot: fc.boolean(),
      outcomes: fc.array(outcome, { maxLength: 8 }),
      /** Events of a group, at most; those of the next come while it is written. */
      group: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(stop, { maxLength: 6 }), async (stops) => {
        const tables = new FailingTables();
        let kept: unknown;
        let seen = 0;
        for (const { after, snapshot, outcomes, group } of [
          ...stops,
          { after: events.length, snapshot: false, outcomes: [], group: 1 },
        ]) {
          tables.plan.splice(0, Infinity, ...outcomes);
          const trail = new AuditTrailProjection(
            tables,
            audited.directory,
            () => KEY,
            await leadOf(tables),
          );
          const from = snapshot && kept !== undefined ? seen : 0;
          if (from > 0) trail.restore(kept);
          for (const event of events.slice(from, seen)) await trail.apply(event);
          // If a start fails, the process ends, and the next one begins again.
          const started = await trail.caughtUp().then(
            () => true,
            () => false,
          );
          if (!started) continue;
          let writing = Promise.resolve();
          for (const [index, event] of events.slice(seen, seen + after).entries()) {
            await trail.apply(event);
            if (index % group > 0) continue;
            await writing;
            writing = untilWritten(trail, audited.directory);
          }
          await writing;
          await untilWritten(trail, audited.directory);
          seen = Math.min(seen + after, events.length);
          kept = structuredClone(trail.snapshot());
        }
        expect(tables.databases).toEqual(audited.tables.databases);
      }),
    );
  });
});

/** Tries again as the projector does, but without a pause. */
async function untilWritten(trail: AuditTrailProjection, directory: AuditDirectory): Promise<void> {
  for (const lane of [...directory.databases(), '']) {
    const isDone = (): Promise<boolean> =>
      trail.writeGroup(lane).then(
        () => true,
        () => false,
      );
    while (!(await isDone()));
  }
}
