import { MillraceError } from '@app/platform';

/** A stream whose table differs from its events. */
interface Aside {
  /** The stream's name, which callers use. */
  readonly name: string;
  /**
   * The time of the last try, by `performance.now()`. No limiter of libs/flow keeps it, since the
   * stream is removed when it is repaired.
   */
  triedAt: number;
}

const TRY_AGAIN_MS = 10_000;

/**
 * Streams whose tables the engine refuses to create or change as the events say. Such a stream
 * cannot be used until it is repaired or deleted; all others go on.
 */
export class StreamsAside {
  private readonly streams = new Map<string, Aside>();

  get count(): number {
    return this.streams.size;
  }

  has(id: string): boolean {
    return this.streams.has(id);
  }

  put(id: string, name: string): void {
    this.streams.set(id, { name, triedAt: performance.now() });
  }

  /** Puts it aside, unless it is. */
  keep(id: string, name: string): void {
    if (!this.has(id)) this.put(id, name);
  }

  release(id: string): void {
    this.streams.delete(id);
  }

  /** Tells whether it is time to try again, and counts that as a try. */
  isDue(id: string): boolean {
    const aside = this.streams.get(id);
    if (!aside || performance.now() - aside.triedAt < TRY_AGAIN_MS) return false;
    aside.triedAt = performance.now();
    return true;
  }

  /** @throws {MillraceError} NOT_READY */
  check(id: string): void {
    const aside = this.streams.get(id);
    if (!aside) return;
    throw new MillraceError(
      'NOT_READY',
      `stream ${aside.name} is out of use: the warehouse refuses to make its table what it should be, and the server's log says why; it is tried again, and other streams are not affected; to go on at once, upload to another stream, or delete this one`,
      { retryAfterSeconds: TRY_AGAIN_MS / 1000 },
    );
  }
}
