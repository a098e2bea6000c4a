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

/**
 * Runs projections over all events: first what is stored, then what comes. A projection that
 * fails stops the projector: serving from a read model with a hole would be lying.
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

  /** Replays what is stored, then follows in the background. */
  async start(): Promise<void> {
    for await (const event of this.store.readAll()) await this.apply(event);
    for (const projection of this.projections) await projection.caughtUp?.();
    this.running = this.follow();
  }

  /** Resolves when every projection has applied the event at `position`. */
  awaitPosition(position: bigint): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failedError());
    if (this.applied >= position) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiters.push({ position, resolve, reject }));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    try {
      for await (const event of this.store.subscribe({ after: this.applied, signal })) {
        await this.apply(event);
        this.wake();
      }
    } catch (error) {
      this.failure = error;
      this.log.error(
        { err: error, position: String(this.applied) },
        'a projection failed; commands are refused until a restart',
      );
      for (const waiter of this.waiters.splice(0)) waiter.reject(this.failedError());
    }
  }

  private async apply(event: RecordedEvent): Promise<void> {
    for (const projection of this.projections) await projection.apply(event);
    this.applied = event.position;
  }

  private wake(): void {
    const [done, waiting] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.waiters)
      (waiter.position <= this.applied ? done : waiting).push(waiter);
    this.waiters = waiting;
    for (const waiter of done) waiter.resolve();
  }

  private failedError(): Error {
    return new Error('a projection has failed', { cause: this.failure });
  }
}
