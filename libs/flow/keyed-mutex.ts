/**
 * Runs work of the same key one after the other, in the order in which it came. Work with several
 * keys waits for what came before it with any of them.
 */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  async run<T>(key: string | readonly string[], work: () => Promise<T>): Promise<T> {
    const keys = typeof key === 'string' ? [key] : key;
    const running = Promise.all(keys.map((each) => this.last.get(each))).then(work);
    const settled = running.catch(() => undefined);
    for (const each of keys) this.last.set(each, settled);
    try {
      return await running;
    } finally {
      for (const each of keys) if (this.last.get(each) === settled) this.last.delete(each);
    }
  }
}
