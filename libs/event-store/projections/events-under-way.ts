import { isOverShare, KeyedCounter, within } from '@app/flow';
import type { RecordedEvent } from '../event.js';

/** An event that projections apply side by side with others, or that waits in its lanes. */
export interface UnderWay {
  readonly event: RecordedEvent;
  /** Position of the event before it. */
  readonly before: bigint;
  /** Its lanes in the stages that commands wait for. */
  readonly lanes: readonly string[];
  /** Its lanes in the stages that only readers wait for. */
  readonly lanesBehind: readonly string[];
  readonly since: number;
  readonly bytes: number;
  /** All projections that a command waits for have it. */
  isShown: boolean;
}

/**
 * Tells how far events are read ahead of the slowest lane: each is in memory until it is applied.
 * Beyond that a slow lane holds up all others.
 */
const AHEAD = { events: 10_000, bytes: 32 * 1024 * 1024 };

const share = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((each) => others.includes(each));

/** The events between the last one that was read and the first one that is not applied. */
export class EventsUnderWay {
  /** By position, in its order. */
  private readonly events = new Map<bigint, UnderWay>();
  private readonly failing = new Map<UnderWay, unknown>();
  private bytes = 0;
  private readonly inLane = { events: new KeyedCounter(), bytes: new KeyedCounter() };
  /** When a lane last came forward, as long as an event is in it. */
  private readonly movedAt = new Map<string, number>();
  private waiting: (() => void)[] = [];

  get isIdle(): boolean {
    return this.events.size === 0;
  }

  /** Gives the reason for which one of them fails, and is tried again. */
  get failure(): unknown {
    return [...this.failing.values()][0];
  }

  /** The position up to which all events are applied, where events up to `read` were read. */
  applied(read: bigint): bigint {
    const [first] = this.events.values();
    return first ? first.before : read;
  }

  has(position: bigint): boolean {
    return this.events.has(position);
  }

  /** The lanes in which only readers wait for it; undefined: it is not here. */
  lanesBehind(position: bigint): readonly string[] | undefined {
    return this.events.get(position)?.lanesBehind;
  }

  /** Tells whether projections that commands wait for do not have it yet. */
  isHidden(position: bigint): boolean {
    return this.events.get(position)?.isShown === false;
  }

  begin(of: Omit<UnderWay, 'isShown' | 'since' | 'bytes'>): UnderWay {
    // An event that is not understood may have none.
    const bytes = (JSON.stringify(of.event.data) as string | undefined)?.length ?? 0;
    const event = { ...of, bytes, since: performance.now(), isShown: false };
    this.events.set(of.event.position, event);
    this.bytes += bytes;
    for (const lane of of.lanes) {
      this.inLane.events.add(lane, 1);
      this.inLane.bytes.add(lane, bytes);
    }
    return event;
  }

  shown(event: UnderWay): void {
    event.isShown = true;
    for (const lane of event.lanes) {
      this.inLane.bytes.add(lane, -event.bytes);
      if (this.inLane.events.add(lane, -1) > 0) this.movedAt.set(lane, performance.now());
      else this.movedAt.delete(lane);
    }
    this.changed();
  }

  end({ event: { position }, bytes }: UnderWay): void {
    this.bytes -= bytes;
    this.events.delete(position);
    this.changed();
  }

  failed(event: UnderWay, error: unknown): void {
    this.failing.set(event, error);
    this.changed();
  }

  recovered(event: UnderWay): void {
    this.failing.delete(event);
  }

  /** Tells whether something fails in one of the lanes, or too much waits there. */
  isClosed(lanes: readonly string[]): boolean {
    const { events, bytes } = this.inLane;
    const isFull = (lane: string): boolean =>
      isOverShare(events.of(lane), this.events.size, AHEAD.events) ||
      (events.of(lane) > 0 && isOverShare(bytes.of(lane), this.bytes, AHEAD.bytes));
    if (lanes.some(isFull)) return true;
    return [...this.failing.keys()].some((event) => share(event.lanes, lanes));
  }

  /** Tells whether the event at this position is hidden because it, or one before it in its lanes, fails. */
  isBlocked(position: bigint): boolean {
    const event = this.events.get(position);
    if (!event || event.isShown) return false;
    return [...this.failing.keys()].some(
      (failing) =>
        !failing.isShown && failing.event.position <= position && share(failing.lanes, event.lanes),
    );
  }

  /** When the event at this position last came nearer; undefined: it is not here. */
  lastMove(position: bigint): number | undefined {
    const event = this.events.get(position);
    return (
      event && Math.max(event.since, ...event.lanes.map((lane) => this.movedAt.get(lane) ?? 0))
    );
  }

  /** Waits until there is room for another event. */
  async room(signal: AbortSignal): Promise<void> {
    const isFull = (): boolean =>
      this.events.size >= AHEAD.events || (this.bytes >= AHEAD.bytes && !this.isIdle);
    while (isFull() && !signal.aborted) await this.change();
  }

  async idle(): Promise<void> {
    while (!this.isIdle) await this.change();
  }

  /**
   * Waits until what is shown by now is behind, too, or something in the way fails, or for as long.
   * @param lane one of the lanes behind; undefined: all of them
   */
  async settled(lane: string | undefined, signal: AbortSignal, maxWaitMs: number): Promise<void> {
    const concerns = ({ lanesBehind }: UnderWay): boolean =>
      lane === undefined ? lanesBehind.length > 0 : lanesBehind.includes(lane);
    const shown = [...this.events.values()].filter((event) => event.isShown && concerns(event));
    // They are many, and it is asked at each change: those that are done are not looked at again.
    let left = shown.length;
    const isDone = (): boolean => {
      while (left > 0 && !this.has(shown[left - 1]?.event.position ?? 0n)) left -= 1;
      return left === 0 || [...this.failing.keys()].some(concerns);
    };
    await this.until(isDone, signal, maxWaitMs);
  }

  /** Waits until the event is applied, or fails, or for as long. */
  async whole(position: bigint, signal: AbortSignal, maxWaitMs: number): Promise<void> {
    const event = this.events.get(position);
    const isDone = (): boolean => !event || !this.has(position) || this.failing.has(event);
    await this.until(isDone, signal, maxWaitMs);
  }

  private async until(
    isDone: () => boolean,
    signal: AbortSignal,
    maxWaitMs: number,
  ): Promise<void> {
    if (isDone()) return;
    let isLate = false;
    const wait = async (): Promise<void> => {
      while (!isDone() && !isLate && !signal.aborted) await this.change();
    };
    await within(maxWaitMs, wait(), () => void (isLate = true));
  }

  /** Lets those look again who wait for a change. */
  changed(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
