import { useEffect, useState } from 'preact/hooks';
import type { Progress } from './run-query.js';

interface Props extends Progress {
  /** The time is that of `performance.now()`. */
  readonly begun: number;
}

const TICK_MS = 100;

/** Tells how far a query is. That changes too often to be read out. */
export function Running({ begun, rows, rowsRead }: Props) {
  const [now, setNow] = useState(begun);
  useEffect(() => {
    const clock = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(clock);
  }, [begun]);
  const seconds = (Math.max(0, now - begun) / 1000).toFixed(1);
  const read = rowsRead === undefined ? '' : `, ${rowsRead.toLocaleString()} rows read`;
  const come = rows === 0 ? '' : `, ${rows.toLocaleString()} rows so far`;
  return (
    <span class="running" aria-live="off">
      {seconds} s{read}
      {come}
    </span>
  );
}
