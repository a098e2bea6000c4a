/**
 * Runs work of the same key one after the other, in the order in which it came. Work with several
 * keys waits for what came before it with any of them. Work is told whether the work directly
 * before it, for which it has waited, has failed.
 */
export class KeyedMutex {
  /** The end of the last work of each key. It resolves to the error of work that has failed. */
  private readonly last = new Map<string, Promise<unknown>>();

  /** @param work gets the error of the work before it, or undefined when there is none */
  async run<T>(
    key: string | readonly string[],
    work: (failure: unknown) => Promise<T>,
  ): Promise<T> {
    const keys = typeof key === 'string' ? [key] : key;
    const running = Promise.all(keys.map((each) => this.last.get(each) ?? Promise.resolve())).then(
      (failures) => work(failures.find((failure) => failure !== undefined)),
    );
    const settled = running.then(
      () => undefined,
      (error: unknown) => error,
    );
    for (const each of keys) this.last.set(each, settled);
    try {
      return await running;
    } finally {
      for (const each of keys) if (this.last.get(each) === settled) this.last.delete(each);
    }
  }
}
