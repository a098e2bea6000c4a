import { useState } from 'preact/hooks';
import { binsOf, type Bucket } from './bins.js';
import { timeText } from '../time/time-text.js';

interface Props {
  readonly buckets: readonly Bucket[];
  /** Both ends are in milliseconds since the epoch. */
  readonly start: number | undefined;
  readonly end: number;
  /** Is called with the range that somebody has drawn over. */
  readonly onSpan: (start: number, end: number) => void;
}

/** The user has drawn over these bars. The numbers are the first and the last bar. */
interface Drawn {
  readonly from: number;
  readonly to: number;
}

/** Shows how many records there are, over time. Words say the same. */
export function Histogram({ buckets, start, end, onSpan }: Props) {
  const [drawn, setDrawn] = useState<Drawn>();
  const bins = binsOf(buckets, start, end);
  const barAt = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width } = (currentTarget as HTMLElement).getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * bins.length);
    return Math.min(bins.length - 1, Math.max(0, index));
  };
  const draw = (event: PointerEvent): void => {
    const to = barAt(event);
    setDrawn((before) => before && { ...before, to });
  };
  /** A click without a movement selects no range. */
  const choose = (): void => {
    setDrawn(undefined);
    if (!drawn || drawn.from === drawn.to) return;
    const [from, to] = [Math.min(drawn.from, drawn.to), Math.max(drawn.from, drawn.to)];
    const first = bins[from];
    if (first) onSpan(first.at, bins[to + 1]?.at ?? Math.max(end, (bins[to]?.at ?? 0) + 1));
  };
  const isDrawn = (index: number): boolean =>
    drawn !== undefined &&
    index >= Math.min(drawn.from, drawn.to) &&
    index <= Math.max(drawn.from, drawn.to);
  const most = Math.max(1, ...bins.map(({ records }) => records));
  const peak = bins.find(({ records }) => records === most);
  const first = timeText((bins[0]?.at ?? 0) * 1000);
  const last = timeText((start === undefined ? (bins.at(-1)?.at ?? 0) : end) * 1000);
  const words = peak
    ? `Records over time, from ${first} to ${last}; most at ${timeText(peak.at * 1000)}: ${most.toLocaleString()}`
    : 'Records over time';
  return (
    <figure class="histogram">
      <div
        role="img"
        aria-label={words}
        class="bars"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn({ from: barAt(event), to: barAt(event) });
        }}
        onPointerMove={draw}
        onPointerUp={choose}
        onPointerCancel={() => setDrawn(undefined)}
      >
        {bins.map(({ at, records }, index) => (
          <div
            key={at}
            class={`${records > 0 ? 'some' : ''} ${isDrawn(index) ? 'drawn' : ''}`}
            title={`${timeText(at * 1000)}: ${records.toLocaleString()}`}
            style={{ height: `${(100 * records) / most}%` }}
          />
        ))}
      </div>
      <figcaption class="hint">
        <span>{first}</span>
        <span class="how">Draw over a part to look at it alone</span>
        <span>{last} UTC</span>
      </figcaption>
    </figure>
  );
}
