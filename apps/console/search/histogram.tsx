import { binsOf, type Bucket } from './bins.js';
import { timeText } from '../frame/time-text.js';

interface Props {
  readonly buckets: readonly Bucket[];
  /** Milliseconds since the epoch. */
  readonly start: number | undefined;
  readonly end: number;
}

/** How many records there are, over time. What it shows is said in words, too. */
export function Histogram({ buckets, start, end }: Props) {
  const bins = binsOf(buckets, start, end);
  const most = Math.max(1, ...bins.map(({ records }) => records));
  const peak = bins.find(({ records }) => records === most);
  const first = timeText((bins[0]?.at ?? 0) * 1000);
  const last = timeText((bins.at(-1)?.at ?? 0) * 1000);
  const words = peak
    ? `Records over time, from ${first} to ${last}; most at ${timeText(peak.at * 1000)}: ${most.toLocaleString()}`
    : 'Records over time';
  return (
    <figure class="histogram">
      <div role="img" aria-label={words} class="bars">
        {bins.map(({ at, records }) => (
          <div
            key={at}
            class={records > 0 ? 'some' : ''}
            title={`${timeText(at * 1000)}: ${records.toLocaleString()}`}
            style={{ height: `${(100 * records) / most}%` }}
          />
        ))}
      </div>
      <figcaption class="hint">
        <span>{first}</span>
        <span>{last} UTC</span>
      </figcaption>
    </figure>
  );
}
