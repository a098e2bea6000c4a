import { Backoff, pause } from '@app/flow';
import { MillraceError } from '@app/platform';
import { stepsOf, type RecordedEvent } from '../event.js';
import type { EventStore } from '../event-store.js';
import { GroupWrites } from './group-writes.js';
import { PositionWaiters } from './position-waiters.js';
import { isSnapshotted, type Projection } from './projection.js';
import { keepSnapshot, usableSnapshot } from './snapshots.js';
import type { SnapshotFiles } from './snapshot-files.js';

interface ProjectorLog {
  error(details: object, message: string): void;
}

interface Runner {
  readonly projection: Projection;
  /** The position up to which it has all events. */
  applied: bigint;
  /** The number of applied steps of the next event: see `stepsOf`. */
  steps: number;
}

const BACKOFF_MS = { first: 100, most: 5000 };
const RETRY_AFTER_SECONDS = 5;
/** A command waits as long as read models make progress, and so long while they stand still. */
const MAX_WAIT_MS = 20_000;
/** A start may have to replay so many events after its snapshots. */
const SNAPSHOT_EVERY = 10_000;
/**
 * The number of events that may wait to be written. Further events wait before they reach the read
 * models.
 */
const UNWRITTEN_MAX = 10_000;

/**
 * Runs projections over all events: first what is stored, then what comes. A projection that fails
 * is tried again until it succeeds; until then commands fail with that reason, because a read model
 * with a hole would give wrong answers. Each projection gets each event once. Snapshots keep the
 * start short; they are a shortcut only, and one that does not belong to this history is not used.
 */
