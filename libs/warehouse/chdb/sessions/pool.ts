/**
 * Things that do one piece of work at a time. Whoever needs one has it alone until it is
 * released; who comes late waits in order. They are made when first needed.
 */
export class Pool<T> {
  private readonly idle: T[] = [];
  private readonly waiting: ((thing: T) => void)[] = [];
  private readonly made: T[] = [];

  constructor(
    private readonly make: () => T,
    private readonly size: number,
  ) {}

  acquire(): Promise<T> {
    const free = this.idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    if (this.made.length < this.size) {
      const fresh = this.make();
      this.made.push(fresh);
      return Promise.resolve(fresh);
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  release(thing: T): void {
    const next = this.waiting.shift();
    if (next) next(thing);
    else this.idle.push(thing);
  }

  async use<Result>(work: (thing: T) => Promise<Result>): Promise<Result> {
    const thing = await this.acquire();
    try {
      return await work(thing);
    } finally {
      this.release(thing);
    }
  }

  /** All that were made, whether in use or not. */
  all(): readonly T[] {
    return this.made;
  }
}
