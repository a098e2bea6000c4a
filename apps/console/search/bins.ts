/** So many records are in the span from a time on, which is in milliseconds since the epoch. */
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
  const records = new Array<number>(Math.max(1, Math.ceil((last - first) / width))).fill(0);
  for (const { at, records: more } of buckets) {
    const index = Math.min(records.length - 1, Math.max(0, Math.floor((at - first) / width)));
    records[index] = (records[index] ?? 0) + more;
  }
  return records.map((each, index) => ({ at: first + index * width, records: each }));
}
