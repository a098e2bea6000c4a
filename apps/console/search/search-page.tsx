import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import type { Table } from '../api/schema.js';
import { AS_TYPED } from '../form/as-typed.js';
import { linkTo } from '../frame/route.js';
import { countOf } from '../frame/size-text.js';
import { FirstUpload } from '../upload/first-upload.js';
import { conditionOf } from './condition.js';
import { Histogram } from './histogram.js';
import { Lines, type Line } from './lines.js';
import { RangeField } from '../time/range-field.js';
import { linesAround, search, type Page, type Wanted } from './search.js';
import { rangeBetween, spanOf } from '../time/time-range.js';
import { LIVE_LINES_MAX, useLive } from './use-live.js';

interface Props {
  readonly organization: string;
  readonly tables: readonly Table[];
  /** The address has this value and the next two. The search runs at once. */
  readonly stream: string | undefined;
  readonly text: string | undefined;
  readonly range: string | undefined;
  readonly mayWrite: boolean;
}

type State =
  | { readonly at: 'start' }
  | { readonly at: 'failed'; readonly message: string }
  | { readonly at: 'found'; readonly wanted: Wanted; readonly page: Page }
  | {
      readonly at: 'around';
      readonly middle: string;
      readonly lines: readonly string[];
      readonly before: State;
    };

const DEFAULT_RANGE = '24h';
/** A live view begins with so many of the newest rows. */
const LIVE_BEGINS_WITH = 50;

