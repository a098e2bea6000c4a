import { useMemo, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import { chartData } from './chart-series.js';
import { Chart } from './chart.js';
import { download, DOWNLOADS, type DownloadFormat } from './download.js';
import { ResultGrid } from './result-grid.js';
import type { Result } from './run-query.js';

export interface Answered extends Result {
  readonly sql: string;
  readonly milliseconds: number;
}

/** A result as a table and, where there are numbers over something, as a chart. */
export function Answer({
  organization,
  answered,
}: {
  readonly organization: string;
  readonly answered: Answered;
}) {
  const { lines, sql } = answered;
  const [asChart, setAsChart] = useState(false);
  const data = useMemo(() => chartData(lines), [lines]);
  if (lines.length === 0)
    return <p class="empty">There are no rows. Look at the WHERE, or at the time range.</p>;
  return (
    <>
      <div class="bar">
        <div role="group" aria-label="Show as">
          <button type="button" aria-pressed={!asChart} onClick={() => setAsChart(false)}>
            Table
          </button>
          <button
            type="button"
            aria-pressed={asChart && data !== undefined}
            disabled={data === undefined}
            onClick={() => setAsChart(true)}
          >
            Chart
          </button>
        </div>
        <Downloads organization={organization} sql={sql} />
      </div>
      {asChart && data ? <Chart data={data} /> : <ResultGrid lines={lines} />}
    </>
  );
}

function Downloads({ organization, sql }: { readonly organization: string; readonly sql: string }) {
  const [told, setTold] = useState('');
  const loading = useRef<AbortController>();
  const get = async (format: DownloadFormat): Promise<void> => {
    loading.current?.abort();
    const own = new AbortController();
    loading.current = own;
    setTold(`${DOWNLOADS[format].title} is coming…`);
    try {
      await download(organization, sql, format, own.signal);
      setTold('');
    } catch (error) {
      if (!own.signal.aborted) setTold(wordsOf(error));
    }
  };
  return (
    <div role="group" aria-label="Download" class="downloads">
      {(Object.keys(DOWNLOADS) as DownloadFormat[]).map((format) => (
        <button key={format} type="button" onClick={() => void get(format)}>
          <span class="unseen">Download </span>
          {DOWNLOADS[format].title}
        </button>
      ))}
      <span role="status">{told}</span>
    </div>
  );
}
