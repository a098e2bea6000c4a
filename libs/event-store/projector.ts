import { setTimeout as sleep } from 'node:timers/promises';
import { MillraceError } from '@app/platform';
import type { RecordedEvent } from './event.js';
import type { EventStore } from './event-store.js';

/** A read model. Gets every event once, in order of position, from the first on. */
export interface Projection {
  readonly name: string;
  apply(event: RecordedEvent): void | Promise<void>;
  /** Called once, when everything stored at start has been applied; from then on events are live. */
  caughtUp?(): void | Promise<void>;
}

export interface ProjectorLog {
  error(details: object, message: string): void;
}

interface Waiter {
  readonly position: bigint;
  resolve(): void;
  reject(error: unknown): void;
}

const BACKOFF_MS = { first: 100, most: 5000 };
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs projections over all events: first what is stored, then what comes. A projection that
 * fails is tried again until it succeeds; until then commands are told so, since serving from a
 * read model with a hole would be lying. Each projection gets each event once.
 */
export class Projector {
  private applied = 0n;
  private failure: unknown;
  private waiters: Waiter[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    private readonly projections: readonly Projection[],
    private readonly log: ProjectorLog,
  ) {}

  /** Replays what is stored, then follows in the background. @throws what a projection throws. */
  async start(): Promise<void> {
    for await (const event of this.store.readAll()) {
      for (const projection of this.projections) await projection.apply(event);
      this.applied = event.position;
    }
    for (const projection of this.projections) await projection.caughtUp?.();
    this.running = this.follow();
  }

  /**
   * Resolves when every projection has applied the event at `position`.
   * @throws {MillraceError} NOT_READY while a projection fails.
   */
  awaitPosition(position: bigint): Promise<void> {
    if (this.applied >= position) return Promise.resolve();
    if (this.failure !== undefined) return Promise.reject(this.notReady());
    return new Promise((resolve, reject) => this.waiters.push({ position, resolve, reject }));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    for await (const event of this.store.subscribe({ after: this.applied, signal })) {
      for (const projection of this.projections) await this.applyUntilDone(projection, event);
      if (signal.aborted) return;
      this.applied = event.position;
      this.wake();
    }
  }

  private async applyUntilDone(projection: Projection, event: RecordedEvent): Promise<void> {
    const { signal } = this.stopping;
    for (
      let backoff = BACKOFF_MS.first;
      !signal.aborted;
      backoff = Math.min(2 * backoff, BACKOFF_MS.most)
    ) {
      try {
        await projection.apply(event);
        this.failure = undefined;
        return;
      } catch (error) {
        this.failure = error;
        const details = {
          err: error,
          projection: projection.name,
          position: String(event.position),
        };
        this.log.error(details, 'a projection failed; it is tried again');
        for (const waiter of this.waiters.splice(0)) waiter.reject(this.notReady());
      }
      await sleep(backoff, undefined, { signal }).catch(() => undefined);
    }
  }

  private wake(): void {
    const [done, waiting] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.waiters)
      (waiter.position <= this.applied ? done : waiting).push(waiter);
    this.waiters = waiting;
    for (const waiter of done) waiter.resolve();
  }

  private notReady(): MillraceError {
    return new MillraceError('NOT_READY', 'a read model cannot follow; try again later', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: this.failure,
    });
  }
}
