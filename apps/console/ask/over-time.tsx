import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { Histogram } from '../search/histogram.js';
import { countOverTime } from '../search/search.js';
import { rangeBetween, spanOf } from '../time/time-range.js';

interface Props {
  readonly organization: string;
  readonly stream: string;
  readonly range: string;
  readonly onRange: (range: string) => void;
}

/** Shows how many records a stream has, over the time that is asked about. */
export function OverTime({ organization, stream, range, onRange }: Props) {
  const { answer, failure } = useAnswer(async () => {
    const span = spanOf(range, Date.now()) ?? { start: undefined, end: Date.now() };
    const wanted = { organization, stream, condition: '', ...microseconds(span) };
    return { span, counted: await countOverTime(wanted) };
  }, [organization, stream, range]);
  if (failure !== undefined) return <Failure words={failure} />;
  if (!answer) return <p aria-busy="true">Counting…</p>;
  const { span, counted } = answer;
  return (
    <section class="over-time" aria-label={`Records of ${stream} over time`}>
      <p class="hint">
        {counted.total.toLocaleString()} records of {stream}, whatever else the statement asks
      </p>
      {counted.total > 0 && (
        <Histogram
          buckets={counted.buckets}
          start={span.start}
          end={span.end}
          onSpan={(from, to) => onRange(rangeBetween(from, to))}
        />
      )}
    </section>
  );
}

const microseconds = ({ start, end }: { start: number | undefined; end: number }) => ({
  start: start === undefined ? undefined : start * 1000,
  end: end * 1000,
});
