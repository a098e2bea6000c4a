import { Backoff, within } from '@app/flow';
import type { Projection } from './projection.js';

interface GroupWritesLog {
  error(details: object, message: string): void;
}

/** The events that one lane has to write. */
interface Writing {
  /** Positions of the events that it was given, in its order. */
  readonly unwritten: bigint[];
  /** Counts the events that it has written. */
  written: number;
  failed: unknown;
  isOver: boolean;
}

const BACKOFF_MS = { first: 100, most: 5000 };
/** Events that may wait to be written; further ones wait before they reach the read models. */
const UNWRITTEN_MAX = 10_000;

/**
 * Lets projections write in the background what they have been given, group by group, each lane by
 * itself: what came while one group was written is the next one. What fails is tried again until it
 * succeeds; other lanes go on.
 */
export class GroupWrites {
  /** The lanes that have something to write. */
  private readonly lanes = new Map<string, Writing>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private unwritten = 0;
  /**
   * The waiters have no lock of libs/flow, because a failure releases other waiters than progress
   * does.
   */
  private waiting: (() => void)[] = [];

  constructor(
    private readonly projections: readonly Projection[],
    private readonly log: GroupWritesLog,
  ) {}

  /** The reason why a group fails and is tried again. */
  get failure(): unknown {
    return [...this.lanes.values()].find(({ failed }) => failed !== undefined)?.failed;
  }

  /** Tells whether everything is written. */
  get isIdle(): boolean {
    return this.lanes.size === 0;
  }

  /** The projections have been given another event in these lanes. */
  given(position: bigint, lanes: readonly string[]): void {
    for (const lane of lanes) {
      this.unwritten += 1;
      const known = this.lanes.get(lane);
      if (known) known.unwritten.push(position);
      else this.begin(lane, position);
    }
  }

  /** Tells whether commands with these lanes are refused, since writing fails for them. */
  isClosed(lanes: readonly string[]): boolean {
    return [...this.lanes].some(
      ([lane, { failed }]) =>
        failed !== undefined &&
        this.projections.some(
          (each) => each.writeGroup !== undefined && (each.concerns?.(lane, lanes) ?? true),
        ),
    );
  }

  /** The lanes in which this event is not written. */
  lanesOf(position: bigint): readonly string[] {
    return [...this.lanes.keys()].filter((lane) =>
      this.lanes.get(lane)?.unwritten.includes(position),
    );
  }

  /** Tells whether these lanes have written what they were given up to there. */
  isWritten(position: bigint, lanes: readonly string[]): boolean {
    return lanes.every((lane) => (this.lanes.get(lane)?.unwritten[0] ?? position + 1n) > position);
  }

  /** Resolves when what these lanes have now is written, or fails there, or it ends, or after so long. */
  async settle(
    maxWaitMs: number,
    lanes: readonly string[] = [...this.lanes.keys()],
  ): Promise<void> {
    const marks = lanes.flatMap((lane) => {
      const writing = this.lanes.get(lane);
      return writing ? [{ writing, count: writing.written + writing.unwritten.length }] : [];
    });
    const isDone = (): boolean =>
      marks.every(
        ({ writing: { written, failed, isOver }, count }) =>
          written >= count || failed !== undefined || isOver,
      );
    if (isDone()) return;
    let isLate = false;
    const wait = async (): Promise<void> => {
      while (!isDone() && !isLate) await this.change();
    };
    await within(maxWaitMs, wait(), () => void (isLate = true));
  }

  /** Waits until there is room for another event, also while writing fails. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.unwritten >= UNWRITTEN_MAX && !signal.aborted) await this.change();
  }

  /** Ends with the groups that are under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private begin(lane: string, position: bigint): void {
    const writing = { unwritten: [position], written: 0, failed: undefined, isOver: false };
    this.lanes.set(lane, writing);
    const running = this.run(lane, writing).finally(() => this.running.delete(running));
    this.running.add(running);
  }

  private async run(lane: string, writing: Writing): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(BACKOFF_MS);
    while (writing.unwritten.length > 0) {
      const count = writing.unwritten.length;
      try {
        for (const projection of this.projections) await projection.writeGroup?.(lane);
        writing.failed = undefined;
        writing.written += writing.unwritten.splice(0, count).length;
        this.unwritten -= count;
        backoff.reset();
      } catch (error) {
        writing.failed = error;
        this.log.error({ err: error }, 'a projection failed; it is tried again');
      }
      // A lane that has nothing to write is forgotten, so that they do not grow in number.
      if (writing.unwritten.length === 0) this.lanes.delete(lane);
      else if (writing.failed !== undefined && signal.aborted) writing.isOver = true;
      this.changed();
      if (writing.isOver) return;
      if (writing.failed !== undefined) await backoff.wait(signal);
    }
  }

  /** Lets those look again who wait for a change. */
  changed(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
