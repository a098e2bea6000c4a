interface Waiter {
  readonly position: bigint;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Waiters for a position. No lock of libs/flow fits, because one event releases every waiter whose
 * position it reaches.
 */
export class PositionWaiters {
  private position = 0n;
  private movedAt = performance.now();
  private waiters: Waiter[] = [];

  has(position: bigint): boolean {
    return this.position >= position;
  }

  /**
   * @throws the error of `late` after so many milliseconds without any event. A long way with
   *   progress is not an error.
   */
  wait(position: bigint, maxWaitMs: number, late: () => Error): Promise<void> {
    if (this.has(position)) return Promise.resolve();
    let timer: NodeJS.Timeout;
    return new Promise<void>((resolve, reject) => {
      const waiter = { position, resolve, reject };
      this.waiters.push(waiter);
      const since = performance.now();
      const look = (): void => {
        const left = Math.max(since, this.movedAt) + maxWaitMs - performance.now();
        if (left > 0) {
          timer = setTimeout(look, left);
          return;
        }
        this.waiters = this.waiters.filter((each) => each !== waiter);
        reject(late());
      };
      look();
    }).finally(() => clearTimeout(timer));
  }

  /** A position before the present one changes nothing. */
  reached(position: bigint): void {
    if (this.has(position)) return;
    this.position = position;
    this.movedAt = performance.now();
    if (this.waiters.length === 0) return;
    const [done, waiting] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.waiters) (this.has(waiter.position) ? done : waiting).push(waiter);
    this.waiters = waiting;
    for (const waiter of done) waiter.resolve();
  }

  reject(error: unknown): void {
    for (const waiter of this.waiters.splice(0)) waiter.reject(error);
  }
}
