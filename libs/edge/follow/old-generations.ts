/**
 * Tells which generations of a stream's files a query may still read: the current one, and earlier
 * ones for a while.
 */
export class OldGenerations {
  private served: number | undefined;
  private readonly readableUntil = new Map<number, number>();

  /** @param milliseconds so long the queries that began with one may go on */
  constructor(private readonly milliseconds: number) {}

  /** Queries that begin from now on read this one. @param now milliseconds since 1970 */
  serve(generation: number, now: number): void {
    if (this.served !== undefined && this.served !== generation)
      this.readableUntil.set(this.served, now + this.milliseconds);
    this.served = generation;
  }

  /**
   * Finds generations that no query reads any more. Each is reported once.
   * @returns the generations that a query may still read; undefined when none has ended
   */
  afterEnd(now: number): ReadonlySet<number> | undefined {
    const ended = [...this.readableUntil].filter(([, until]) => until <= now);
    if (ended.length === 0) return undefined;
    for (const [generation] of ended) this.readableUntil.delete(generation);
    const served = this.served === undefined ? [] : [this.served];
    return new Set([...served, ...this.readableUntil.keys()]);
  }
}
