/**
 * A readers–writer lock for each key: many callers may share a key, or one caller has it alone.
 * Keys without a holder are not kept.
 */
export class ReadWriteLock {
  private readonly sharing = new Map<string, Set<Promise<unknown>>>();
  private readonly excluded = new Map<string, Promise<unknown>>();

  /** Runs work beside other work that shares the key. */
  async shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    for (let held = this.excluded.get(key); held; held = this.excluded.get(key)) await held;
    const running = work();
    const others = this.sharing.get(key) ?? new Set<Promise<unknown>>();
    this.sharing.set(key, others);
    const settled = running.catch(() => undefined);
    others.add(settled);
    try {
      return await running;
    } finally {
      others.delete(settled);
      if (others.size === 0) this.sharing.delete(key);
    }
  }

  /**
   * Runs work that shares all these keys. Everybody takes them in one order: two who wait for a key
   * of each other would wait for ever.
   */
  sharedAll<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const [key, ...others] = [...new Set(keys)].sort();
    if (key === undefined) return work();
    return this.shared(key, () => this.sharedAll(others, work));
  }

  /** Runs work alone: after all that share the key, and before all that come later. */
  async exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    for (let held = this.excluded.get(key); held; held = this.excluded.get(key)) await held;
    const running = (async () => {
      await Promise.all([...(this.sharing.get(key) ?? [])]);
      return work();
    })();
    const settled = running.catch(() => undefined);
    this.excluded.set(key, settled);
    try {
      return await running;
    } finally {
      this.excluded.delete(key);
    }
  }
}
