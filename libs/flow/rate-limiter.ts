/**
 * This many keys with a debt are kept. If there are more, those with the smallest debts are
 * forgotten.
 */
const KEPT_MAX = 50_000;
const KEPT_WHEN_FULL = 45_000;

/**
 * Tells how much each key may use in a while. Each use moves the key's clock on; a key whose clock
 * is more than a burst ahead of the time has to wait. So one large piece may pass, and the key
 * waits afterwards. The number of keys is bounded, because callers choose them.
 */
export class RateLimiter {
  private readonly clocks = new Map<string, number>();
  private readonly burstMs: number;

  /**
   * @param limit `perSecond`: what each key may use in a second, 0 for no bound; `burst`: what may
   *   come at once, by default what one second allows
   * @param now milliseconds of a clock that never goes back
   */
  constructor(
    private readonly limit: { readonly perSecond: number; readonly burst?: number },
    private readonly now: () => number = () => performance.now(),
  ) {
    this.burstMs = this.costOf(limit.burst ?? limit.perSecond);
  }

  /** Milliseconds until so much may be used; 0 when at once. */
  wait(key: string, amount: number): number {
    if (this.limit.perSecond === 0) return 0;
    const ahead = Math.max(0, (this.clocks.get(key) ?? 0) - this.now());
    // An amount that is larger than a burst waits until there is nothing to pay for.
    const most = Math.max(0, this.burstMs - this.costOf(amount));
    return Math.max(0, ahead - most);
  }

  use(key: string, amount: number): void {
    if (this.limit.perSecond === 0) return;
    const now = this.now();
    if (this.clocks.size >= KEPT_MAX && !this.clocks.has(key)) this.forget(now);
    this.clocks.set(key, Math.max(this.clocks.get(key) ?? 0, now) + this.costOf(amount));
  }

  /** Uses so much if it may be used now. @returns milliseconds to wait; 0 when it was used. */
  take(key: string, amount = 1): number {
    const wait = this.wait(key, amount);
    if (wait === 0) this.use(key, amount);
    return wait;
  }

  /** Gives an amount back that was used and then not needed. */
  giveBack(key: string, amount: number): void {
    const clock = this.clocks.get(key);
    if (clock !== undefined) this.clocks.set(key, clock - this.costOf(amount));
  }

  private costOf(amount: number): number {
    return (amount * 1000) / this.limit.perSecond;
  }

  private forget(now: number): void {
    for (const [key, clock] of this.clocks) if (clock <= now) this.clocks.delete(key);
    if (this.clocks.size < KEPT_MAX) return;
    const leastFirst = [...this.clocks].sort(([, one], [, other]) => one - other);
    for (const [key] of leastFirst.slice(0, KEPT_MAX - KEPT_WHEN_FULL)) this.clocks.delete(key);
  }
}
