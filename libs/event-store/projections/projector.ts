import { within } from '@app/flow';
import { MillraceError } from '@app/platform';
import type { RecordedEvent } from '../event.js';
import type { EventStore } from '../event-store.js';
import { applyOnce, applyUntilDone, type Runner } from './apply-event.js';
import type { UnderWay } from './events-under-way.js';
import { GroupWrites } from './group-writes.js';
import { notShown, refusedBefore, shuttingDown } from './not-ready.js';
import { PositionWaiters } from './position-waiters.js';
import { isSnapshotted, type Projection } from './projection.js';
import { SideBySide } from './side-by-side.js';
import { keepSnapshot, usableSnapshot } from './snapshots.js';
import type { SnapshotFiles } from './snapshot-files.js';

interface ProjectorLog {
  error(details: object, message: string): void;
}

/** A command waits as long as read models come nearer, and so long while they stand still. */
const MAX_WAIT_MS = 20_000;
/** A start may have to replay so many events after its snapshots. */
const SNAPSHOT_EVERY = 10_000;
/** A snapshot is of one position, so all lanes are waited for; so long, because the slow one is one tenant's. */
const SNAPSHOT_WAIT_MS = 1000;
/** The lane of projections that write, and have no lanes. */
const ONE_LANE = [''];

/**
 * Runs projections over all events: first what is stored, in order, then what comes, by lanes: a
 * slow or failing event of one lane keeps no other lane waiting. A projection that fails is tried
 * again until it succeeds; until then commands that it concerns are told so, since serving from a
 * read model with a hole would be lying. Each projection gets each event once. Snapshots keep the
 * start short; they are a shortcut only, and one that does not belong to this history is not used.
 */
export class Projector {
  private runners: Runner[] = [];
  /** The projections that get all events in order, before others get them by lanes. */
  private first: readonly Runner[] = [];
  private last: RecordedEvent | undefined;
  private read = 0n;
  private readAt = performance.now();
  private sinceSnapshot = 0;
  private snapshotAfter = SNAPSHOT_EVERY;
  private failure: unknown;
  /** An unknown event was skipped. A newer program that understands it must not start after it. */
  private isPartial = false;
  private stopped = false;
  private readonly waiters = new PositionWaiters();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private readonly groups: GroupWrites;
  private beside = this.sideBySide([]);

