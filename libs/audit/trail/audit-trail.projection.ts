import type { RecordedEvent, SnapshottedProjection } from '@app/event-store';
import { KeyedMutex, PassingPlaces } from '@app/flow';
import { certain } from '@app/platform';
import { FencedError, type AuditRow, type AuditTables } from '@app/warehouse';
import type { AuditDirectory } from '../audit-directory.js';
import { toEntry } from '../audit-entry.js';
import { CHAIN_START, chainHash, type ChainKey } from '../chain/hash-chain.js';
import { allOf } from './groups/all-of.js';
import { BesideReplay } from './groups/beside-replay.js';
import { cutInserts } from './groups/cut-inserts.js';
import { LostAnswers } from './groups/lost-answers.js';
import { PendingRows } from './groups/pending-rows.js';
import { foundPosition, writtenPosition } from './last-position.js';
import { fromStored, toStored, type Chain } from './stored-chains.js';
import type { TrailLeaderElection } from './trail-leader-election.js';
import { TrailsBehind } from './trails-behind.js';
import { ALL_TRAILS, databaseOf, TrailPlaces, type TrailEntry } from './trail-places.js';

/**
 * Trails that are written at the same time: an insert waits for the disk more than it computes. One
 * that lasts does not keep others from being written.
 */
const WRITERS = { beginning: 4, lasting: 8, passAfterMs: 500 };

interface TrailOptions {
  readonly log?: ConstructorParameters<typeof TrailsBehind>[2];
  /** A table is waited for so long during a replay. */
  readonly lagMs?: number;
}

/**
 * Writes every event into the table `_audit` of the organization it concerns, chained by hashes.
 * Rows are written in order and never twice: rows that the table already has are skipped. They go
 * in groups: while stored events are replayed by the thousand, then as `writeGroup` is asked to,
 * for which the readers of the trail wait. Of several processes the one that leads writes.
 */
export class AuditTrailProjection implements SnapshottedProjection {
  readonly name = 'audit-trail';
  readonly snapshotVersion = 1;
  private live = false;
  private readonly chains = new Map<string, Chain>();
  /** The position of the last row in the table. A trail without an entry is not known yet. */
  private readonly stored = new Map<string, bigint>();
  private readonly pending = new PendingRows();
  private hasErased = false;
  private readonly beside = new BesideReplay((left) => this.flush(left));
  /** Trails that ended with their organizations since the start. */
  private readonly ended = new Set<string>();
  /** One thing at a time is done in the database of a trail, and nothing after its end. */
  private readonly working = new KeyedMutex();
  private readonly writers = new PassingPlaces(WRITERS);
  private readonly places: TrailPlaces;

  private readonly tables: TrailsBehind;

  constructor(
    tables: AuditTables,
    private readonly directory: AuditDirectory,
    private readonly key: ChainKey,
    private readonly lead: TrailLeaderElection,
    { log = { error: () => undefined }, lagMs }: TrailOptions = {},
  ) {
    this.places = new TrailPlaces(directory);
    this.tables = new TrailsBehind(tables, () => this.live, log, lagMs);
  }

  readonly lanes = (event: RecordedEvent): readonly string[] => this.places.lanes(event);

  /** Adds the event's entry to its trail. It returns undefined where nothing has to be waited for. */
  apply(event: RecordedEvent): Promise<void> | undefined {
    const trail = this.places.of(event);
    if (this.live || event.type === 'OrganizationDeleted') return this.applyWaiting(event, trail);
    if (!trail) return;
    const stored = this.stored.get(trail.database);
    if (stored === undefined) return this.applyWaiting(event, trail);
    this.chain(trail.database, trail.entry, stored);
    return this.beside.go(this.pending.count);
  }

