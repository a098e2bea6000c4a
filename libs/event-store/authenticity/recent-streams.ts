/** A value for each of the event streams that were set last; the others are forgotten. */
export class RecentStreams<Value> {
  /** The stream that was set the longest ago comes first. */
  private readonly kept = new Map<string, Value>();

  constructor(private readonly streamsMax: number) {}

  get(stream: string): Value | undefined {
    return this.kept.get(stream);
  }

  /** @returns whether another stream is forgotten for it */
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
