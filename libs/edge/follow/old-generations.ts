/** Tells which generations of a stream's files somebody may read: the one that is served, and those before for a while. */
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
   * To be told once of each that nobody reads any more.
   * @returns those that somebody may still read; undefined when nothing has come to its end
   */
  afterEnd(now: number): ReadonlySet<number> | undefined {
    const ended = [...this.readableUntil].filter(([, until]) => until <= now);
    if (ended.length === 0) return undefined;
    for (const [generation] of ended) this.readableUntil.delete(generation);
    const served = this.served === undefined ? [] : [this.served];
    return new Set([...served, ...this.readableUntil.keys()]);
  }
}