  private async applyWaiting(event: RecordedEvent, trail: TrailEntry | undefined): Promise<void> {
    if (event.type === 'OrganizationDeleted') {
      // `EndedTrailsProjection` waits for it where the event is live.
      const ending = this.end(databaseOf(event));
      if (!this.live) await ending;
    }
    if (trail)
      this.chain(trail.database, trail.entry, await this.storedOf(trail.database, trail.entry));
    if (this.live && event.type === 'UserErased') this.hasErased = true;
    if (!this.live) await this.beside.go(this.pending.count);
  }

  /** Writes what waits for a trail. Trails are written one by one, so that one that fails holds up no other. */
  async writeGroup(lane: string): Promise<void> {
    if (lane !== ALL_TRAILS) await this.flushOne(lane);
    else if (this.hasErased) await this.eraseAll();
  }

  /**
   * An organization's end is in the trail of `default`, which must not wait until what was asked for
   * the organization before is done.
   */
  goesAhead({ type }: RecordedEvent): boolean {
    return type === 'OrganizationDeleted';
  }

  /** Commands of an organization go into its own trail, all others into that of `default`. */
  concerns(lane: string, lanes: readonly string[]): boolean {
    return lanes.some((each) => this.places.ofLane(each) === lane);
  }

  async caughtUp(): Promise<void> {
    await this.beside.end();
    await this.flush();
    for (const database of this.directory.databases()) {
      // If there are rows, there is a table.
      const hasRows = (this.stored.get(database) ?? -1n) >= 0n;
      if (!hasRows) await this.tables.createAuditTable(database);
    }
    await this.eraseIn(this.directory.databases());
    if (!this.lead.isLeading) this.stored.clear();
    this.live = true;
  }

  snapshot(): unknown {
    return this.tables.isAny ? undefined : toStored(this.chains);
  }

  isWritten(state: unknown): Promise<boolean> {
    return this.tables.have(fromStored(state));
  }

  restore(state: unknown): void {
    for (const [database, chain] of fromStored(state)) this.chains.set(database, chain);
  }

  /** Forgets the rows after a position; they are written again when the events are replayed. */
  async truncate(position: bigint): Promise<void> {
    for (const database of this.directory.databases()) {
      await this.tables.createAuditTable(database);
      await this.tables.truncateAudit(database, String(position));
    }
    this.stored.clear();
  }

  /** Ends the trail of a deleted organization. When it resolves, nothing writes there, and nothing will. */
  async end(database: string): Promise<void> {
    this.ended.add(database);
    this.chains.delete(database);
    this.stored.delete(database);
    this.pending.forget(database);
    await this.working.run(database, () => Promise.resolve());
  }

  /** An event that comes again, since writing it failed, is in its chain already. */
  private chain(database: string, event: RecordedEvent, stored: bigint): void {
    if (this.ended.has(database)) return;
    const chain = this.chains.get(database) ?? { hash: CHAIN_START, position: -1n };
    if (chain.position >= event.position) return;
    const hash = chainHash(this.key(event.position), chain.hash, event);
    this.chains.set(database, { hash, position: event.position });
    if (event.position <= stored) return;
    const entry = toEntry(event, this.directory);
    this.pending.add(database, { ...entry, previousHash: chain.hash, hash });
  }

  /**
   * Position up to which rows need not be written. A process that does not lead has waited for the
   * row of each live event. For replayed events it has not: the process that was to write their
   * rows may be gone. The leader reads the position when it writes.
   */
  private async storedOf(database: string, { position }: RecordedEvent): Promise<bigint> {
    if (!this.live) return this.stored.get(database) ?? this.ask(database);
    if (!this.lead.isLeading) {
      this.stored.clear();
      // The process may have led until a group was refused just now. Then it has waited for nobody.
      await this.follow(database, position);
    }
    if (!this.lead.isLeading) return position;
    // The founder of an organization may ask it something next.
    if (!this.chains.has(database))
      await this.working.run(database, async () => {
        if (!this.ended.has(database)) await this.tables.createAuditTable(database);
      });
    return -1n;
  }

