interface Waiter {
  readonly position: bigint;
  resolve(): void;
  reject(error: unknown): void;
}

interface WaitTerms {
  /** Milliseconds without progress after which a waiter gives up. */
  readonly maxWaitMs: number;
  /** When there was progress towards its position, by `performance.now()`: a long way is no standstill. */
  movedAt(this: void): number;
  /** Makes what it throws then. */
  late(this: void): Error;
}

/** Lets callers wait until a position is reached. No lock of libs/flow does that: one event lets all go whose position it reaches. */
export class PositionWaiters {
  private waiters: Waiter[] = [];

  /** @throws what `late` makes, after so many milliseconds without progress */
  wait(position: bigint, { maxWaitMs, movedAt, late }: WaitTerms): Promise<void> {
    let timer: NodeJS.Timeout;
    return new Promise<void>((resolve, reject) => {
      const waiter = { position, resolve, reject };
      this.waiters.push(waiter);
      const since = performance.now();
      const look = (): void => {
        const left = Math.max(since, movedAt()) + maxWaitMs - performance.now();
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

  /** Lets those go whose position is reached. */
  resolve(isReached: (position: bigint) => boolean): void {
    for (const waiter of this.take(isReached)) waiter.resolve();
  }

  /** Tells those whom it concerns: all, unless it is said whose positions. */
  reject(error: unknown, concerns: (position: bigint) => boolean = () => true): void {
    for (const waiter of this.take(concerns)) waiter.reject(error);
  }

  private take(isTaken: (position: bigint) => boolean): readonly Waiter[] {
    if (this.waiters.length === 0) return this.waiters;
    const [taken, waiting] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.waiters) (isTaken(waiter.position) ? taken : waiting).push(waiter);
    this.waiters = waiting;
    return taken;
  }
}
