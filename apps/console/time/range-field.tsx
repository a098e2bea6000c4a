import { useEffect, useState } from 'preact/hooks';
import { isLast, LAST, rangeBetween, spanOf } from './time-range.js';

interface Props {
  /** The range as it stands in the address. */
  readonly range: string;
  readonly disabled: boolean;
  readonly onRange: (range: string) => void;
}

const FROM_TO = 'from-to';
const HOUR_MS = 3_600_000;
const LENGTH = '2026-11-25T12:00:00'.length;

/** Writes a time as the browser's field for it has it, in UTC, as all times here. */
const fieldText = (time: number): string => new Date(time).toISOString().slice(0, LENGTH);

/** Lets somebody choose a time: one that ends now, or from one time to another. */
export function RangeField({ range, disabled, onRange }: Props) {
  const [isOpen, setOpen] = useState(!isLast(range));
  useEffect(() => setOpen(!isLast(range)), [range]);
  const { start, end } = spanOf(range, Date.now()) ?? { start: undefined, end: Date.now() };
  const change = (which: 'start' | 'end', text: string): void => {
    const time = Date.parse(`${text}Z`);
    const ends = { start: start ?? end - HOUR_MS, end, [which]: time };
    // While somebody types, the range may be incomplete, or its end may come before its beginning.
    if (ends.start < ends.end) onRange(rangeBetween(ends.start, ends.end));
  };
  const choose = (chosen: string): void => {
    if (isLast(chosen)) onRange(chosen);
    else setOpen(true);
  };
  return (
    <>
      <label>
        Time
        <select
          value={isOpen ? FROM_TO : range}
          disabled={disabled}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {Object.entries(LAST).map(([key, { title }]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
          <option value={FROM_TO}>From … to …</option>
        </select>
      </label>
      {isOpen && !disabled && (
        <>
          <label>
            From (UTC)
            <input
              type="datetime-local"
              step="1"
              value={fieldText(start ?? end - HOUR_MS)}
              onChange={({ currentTarget }) => change('start', currentTarget.value)}
            />
          </label>
          <label>
            To (UTC)
            <input
              type="datetime-local"
              step="1"
              value={fieldText(end)}
              onChange={({ currentTarget }) => change('end', currentTarget.value)}
            />
          </label>
        </>
      )}
    </>
  );
}
