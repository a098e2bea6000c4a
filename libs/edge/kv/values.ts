/** Values of a store by their keys, as they were when they were read. */
export interface Values {
  /** The bytes that may be held in the process. */
  readonly bytes: number;
  /**
   * @param signal made only where somebody has to wait
   * @returns undefined where there is no such key
   */
  get(key: string, signal: () => AbortSignal): string | undefined | Promise<string | undefined>;
  /** Nobody looks anything up any more but who does so already. */
  drop(): void;
}

/** Values in the process itself: a look-up asks nobody. */
export class ValuesInMemory implements Values {
  constructor(
    private readonly values: ReadonlyMap<string, string>,
    readonly bytes: number,
  ) {}

  get(key: string): string | undefined {
    return this.values.get(key);
  }

  drop(): void {
    // The collector has them when nobody has this any more.
  }
}