export class Projector {
  private runners: Runner[] = [];
  private last: RecordedEvent | undefined;
  private seen = 0n;
  private sinceSnapshot = 0;
  private failure: unknown;
  /** An unknown event was skipped. A newer program that understands it must not start after it. */
  private isPartial = false;
  private stopped = false;
  private readonly waiters = new PositionWaiters();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private readonly groups: GroupWrites;
  private unwritten = 0;

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
    this.seen = this.runners.reduce((min, { applied }) => (applied < min ? applied : min), last);
    for await (const event of this.store.readAll({ after: this.seen })) {
      for (const runner of this.runners) {
        const applying = applyOnce(runner, event);
        if (applying) await applying;
      }
      this.advance(event);
    }
    this.waiters.reached(last);
    for (const { projection } of this.runners) await projection.caughtUp?.();
    this.groups.startAt(this.seen);
    await this.saveWhenDue();
    this.running = this.follow();
  }

  /**
   * Resolves when every projection has applied the event at `position`.
   * @throws {MillraceError} NOT_READY while a projection fails or nothing comes, SHUTTING_DOWN when it ends before.
   * Both say that the event is recorded: only who has appended it waits for it.
   */
  async awaitPosition(position: bigint): Promise<void> {
    if (this.waiters.has(position)) return;
    if (this.stopped) throw shuttingDown();
    if (this.failure !== undefined) throw this.notReady();
    await this.waiters.wait(position, this.maxWaitMs, () => this.notReady());
  }

  /**
   * Resolves when the groups that projections write have everything that the read models show.
   * Readers of such tables, such as the audit trail, wait for it first. While writing fails it does
   * not wait, and they see the state so far.
   */
  async settled(): Promise<void> {
    await this.groups.settle(this.seen);
  }

  /** The same up to an event that has been applied. @throws {MillraceError} NOT_READY, SHUTTING_DOWN */
  async awaitWritten(position: bigint): Promise<void> {
    await this.groups.settle(position);
    if (!this.groups.isWritten(position)) throw this.stopped ? shuttingDown() : this.notReady();
  }

  /** The position of the last event that all projections have. */
  get position(): bigint {
    return this.seen;
  }

  /** @throws {MillraceError} NOT_READY while a projection fails. */
  checkFollowing(): void {
    if (this.isFailing)
      throw new MillraceError('NOT_READY', 'one of them cannot follow the events');
  }

  /**
   * Must be called before an append. A change that read models would not show for long is refused
   * instead.
   * @throws {MillraceError} NOT_READY while a projection fails
   */
  checkBeforeAppend(): void {
    if (this.isFailing)
      throw new MillraceError(
        'NOT_READY',
        'nothing was changed: a component of the server cannot follow its events just now; try again later',
        { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: this.failure ?? this.groups.failure },
      );
  }

  /** Tells whether a projection fails, and is tried again. */
  get isFailing(): boolean {
    return this.failure !== undefined || this.groups.failure !== undefined;
  }

  /** Ends, and stores snapshots of the current state. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
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
    projection.restore(snapshot.state);
    return snapshot.position;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    for await (const event of this.store.subscribe({ after: this.seen, signal })) {
      for (const runner of this.runners) await this.applyUntilDone(runner, event);
      if (signal.aborted) return;
      this.advance(event);
      this.groups.given(event.position);
      await this.boundUnwritten(event.position);
      await this.saveWhenDue();
    }
  }

  /**
   * Waits until the events so far are written, also while writing fails. Otherwise the waiting
   * events would grow as long as it fails.
   */
  private async boundUnwritten(position: bigint): Promise<void> {
    const { signal } = this.stopping;
    this.unwritten += 1;
    if (this.unwritten < UNWRITTEN_MAX) return;
    while (!this.groups.isWritten(position) && !signal.aborted) {
      await this.groups.settle(position);
      if (this.groups.failure !== undefined) await pause(BACKOFF_MS.first, signal);
    }
    this.unwritten = 0;
  }

  private advance(event: RecordedEvent): void {
    this.last = event;
    this.seen = event.position;
    this.sinceSnapshot += 1;
    this.isPartial ||= event.notUnderstood !== undefined;
    this.waiters.reached(event.position);
  }

  private async saveWhenDue(): Promise<void> {
    if (this.sinceSnapshot >= SNAPSHOT_EVERY) await this.save();
  }

  /**
   * Keeps snapshots. They only make a start faster, so a failure here is logged and nothing else.
   */
  private async save(): Promise<void> {
    const event = this.last;
    // While a projection fails, the others may be ahead of `last`, and it may have applied half of
    // an event.
    if (!event || !this.snapshots || this.isPartial || this.failure !== undefined) return;
    this.sinceSnapshot = 0;
    await this.groups.settle(event.position);
    try {
      for (const { projection, applied } of this.runners) {
        // Events that a snapshot has are not given again, so it must not have events that are not
        // written.
        const isWhole = !projection.writeGroup || this.groups.isWritten(event.position);
        if (applied === event.position && isWhole && isSnapshotted(projection))
          await keepSnapshot(this.snapshots, projection, event);
      }
    } catch (error) {
      this.log.error({ err: error }, 'a snapshot could not be kept; the next start takes longer');
    }
  }

  private async applyUntilDone(runner: Runner, event: RecordedEvent): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(BACKOFF_MS);
    while (!signal.aborted) {
      try {
        await applyOnce(runner, event);
        this.failure = undefined;
        return;
      } catch (error) {
        this.failure = error;
        const details = {
          err: error,
          projection: runner.projection.name,
          position: String(event.position),
        };
        this.log.error(details, 'a projection failed; it is tried again');
        this.waiters.reject(this.notReady());
      }
      await backoff.wait(signal);
    }
  }

  private notReady(): MillraceError {
    return new MillraceError(
      'NOT_READY',
      'what was changed is recorded, but does not show yet: a component of the server cannot follow its events just now; look again later, and send it again if something is missing then',
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause: this.failure ?? this.groups.failure,
      },
    );
  }
}

function shuttingDown(): MillraceError {
  return new MillraceError(
    'SHUTTING_DOWN',
    'the server is stopping; what was changed is recorded; look again later, and send it again if something is missing then',
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

/** If no projection has to wait, nothing is awaited, because a start does this a million times. */
function applyOnce(runner: Runner, event: RecordedEvent): Promise<void> | undefined {
  if (event.position <= runner.applied) return;
  if (event.steps) return applySteps(runner, event);
  const applying = runner.projection.apply(event);
  const done = (): void => {
    runner.applied = event.position;
  };
  return applying ? applying.then(done) : void done();
}

async function applySteps(runner: Runner, event: RecordedEvent): Promise<void> {
  const steps = stepsOf(event);
  for (let step = steps[runner.steps]; step; step = steps[runner.steps]) {
    await runner.projection.apply(step);
    runner.steps += 1;
  }
  runner.steps = 0;
  runner.applied = event.position;
}
