/** So many at a time; who comes late waits in order. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];
  private held = 0;

  constructor(private readonly size: number) {}

  /** @returns what gives the place back; more than once does no harm. @throws the signal's reason */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.held < this.size) this.held += 1;
    else await this.turn(signal);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.waiting.shift();
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
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiting.push(enter);
    });
  }
}
