import { useMemo, useRef, useState } from 'preact/hooks';
import { program, wordsOf } from '../api/request.js';
import type { Table } from '../api/schema.js';
import { chartData } from '../chart/chart-series.js';
import { Chart } from '../chart/chart.js';
import { copy, download, FORMATS, type Format } from './download.js';
import { OverTime } from './over-time.js';
import { ResultGrid } from '../grid/result-grid.js';
import type { Question, Result } from './run-query.js';
import { streamOf } from './stream-of.js';

export interface Answered extends Result {
  readonly question: Question;
  readonly milliseconds: number;
}

/** A result is looked at in one of these ways. */
export type View = 'table' | 'chart' | 'over time';

interface Props {
  readonly answered: Answered;
  readonly tables: readonly Table[];
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly range: string;
  readonly onRange: (range: string) => void;
}

/**
 * Shows a result as a table and, where there are numbers over something, as a chart; and its
 * stream over time.
 */
export function Answer({ answered, tables, view: wanted, onView, range, onRange }: Props) {
  const { lines, question, isCut } = answered;
  const data = useMemo(() => chartData(lines), [lines]);
  const stream = program === 'edge' ? undefined : streamOf(question.sql, tables);
  const offered: Readonly<Record<View, boolean>> = {
    table: true,
    chart: data !== undefined,
    'over time': stream !== undefined,
  };
  const view = offered[wanted] ? wanted : 'table';
  const button = (each: View, title: string) => (
    <button
      type="button"
      aria-pressed={each === view}
      disabled={!offered[each]}
      onClick={() => onView(each)}
    >
      {title}
    </button>
  );
  return (
    <>
      <div class="bar">
        <div role="group" aria-label="Show as">
          {button('table', 'Table')}
          {button('chart', 'Chart')}
          {program === 'hosted' && button('over time', 'Over time')}
        </div>
        {lines.length > 0 && <TakeAway question={question} mayCopy={!isCut} />}
      </div>
      {view === 'over time' && stream ? (
        <OverTime
          organization={question.organization}
          stream={stream.name}
          range={range}
          onRange={onRange}
        />
      ) : view === 'chart' && data ? (
        <Chart data={data} />
      ) : lines.length === 0 ? (
        <p class="empty">There are no rows. Look at the WHERE, or at the time.</p>
      ) : (
        <ResultGrid lines={lines} />
      )}
    </>
  );
}

/**
 * Gives the result away in other formats.
 * @param mayCopy says whether it is little enough for a clipboard
 */
function TakeAway({
  question,
  mayCopy,
}: {
  readonly question: Question;
  readonly mayCopy: boolean;
}) {
  const [told, setTold] = useState('');
  const loading = useRef<AbortController>();
  const get = async (take: typeof download, format: Format, done: string): Promise<void> => {
    loading.current?.abort();
    const own = new AbortController();
    loading.current = own;
    setTold(`${FORMATS[format].title} is coming…`);
    try {
      await take(question, format, own.signal);
      if (!own.signal.aborted) setTold(done);
    } catch (error) {
      if (!own.signal.aborted) setTold(wordsOf(error));
    }
  };
  const formats = Object.keys(FORMATS) as Format[];
  const copied = formats.filter((format) => mayCopy && FORMATS[format].isText);
  const button = (verb: string, format: Format, onClick: () => void) => (
    <button key={format} type="button" onClick={onClick}>
      <span class="unseen">{verb} </span>
      {FORMATS[format].title}
    </button>
  );
  return (
    <>
      {copied.length > 0 && (
        <div role="group" aria-label="Copy" class="take-away">
          <span aria-hidden="true">Copy</span>
          {copied.map((each) => button('Copy', each, () => void get(copy, each, 'Copied.')))}
        </div>
      )}
      <div role="group" aria-label="Download" class="take-away">
        <span aria-hidden="true">Download</span>
        {formats.map((each) => button('Download', each, () => void get(download, each, '')))}
      </div>
      <span role="status">{told}</span>
    </>
  );
}
