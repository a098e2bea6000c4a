/** Lets so many work at a time. Others wait, in the order in which they came. */
export class Semaphore {
  private readonly queue: (() => void)[] = [];
  private held = 0;

  constructor(private readonly size: number) {}

  /** Tells how many wait for a place. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Tells whether the next one has to wait. */
  get isFull(): boolean {
    return this.held >= this.size;
  }

  /** Tells whether nobody has a place. */
  get isIdle(): boolean {
    return this.held === 0;
  }

  /** Does the work with a place of its own. A semaphore of size 1 does one piece of work at a time. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** @returns what gives the place back; more than once does no harm. @throws the signal's reason */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (!this.isFull) this.held += 1;
    else await this.turn(signal);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.queue.shift();
      if (next) next();
      else this.held -= 1;
    };
  }

  private turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.queue.splice(this.queue.indexOf(enter), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.queue.push(enter);
    });
  }
}