  /**
   * Writes groups. Rows that arrive meanwhile stay for the next time.
   * @param left so many rows may go on waiting
   */
  private flush(left = 0): Promise<void> {
    return allOf(this.pending.due(left).map((database) => this.flushOne(database)));
  }

  private flushOne(database: string): Promise<void> {
    return this.working.run(database, async () => {
      const group = this.pending.of(database);
      await this.writers.run(() => this.write(database, group));
      this.pending.written(database, group.length);
    });
  }

  /** Makes sure that the rows are in the table, written by this process or by the leader. */
  private async write(database: string, rows: readonly AuditRow[]): Promise<void> {
    if (this.ended.has(database)) return;
    for (const each of cutInserts(rows)) await this.insert(database, each);
  }

  private async insert(database: string, rows: readonly AuditRow[]): Promise<void> {
    const last = BigInt(certain(rows.at(-1), 'row to write').position);
    const lost = new LostAnswers();
    for (;;) {
      // While another process writes, the positions known here become outdated.
      if (!this.lead.isLeading) this.stored.clear();
      await this.follow(database, last);
      if (!this.lead.isLeading || this.ended.has(database)) return;
      const { term } = this.lead;
      try {
        const stored = this.stored.get(database) ?? (await this.ask(database));
        const missing = rows.filter(({ position }) => BigInt(position) > stored);
        // If there are rows, there is a table.
        if (!this.live && stored < 0n && missing.length > 0)
          await this.tables.createAuditTable(database);
        // Another process may have written meanwhile, and this process may have taken the lead
        // again.
        if (this.lead.term !== term) {
          this.stored.delete(database);
          continue;
        }
        await this.tables.appendAudit(database, missing);
        if (missing.length > 0) this.stored.set(database, last);
        return;
      } catch (error) {
        this.stored.delete(database);
        // This process may have claimed the lead again, because an answer was lost. Then the work
        // goes on.
        if (error instanceof FencedError) await this.lead.confirm();
        // During the replay of stored events no caller tries again, so it is done here. Each
        // attempt reads back which rows are there.
        else if (this.live) throw error;
        else await lost.wait(error);
      }
    }
  }

  private follow(database: string, position: bigint): Promise<void> {
    return this.lead.follow(database, position, () => this.ended.has(database));
  }

  /**
   * Position of the table's last row; -1 before the first. While stored events are replayed no table
   * is made for it: its organization may be one that a later event deletes.
   */
  private async ask(database: string): Promise<bigint> {
    const { term } = this.lead;
    const position = this.live
      ? await this.made(database)
      : await foundPosition(this.tables, database, () => this.lead.confirm());
    // Another process may have led meanwhile, and written more.
    const known = this.stored.get(database) ?? -1n;
    if (this.lead.term === term && position >= known) this.stored.set(database, position);
    return position;
  }

  /** A node may not have the table yet that another one has made: that fails, and is tried again. */
  private async made(database: string): Promise<bigint> {
    await this.tables.createAuditTable(database);
    return writtenPosition(this.tables, database);
  }

  /** A person may be erased while a group is written, and rows that are not in the group may name them. They are written first. */
  private async eraseAll(): Promise<void> {
    this.hasErased = false;
    try {
      await allOf(
        this.directory.databases().map(async (database) => {
          await this.flushOne(database);
          // Another process that leads may have entries to write that name the person.
          await this.places.afterRead(database, (last) => this.follow(database, last));
          await this.writers.run(() => this.eraseIn([database]));
        }),
      );
    } catch (error) {
      this.hasErased = true;
      throw error;
    }
  }

  /** A crash may have left this undone: the person's key is gone, so their name must go as well. */
  private async eraseIn(databases: readonly string[]): Promise<void> {
    const erased = this.directory.erased();
    for (const database of databases)
      await this.tables.eraseFromAudit(database, erased).catch((error: unknown) => {
        if (!this.ended.has(database)) throw error;
      });
  }
}