export function SearchPage({ organization, tables, ...route }: Props) {
  const streams = tables.filter(({ name }) => !name.startsWith('_'));
  const stream = streams.find(({ name }) => name === route.stream) ?? streams[0];
  const range = route.range && spanOf(route.range, 0) ? route.range : DEFAULT_RANGE;
  const [typed, setTyped] = useState(route.text ?? '');
  const [state, setState] = useState<State>({ at: 'start' });
  const [isSearching, setSearching] = useState(true);
  const [isLive, setLive] = useState(false);
  const running = useRef<AbortController>();
  /**
   * This page has put this into the address. Another value there comes from elsewhere, such as a
   * link.
   */
  const asked = useRef(route.text ?? '');
  const condition = conditionOf(route.text ?? '', stream?.fields ?? []);
  const live = useLive(
    isLive && stream
      ? { organization, stream: stream.name, condition, rows: LIVE_BEGINS_WITH }
      : undefined,
  );

  const begin = (): AbortController => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    return own;
  };
  const run = async (from: number, wanted: Wanted, found?: Page): Promise<void> => {
    const own = begin();
    setSearching(true);
    try {
      const page = await search(wanted, from, own.signal);
      const lines = [...(found?.lines ?? []), ...page.lines];
      const { buckets, total } = found ?? page;
      if (!own.signal.aborted) setState({ at: 'found', wanted, page: { lines, buckets, total } });
    } catch (error) {
      if (!own.signal.aborted) setState({ at: 'failed', message: wordsOf(error) });
    }
    if (!own.signal.aborted) setSearching(false);
  };
  const searchAnew = (): void => {
    const span = spanOf(range, Date.now());
    if (!stream || !span) return;
    const end = span.end * 1000;
    const start = span.start === undefined ? undefined : span.start * 1000;
    void run(0, { organization, stream: stream.name, condition, start, end });
  };
  /** The address follows the search. A changed address searches once. */
  const go = (change: { stream?: string; text?: string; range?: string }): void => {
    const { name = '' } = stream ?? {};
    const wanted = { organization, stream: name, text: typed, range, ...change };
    const link = linkTo({ page: 'search', ...wanted });
    asked.current = wanted.text;
    if (link === location.hash) searchAnew();
    else location.hash = link;
  };
  const toggleLive = (): void => {
    setLive(!isLive);
    if (isLive) searchAnew();
    else running.current?.abort();
  };
  const narrow = (piece: string): void => {
    const text = `${typed} ${piece}`.trim();
    setTyped(text);
    go({ text });
  };
  const around = async (middle: string, timestamp: string): Promise<void> => {
    if (!stream) return;
    const own = begin();
    setLive(false);
    try {
      const lines = await linesAround(organization, stream.name, timestamp);
      if (!own.signal.aborted)
        setState((before) => ({
          at: 'around',
          middle,
          lines,
          before: before.at === 'around' ? before.before : before,
        }));
    } catch (error) {
      if (!own.signal.aborted) setState({ at: 'failed', message: wordsOf(error) });
    }
  };

  useEffect(() => {
    const text = route.text ?? '';
    // The address changes a moment later, so that text typed meanwhile stays.
    if (text !== asked.current) setTyped(text);
    asked.current = text;
  }, [route.text]);
  useEffect(() => {
    if (!isLive) searchAnew();
    return () => running.current?.abort();
  }, [stream?.name, route.text, range]);

  if (!stream)
    return (
      <>
        <h1>Search</h1>
        <FirstUpload organization={organization} mayWrite={route.mayWrite} />
      </>
    );
  const shown = isLive ? live.lines : linesOf(state);
  return (
    <>
      <h1 class="unseen">Search</h1>
      <form
        class="search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          go({});
        }}
      >
        <label>
          Stream
          <select
            value={stream.name}
            onChange={({ currentTarget }) => go({ stream: currentTarget.value })}
          >
            {streams.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="words">
          Words, or field=value
          <input
            {...AS_TYPED}
            type="search"
            value={typed}
            autocomplete="off"
            placeholder={'timeout status>=500 path="/a b"'}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <RangeField range={range} disabled={isLive} onRange={(each) => go({ range: each })} />
        <div class="bar">
          <button type="submit" class="primary">
            Search
          </button>
          <button type="button" aria-pressed={isLive} onClick={toggleLive}>
            Live
          </button>
        </div>
      </form>
      <p role="status" class="status">
        {isLive ? liveWords(live.come, live.waits) : isSearching ? 'Searching…' : wordsFor(state)}
      </p>
      {(isLive ? live.failure : state.at === 'failed' && state.message) && (
        <p role="alert" class="failure">
          {isLive ? live.failure : state.at === 'failed' && state.message}
        </p>
      )}
      {!isLive && state.at === 'around' && (
        <button type="button" onClick={() => setState(state.before)}>
          Back to what was found
        </button>
      )}
      {!isLive && state.at === 'found' && state.page.total > 0 && (
        <Histogram
          buckets={state.page.buckets}
          start={state.wanted.start === undefined ? undefined : state.wanted.start / 1000}
          end={state.wanted.end / 1000}
          onSpan={(from, to) => go({ range: rangeBetween(from, to) })}
        />
      )}
      {!isLive && state.at === 'found' && state.page.total === 0 && (
        <div class="empty">
          <p>No record matches{range === 'all' ? '' : ' in this time'}.</p>
          {range !== 'all' && (
            <button type="button" onClick={() => go({ range: 'all' })}>
              Look at all times
            </button>
          )}
        </div>
      )}
      <Lines
        lines={shown}
        middle={!isLive && state.at === 'around' ? state.middle : undefined}
        onPiece={narrow}
        onAround={(json, timestamp) => void around(json, timestamp)}
      />
      {!isLive && state.at === 'found' && state.page.lines.length < state.page.total && (
        <button
          type="button"
          onClick={() => void run(state.page.lines.length, state.wanted, state.page)}
        >
          Older records
        </button>
      )}
    </>
  );
}

/**
 * Keys stay the same within one search, so that open records stay open. Another search has other
 * keys.
 */
function linesOf(state: State): readonly Line[] {
  if (state.at === 'start' || state.at === 'failed') return [];
  const [of, lines] =
    state.at === 'found' ? [state.wanted.end, state.page.lines] : [state.middle, state.lines];
  return lines.map((json, index) => ({ key: `${of} ${index}`, json }));
}

function liveWords(come: number, waits: string | undefined): string {
  if (waits !== undefined) return waits;
  const kept = come > LIVE_LINES_MAX ? `; the newest ${LIVE_LINES_MAX} are shown` : '';
  return `Live: ${countOf(come)} so far${kept}`;
}

function wordsFor(state: State): string {
  switch (state.at) {
    case 'start':
    case 'failed':
      return '';
    case 'found': {
      const { lines, total } = state.page;
      const shown = lines.length < total ? `, the newest ${lines.length} shown` : '';
      return `${countOf(total)}${shown}`;
    }
    case 'around':
      return `${countOf(state.lines.length)} within a quarter of an hour around the one that is marked`;
  }
}
