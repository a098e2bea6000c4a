/** Runs work of the same key one after the other, in the order in which it came. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const running = before.then(work);
    const settled = running.catch(() => undefined);
    this.last.set(key, settled);
    try {
      return await running;
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}
