import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeaderElection } from '@app/event-store';
import { Semaphore } from '@app/flow';
import { MillraceError } from '@app/platform';
import { FencedError, type AuditTables } from '@app/warehouse';
import { lastPositionOf } from './last-position.js';

/** If no process carries an event out for so long, another process takes over. */
const MAX_WAIT_MS = 2000;
/** A leader that carries out other events may take so many times as long for one. */
const BUSY_TIMES = 10;
const LOOK_MS = 20;
/** Events of many organizations may wait at a time; so many of them ask the warehouse at once. */
const ASKING = 8;

/**
 * The rank of a process among those that share its stores. `projector`: it leads from its start,
 * and takes the lead back from a process that stepped in. `equal`: it leads from its start, until
 * another one starts. `reserve`: it leads only when nobody else does.
 */
export type LeaderRank = 'projector' | 'equal' | 'reserve';

interface ElectionOptions {
  readonly rank?: LeaderRank;
  readonly maxWaitMs?: number;
}

/**
 * Decides which process may append to the audit trail. The row of an event is the last thing that
 * is made of it, so a process that finds the row knows that all of the event has been carried out.
 * A process takes the lead when it starts, by its rank, and when the leader is too slow.
 */
export class TrailLeaderElection extends LeaderElection {
  private leading = false;
  private terms = 0;
  private followingSince = performance.now();
  /** When it was last seen that the leader had carried out an event. */
  private carriedOutAt = -Infinity;
  private readonly duties: (() => Promise<void>)[] = [];
  /** Several trails may be written at a time, and each of them may want the lead. */
  private taking: Promise<void> | undefined;
  private readonly asking = new Semaphore(ASKING);
  private readonly stopping = new AbortController();
  private readonly rank: LeaderRank;
  private readonly maxWaitMs: number;

  constructor(
    private readonly tables: AuditTables,
    { rank = 'equal', maxWaitMs = MAX_WAIT_MS }: ElectionOptions = {},
  ) {
    super();
    this.rank = rank;
    this.maxWaitMs = maxWaitMs;
    setMaxListeners(0, this.stopping.signal);
  }

  get isLeading(): boolean {
    return this.leading;
  }

  /**
   * Becomes another number whenever the lead was lost or taken: anything read before may be
   * outdated.
   */
  get term(): number {
    return this.terms;
  }

  /**
   * Takes the lead, unless this process is a reserve. It must be called before the first event is
   * read.
   */
  async start(): Promise<void> {
    if (this.rank !== 'reserve') await this.take();
  }

  /** Takes the lead, unless another process takes it at the same moment. */
  take(): Promise<void> {
    this.taking ??= this.claim().finally(() => (this.taking = undefined));
    return this.taking;
  }

  private async claim(): Promise<void> {
    this.terms += 1;
    try {
      await this.tables.claimAudit();
      // Others may come while one is done: an event that was past `follow` by then.
      for (const duty of this.duties) await duty();
      this.duties.length = 0;
      this.leading = true;
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      this.lose();
    }
  }

  whenTaken(duty: () => Promise<void>): void {
    this.duties.push(duty);
  }

  /** Another process has taken it. */
  lose(): void {
    this.terms += 1;
    this.leading = false;
    this.followingSince = performance.now();
  }

  /**
   * Waits for no leader any more: a process that stops would otherwise last as long as the leader may
   * take for an event. The next start waits for it again.
   */
  stopFollowing(): void {
    this.stopping.abort(new MillraceError('SHUTTING_DOWN', 'the server stops'));
  }

  async confirm(): Promise<boolean> {
    if (this.leading && !(await this.tables.holdsAudit())) this.lose();
    return this.leading;
  }

  /**
   * Resolves when another process has carried out the event at `position`, or this one has taken
   * the lead.
   * @param isGone tells whether the database is known to be deleted with its organization: nothing
   *   has to be carried out there any more. A trail that is not there may also be one that the
   *   leader has not made yet. Other trails tell nothing about it: the leader may be ahead in them.
   * @throws {MillraceError} SHUTTING_DOWN
   */
  async follow(database: string, position: bigint, isGone: () => boolean): Promise<void> {
    // The leader waits for nobody: when it stops, it still writes what it was given.
    if (this.leading && !this.taking) return;
    const { signal } = this.stopping;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      void this.carriedOut(database, position, isGone)
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', stop));
    });
  }

  private async carriedOut(
    database: string,
    position: bigint,
    isGone: () => boolean,
  ): Promise<void> {
    // A process that stepped in for a projector is waited for as long as the projector was, and no
    // longer.
    let since = this.rank === 'projector' ? this.followingSince : undefined;
    for (;;) {
      // While this process mends what it takes over, no event goes past: it mends by what is known.
      await this.taking;
      this.stopping.signal.throwIfAborted();
      if (this.leading || isGone()) return;
      const last = await this.asking.run(() => lastPositionOf(this.tables, database));
      if (this.taking) continue;
      if (last !== undefined && last >= position) {
        this.carriedOutAt = performance.now();
        return;
      }
      // A turn to ask may be long in coming, for which the leader is not to blame.
      since ??= performance.now();
      if (performance.now() < this.lateAfter(since)) await sleep(LOOK_MS);
      // The engine may take minutes for an index of a large table.
      else if (await this.asking.run(() => this.tables.isChanging(database)))
        since = performance.now();
      else {
        this.stopping.signal.throwIfAborted();
        await this.take();
        since = performance.now();
      }
    }
  }

  /** Events of many organizations wait at a time, and the leader carries out only some at once. */
  private lateAfter(since: number): number {
    if (this.rank === 'projector') return since + this.maxWaitMs;
    const busy = Math.min(this.carriedOutAt, since + (BUSY_TIMES - 1) * this.maxWaitMs);
    return Math.max(since, busy) + this.maxWaitMs;
  }
}
