import type { RecordedEvent } from './event.js';

/** A stored event that has no content here, or that has a fault. */
export interface MetEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly reason: string;
}

export interface MetEventsLog {
  error(details: object, message: string): void;
}

const LOGGED_MAX = 100;
const TEXT_MAX = 300;

/**
 * Stored events that were met and are reported. The log names each of them once, up to a number of
 * them.
 */
export class MetEvents {
  private readonly events = new Map<bigint, MetEvent>();

  /**
   * @param more the log's words if it does not name another one
   * @param keptMax how many are kept
   */
  constructor(
    private readonly log: MetEventsLog,
    private readonly more: string,
    private readonly keptMax = Infinity,
  ) {}

  get count(): number {
    return this.events.size;
  }

  /** Lists them by position. */
  all(): readonly MetEvent[] {
    return [...this.events].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
  }

  /** @returns whether this call added it */
  add(stored: RecordedEvent, why: string, message: string): boolean {
    const { position, revision } = stored;
    if (this.events.has(position) || this.count >= this.keptMax) return false;
    const [stream, type, reason] = [
      shortened(stored.stream),
      shortened(stored.type),
      shortened(why),
    ];
    const event = { stream, revision, type, reason };
    this.events.set(position, event);
    if (this.count <= LOGGED_MAX) this.log.error({ ...event, position: String(position) }, message);
    else if (this.count === LOGGED_MAX + 1) this.log.error({}, this.more);
    return true;
  }
}

/** Shortens a text that anybody may have written. */
export const shortened = (text: unknown): string => String(text).slice(0, TEXT_MAX);
