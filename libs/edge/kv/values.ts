/** Values of a store by their keys, as they were when they were read. */
export interface Values {
  /** The bytes that these values hold in the process. */
  readonly bytes: number;
  /**
   * @param signal is made only if the look-up has to wait
   * @returns undefined if the key is unknown
   */
  get(key: string, signal: () => AbortSignal): string | undefined | Promise<string | undefined>;
  /** New look-ups do not use these values any more; running ones may finish. */
  drop(): void;
}

/** Values in the memory of the process. A look-up needs no query. */
export class ValuesInMemory implements Values {
  constructor(
    private readonly values: ReadonlyMap<string, string>,
    readonly bytes: number,
  ) {}

  get(key: string): string | undefined {
    return this.values.get(key);
  }

  drop(): void {
    // The garbage collector frees them when nobody refers to this object.
  }
}
