interface Window {
  readonly since: number;
  count: number;
}

interface WindowLimits {
  /** Milliseconds of a window. A window of a key begins with the first time it takes something. */
  readonly windowMs: number;
  /** Tells how often a key may take something in a window. */
  readonly most: number;
  /**
   * The number of keys that are remembered. If there are more, all are forgotten, because callers
   * choose keys.
   */
  readonly keysMax: number;
}

/**
 * Lets each key do something so often in a window of time, and afterwards tells how often it was
 * held back.
 */
export class WindowLimiter {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly limits: WindowLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @returns how often the key was held back in the window before, where this begins a window, else
   *   0; undefined where it is held back now
   */
  take(key: string): number | undefined {
    const { windowMs, most, keysMax } = this.limits;
    const now = this.now();
    const known = this.windows.get(key);
    if (known && now - known.since < windowMs) {
      known.count += 1;
      return known.count > most ? undefined : 0;
    }
    if (this.windows.size >= keysMax) this.windows.clear();
    this.windows.set(key, { since: now, count: 1 });
    return known ? Math.max(0, known.count - most) : 0;
  }
}
