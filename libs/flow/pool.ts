import { Semaphore } from './semaphore.js';

/**
 * Things that do one piece of work at a time. A caller that needs one has it alone until it is
 * released. Callers that come while all are in use wait, in order. Things are made when they are
 * first needed.
 */
export class Pool<T> {
  private readonly idle: T[] = [];
  private readonly made: T[] = [];
  private readonly places: Semaphore;
  private readonly leaving = new Map<T, () => void>();

  constructor(
    private readonly make: () => T,
    size: number,
  ) {
    this.places = new Semaphore(size);
  }

  async acquire(): Promise<T> {
    const leave = await this.places.acquire();
    try {
      const thing = this.idle.pop() ?? this.another();
      this.leaving.set(thing, leave);
      return thing;
    } catch (error) {
      leave();
      throw error;
    }
  }

  release(thing: T): void {
    this.idle.push(thing);
    this.leaving.get(thing)?.();
  }

  async use<Result>(work: (thing: T) => Promise<Result>): Promise<Result> {
    const thing = await this.acquire();
    try {
      return await work(thing);
    } finally {
      this.release(thing);
    }
  }

  /** All things that were made, in use or not. */
  all(): readonly T[] {
    return this.made;
  }

  private another(): T {
    const fresh = this.make();
    this.made.push(fresh);
    return fresh;
  }
}