  constructor(
    private readonly store: EventStore,
    private readonly projections: readonly Projection[],
    private readonly log: ProjectorLog,
    private readonly snapshots?: SnapshotFiles,
    /** A command waits so long for its stored event while nothing comes back. */
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {
    this.groups = new GroupWrites(projections, log);
  }

  /** Replays what is stored, then follows in the background. @throws what a projection throws. */
  async start(): Promise<void> {
    for (const projection of this.projections) await projection.starting?.();
    const last = (await this.store.lastPosition()) ?? 0n;
    for (const projection of this.projections) {
      this.runners.push({ projection, applied: await this.resume(projection, last), steps: 0 });
    }
    this.read = this.runners.reduce((min, { applied }) => (applied < min ? applied : min), last);
    for await (const event of this.store.readAll({ after: this.read })) {
      for (const runner of this.runners) {
        const applying = applyOnce(runner, event);
        if (applying) await applying;
      }
      this.advance(event);
    }
    // Nothing of ours may stand at the store's last position.
    const after = this.read;
    if (last > this.read) this.read = last;
    this.waiters.resolve((position) => this.shows(position));
    for (const { projection } of this.runners) await projection.caughtUp?.();
    const split = this.runners.findIndex(({ projection }) => projection.lanes !== undefined);
    this.first = split < 0 ? this.runners : this.runners.slice(0, split);
    this.beside = this.sideBySide(this.runners.slice(this.first.length));
    await this.saveWhenDue();
    this.running = this.follow(after);
  }

  /**
   * Resolves when every projection that commands wait for has applied the event at `position`, and
   * what came before it in its lanes.
   * @throws {MillraceError} NOT_READY while one fails there or nothing comes, SHUTTING_DOWN when it ends before.
   * Both say that the event is recorded: only who has appended it waits for it.
   */
  async awaitPosition(position: bigint): Promise<void> {
    if (this.shows(position)) return;
    if (this.stopped) throw shuttingDown();
    if (this.failure !== undefined || this.beside.underWay.isBlocked(position))
      throw this.notReady();
    await this.waiters.wait(position, {
      maxWaitMs: this.maxWaitMs,
      movedAt: () => this.beside.underWay.lastMove(position) ?? this.readAt,
      late: () => this.notReady(),
    });
  }

  /**
   * Resolves when the groups that projections write have everything that the read models show.
   * Readers of such tables, such as the audit trail, wait for it first. While writing fails it does
   * not wait, and where a lane is slow it does not wait for ever: they see the state so far.
   * @param lane the lane of the projections that write, such as a trail; undefined: all lanes
   */
  async settled(lane?: string): Promise<void> {
    await this.beside.underWay.settled(lane, this.stopping.signal, this.maxWaitMs);
    await this.groups.settle(this.maxWaitMs, lane === undefined ? undefined : [lane]);
  }

  /**
   * The same up to an event that shows.
   * @param lanes of the projections that write; undefined: those of the event
   * @throws {MillraceError} NOT_READY, SHUTTING_DOWN
   */
  async awaitWritten(position: bigint, lanes?: readonly string[]): Promise<void> {
    const { underWay } = this.beside;
    const concerned = lanes ?? underWay.lanesBehind(position) ?? this.groups.lanesOf(position);
    await underWay.whole(position, this.stopping.signal, this.maxWaitMs);
    await this.groups.settle(this.maxWaitMs, concerned);
    if (underWay.has(position) || !this.groups.isWritten(position, concerned))
      throw this.stopping.signal.aborted ? shuttingDown() : this.notReady();
  }

  /** The position up to which all projections have all events. */
  get position(): bigint {
    return this.beside.underWay.applied(this.read);
  }

  /** @throws {MillraceError} NOT_READY while a projection fails. */
  checkFollowing(): void {
    if (this.isFailing)
      throw new MillraceError('NOT_READY', 'one of them cannot follow the events');
  }

  /**
   * Must be called before an append. A change that read models would not show for long is refused
   * instead.
   * @param lanes of what is to be appended
   * @throws {MillraceError} NOT_READY while a projection fails for all, or in one of the lanes, or too much waits there
   */
  checkBeforeAppend(lanes: readonly string[] = []): void {
    const isClosed = this.groups.isClosed(lanes) || this.beside.underWay.isClosed(lanes);
    if (this.failure !== undefined || isClosed) throw refusedBefore(this.cause);
  }

  /** Tells whether a projection fails, and is tried again. */
  get isFailing(): boolean {
    return this.cause !== undefined;
  }

  /** Ends, and stores snapshots of the current state. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.beside.underWay.changed();
    this.groups.changed();
    await this.running;
    await this.beside.ended();
    await this.groups.stop();
    this.stopped = true;
    this.waiters.reject(shuttingDown());
    if (this.sinceSnapshot > 0) await this.save();
  }

  private async resume(projection: Projection, last: bigint): Promise<bigint> {
    if (projection.resumeAfter) return projection.resumeAfter(last);
    if (!isSnapshotted(projection) || !this.snapshots) return 0n;
    const snapshot = await usableSnapshot(this.snapshots, projection, this.store);
    if (!snapshot) return 0n;
    if (projection.isWritten && !(await projection.isWritten(snapshot.state))) return 0n;
    projection.restore(snapshot.state);
    return snapshot.position;
  }

  private async follow(after: bigint): Promise<void> {
    const { signal } = this.stopping;
    for await (const event of this.store.subscribe({ after, signal })) {
      await this.beside.underWay.room(signal);
      for (const runner of this.first) await this.applyInOrder(runner, event);
      if (signal.aborted) return;
      const before = this.read;
      this.advance(event);
      if (!this.beside.send(event, before)) this.groups.given(event.position, this.unlaned);
      this.waiters.resolve((position) => this.shows(position));
      if (this.beside.underWay.isBlocked(event.position))
        this.waiters.reject(this.notReady(), (position) => position === event.position);
      await this.groups.room(signal);
      await this.saveWhenDue();
    }
  }

  /** The lanes of an event that goes by no lanes. */
  private get unlaned(): readonly string[] {
    return this.first.some(({ projection }) => projection.writeGroup !== undefined) ? ONE_LANE : [];
  }

  private sideBySide(runners: readonly Runner[]): SideBySide {
    return new SideBySide(runners, this.stopping.signal, {
      shown: () => this.waiters.resolve((position) => this.shows(position)),
      given: ({ position }, lanes) => this.groups.given(position, lanes),
      failed: (error, runner, at) => this.fellBehind(error, runner, at),
    });
  }

  private advance(event: RecordedEvent): void {
    this.last = event;
    this.read = event.position;
    this.readAt = performance.now();
    this.sinceSnapshot += 1;
    this.isPartial ||= event.notUnderstood !== undefined;
  }

  private shows(position: bigint): boolean {
    return position <= this.read && !this.beside.underWay.isHidden(position);
  }

  private async saveWhenDue(): Promise<void> {
    if (this.sinceSnapshot < this.snapshotAfter) return;
    const { underWay } = this.beside;
    if (!underWay.isIdle) await within(SNAPSHOT_WAIT_MS, underWay.idle(), () => undefined);
    this.snapshotAfter = this.sinceSnapshot + SNAPSHOT_EVERY;
    await this.save();
  }

  /**
   * Keeps snapshots. They only make a start faster, so a failure here is logged and nothing else.
   */
  private async save(): Promise<void> {
    const event = this.last;
    // While a projection fails, the others may be ahead of `last`, and it may have applied half of
    // an event; while events are under way, some of those before `last` are not applied.
    const isBetween = this.failure !== undefined || !this.beside.underWay.isIdle;
    if (!event || !this.snapshots || this.isPartial || isBetween) return;
    [this.sinceSnapshot, this.snapshotAfter] = [0, SNAPSHOT_EVERY];
    await this.groups.settle(SNAPSHOT_WAIT_MS);
    const isWritten = this.groups.isIdle;
    try {
      for (const runner of this.runners) {
        const { projection, applied } = runner;
        // Events that a snapshot has are not given again, so it must not have events that are not
        // written.
        const isWhole = !projection.writeGroup || isWritten;
        const isThere = applied === event.position || !this.first.includes(runner);
        if (isThere && isWhole && isSnapshotted(projection))
          await keepSnapshot(this.snapshots, projection, event);
      }
    } catch (error) {
      this.log.error({ err: error }, 'a snapshot could not be kept; the next start takes longer');
    }
  }

  private async applyInOrder(runner: Runner, event: RecordedEvent): Promise<void> {
    const failed = (error: unknown): void => {
      this.failure = error;
      this.fellBehind(error, runner, { event });
    };
    const { signal } = this.stopping;
    if (await applyUntilDone(runner, event, { signal, failed })) this.failure = undefined;
  }

  /** Tells those who wait for it: all, unless it is in lanes. */
  private fellBehind(
    error: unknown,
    { projection: { name } }: Runner,
    { event, lanes }: Pick<UnderWay, 'event'> & Partial<UnderWay>,
  ): void {
    const details = { err: error, projection: name, position: String(event.position) };
    this.log.error(details, 'a projection failed; it is tried again');
    const { underWay } = this.beside;
    this.waiters.reject(
      this.notReady(),
      (position) => lanes === undefined || underWay.isBlocked(position),
    );
  }

  private get cause(): unknown {
    return this.failure ?? this.beside.underWay.failure ?? this.groups.failure;
  }

  private notReady(): MillraceError {
    return notShown(this.cause);
  }
}
