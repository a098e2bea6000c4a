/** After its last work, a party counts as present for so long. */
const PRESENT_MS = 1000;

interface Waiting {
  readonly order: string;
  begin(this: void): void;
}

interface Party {
  readonly waiting: Waiting[];
  running: number;
  /** When it last was there, in milliseconds of the clock. */
  seen: number;
}

/**
 * A bounded number of pieces of work at a time, in turns: a party that wants many slots gets one,
 * then each other party gets one. While several parties are present, no party has all slots, so
 * that a new party finds a free slot soon.
 */
export class FairSemaphore {
  /** They are in the order of their turns. */
  private readonly parties = new Map<string, Party>();

  constructor(
    private readonly size: number,
    private readonly now: () => number = () => performance.now(),
    /** The most places that one party may have, even if nobody else is there. */
    private readonly each: number = size,
  ) {}

  /**
   * Runs work when it is this party's turn. Within a party, the work that is first by `order` runs
   * first.
   */
  async use<T>(party: string, order: string, work: () => Promise<T>): Promise<T> {
    const end = await this.begin(party, order);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /**
   * Does the same for work that ends elsewhere: resolves when it is this party's turn.
   * @returns a function to call once, when the work has ended.
   * @throws the signal's reason when it is aborted before
   */
  async begin(party: string, order: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    this.notice(party);
    await new Promise<void>((resolve, reject) => {
      const { waiting } = this.of(party);
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const entry = { order, begin };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(entry);
      this.startWhatCan();
    });
    return () => {
      this.of(party).running -= 1;
      this.notice(party);
      this.startWhatCan();
    };
  }

  /** Counts a party as present, although it does not ask for a place here now. */
  notice(party: string): void {
    this.of(party).seen = this.now();
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.sum(({ waiting }) => waiting.length);
  }

  private startWhatCan(): void {
    this.forgetAbsent();
    const others = this.parties.size > 1;
    const most = Math.min(this.each, others ? Math.max(1, this.size - 1) : this.size);
    let free = this.size - this.sum(({ running }) => running);
    for (let started = true; started && free > 0;) {
      started = false;
      for (const [name, party] of [...this.parties]) {
        const next = free > 0 && party.running < most ? takeFirst(party.waiting) : undefined;
        if (!next) continue;
        party.running += 1;
        free -= 1;
        started = true;
        // The party goes to the end of the line.
        this.parties.delete(name);
        this.parties.set(name, party);
        next.begin();
      }
    }
  }

  private forgetAbsent(): void {
    const since = this.now() - PRESENT_MS;
    for (const [name, { waiting, running, seen }] of this.parties)
      if (waiting.length === 0 && running === 0 && seen < since) this.parties.delete(name);
  }

  private sum(of: (party: Party) => number): number {
    return [...this.parties.values()].reduce((sum, party) => sum + of(party), 0);
  }

  private of(name: string): Party {
    const known = this.parties.get(name);
    if (known) return known;
    const fresh: Party = { waiting: [], running: 0, seen: this.now() };
    this.parties.set(name, fresh);
    return fresh;
  }
}

function takeFirst(waiting: Waiting[]): Waiting | undefined {
  let first = 0;
  let least: string | undefined;
  for (const [index, { order }] of waiting.entries())
    if (least === undefined || order < least) [first, least] = [index, order];
  return waiting.splice(first, 1)[0];
}
