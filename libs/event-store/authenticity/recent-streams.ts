/** Something of each of the event streams that were last told of; the others are forgotten. */
export class RecentStreams<Value> {
  /** The one that was told of the longest ago comes first. */
  private readonly kept = new Map<string, Value>();

  constructor(private readonly streamsMax: number) {}

  get(stream: string): Value | undefined {
    return this.kept.get(stream);
  }

  /** @returns whether another one is forgotten for it */
  set(stream: string, value: Value): boolean {
    this.kept.delete(stream);
    this.kept.set(stream, value);
    if (this.kept.size <= this.streamsMax) return false;
    for (const oldest of this.kept.keys()) return this.kept.delete(oldest);
    return false;
  }

  delete(stream: string): void {
    this.kept.delete(stream);
  }
}
