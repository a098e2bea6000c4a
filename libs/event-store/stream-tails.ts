/** How far an event stream goes, and the MAC of our last event in it. */
export interface Tail {
  /** Of the last event, also where that is not ours; -1 before the first. */
  readonly revision: number;
  readonly mac: string;
}

const STREAMS_MAX = 20_000;

/** The ends of the streams that were read or appended to last. */
export class StreamTails {
  /** The least recently used first. */
  private readonly tails = new Map<string, Tail>();

  get(stream: string): Tail | undefined {
    return this.tails.get(stream);
  }

  set(stream: string, tail: Tail): void {
    this.tails.delete(stream);
    this.tails.set(stream, tail);
    if (this.tails.size <= STREAMS_MAX) return;
    for (const oldest of this.tails.keys()) {
      this.tails.delete(oldest);
      return;
    }
  }

  forget(stream: string): void {
    this.tails.delete(stream);
  }
}
