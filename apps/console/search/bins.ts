/** This many records are in the span from a time on, which is in milliseconds since the epoch. */
export interface Bucket {
  readonly at: number;
  readonly records: number;
}

const BINS = 60;

/** Makes equal spans of time from the first to the last, in order, those without records too. */
export function binsOf(
  buckets: readonly Bucket[],
  start: number | undefined,
  end: number,
): readonly Bucket[] {
  const times = buckets.map(({ at }) => at);
  const first = start ?? Math.min(...times, end);
  const last = start === undefined ? Math.max(...times, first) + 1 : end;
  const width = Math.max(1, Math.ceil((last - first) / BINS));
  const length = Math.max(1, Math.ceil((last - first) / width));
  const counts = new Map<number, number>();
  for (const { at, records: more } of buckets) {
    const index = Math.min(length - 1, Math.max(0, Math.floor((at - first) / width)));
    counts.set(index, (counts.get(index) ?? 0) + more);
  }
  return Array.from({ length }, (_, index) => ({
    at: first + index * width,
    records: counts.get(index) ?? 0,
  }));
}
