interface Waiter {
  readonly position: bigint;
  resolve(): void;
  reject(error: unknown): void;
}

/** Those who wait until a position is reached. */
export class PositionWaiters {
  private position = 0n;
  private waiters: Waiter[] = [];

  has(position: bigint): boolean {
    return this.position >= position;
  }

  wait(position: bigint): Promise<void> {
    if (this.has(position)) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiters.push({ position, resolve, reject }));
  }

  /** A position before the present one changes nothing. */
  reached(position: bigint): void {
    if (this.has(position)) return;
    this.position = position;
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
