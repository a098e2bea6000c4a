import { useEffect, useRef, useState } from 'preact/hooks';
import { program, wordsOf } from '../api/request.js';
import { readFunctions, type Table } from '../api/schema.js';
import { useAnswer } from '../api/use-answer.js';
import { linkTo } from '../frame/route.js';
import { FirstUpload } from '../upload/first-upload.js';
import { RangeField } from '../time/range-field.js';
import { spanOf } from '../time/time-range.js';
import { Answer, type Answered, type View } from './answer.js';
import { errorPlace, quotedName, type ErrorPlace } from '../editor/error-place.js';
import { asked, remember } from './history.js';
import { HistoryList } from './history-list.js';
import { runQuery, timesOf, type Progress } from './run-query.js';
import { Running } from './running.js';
import { SqlEditor } from '../editor/sql-editor.js';

interface Props {
  readonly organization: string;
  readonly tables: readonly Table[];
  /** The address has this statement. It is run at once. */
  readonly sql: string | undefined;
  /** The address has this range, which bounds the times of records; undefined stands for all times. */
  readonly range: string | undefined;
  readonly mayWrite: boolean;
}

interface Failed {
  readonly message: string;
  readonly place: ErrorPlace | undefined;
}

type State =
  | { readonly at: 'start' }
  | { readonly at: 'running'; readonly begun: number; readonly progress: Progress }
  | { readonly at: 'called off' }
  | { readonly at: 'failed'; readonly failed: Failed }
  | { readonly at: 'answered'; readonly answered: Answered };

const ALL = 'all';
const NONE: readonly string[] = [];
const NOTHING: Progress = { rows: 0, rowsRead: undefined };

export function AskPage({ organization, tables, sql, mayWrite, ...route }: Props) {
  const range = route.range !== undefined && spanOf(route.range, 0) ? route.range : ALL;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<SqlEditor>();
  const running = useRef<AbortController>();
  const statement = useRef(sql ?? firstStatement(tables));
  const [state, setState] = useState<State>({ at: 'start' });
  const [history, setHistory] = useState(() => asked(organization));
  const [view, setView] = useState<View>('table');
  // If the names do not arrive, the editor completes only the names that it has built in.
  const { answer: functions = NONE } = useAnswer(() => readFunctions(organization), [organization]);
  /**
   * Runs the statement, with the state of the last rendering. The editor keeps its first callback,
   * which calls this one.
   */
  const asking = useRef<() => void>();

  const run = async (): Promise<void> => {
    const text = statement.current;
    if (text.trim() === '') return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const begun = performance.now();
    setState({ at: 'running', begun, progress: NOTHING });
    editor.current?.mark(undefined);
    const tell = (progress: Progress): void => {
      if (running.current === own) setState({ at: 'running', begun, progress });
    };
    const question = { organization, sql: text, times: timesOf(range) };
    try {
      const result = await runQuery(question, own.signal, tell);
      if (running.current !== own) return;
      const milliseconds = Math.round(performance.now() - begun);
      setState({ at: 'answered', answered: { ...result, question, milliseconds } });
      remember(organization, text);
      setHistory(asked(organization));
    } catch (error) {
      if (running.current !== own) return;
      if (own.signal.aborted) {
        setState({ at: 'called off' });
        return;
      }
      const message = wordsOf(error);
      const where = errorPlace(message, text);
      setState({ at: 'failed', failed: { message, place: where } });
      editor.current?.mark(where);
    }
  };
  /** The address follows the statement. A changed address runs the statement once. */
  const ask = (within = range): void => {
    const link = linkTo({
      page: 'ask',
      ...named(organization),
      sql: statement.current,
      ...(within === ALL ? {} : { range: within }),
    });
    if (link === location.hash) void run();
    else location.hash = link;
  };
  asking.current = ask;

  useEffect(() => {
    if (!place.current) return;
    const made = new SqlEditor(
      place.current,
      statement.current,
      { tables, functions },
      {
        onRun: () => asking.current?.(),
        onChange: (text) => {
          statement.current = text;
        },
      },
    );
    editor.current = made;
    return () => {
      running.current?.abort();
      made.close();
    };
  }, []);
  useEffect(() => {
    if (editor.current) editor.current.known = { tables, functions };
  }, [tables, functions]);
  useEffect(() => {
    if (sql === undefined) return;
    statement.current = sql;
    if (editor.current) editor.current.text = sql;
    void run();
  }, [sql, range]);

  const use = (text: string): void => {
    statement.current = text;
    if (editor.current) editor.current.text = text;
    ask();
  };
  const isEmpty = !tables.some(isOwn);

  return (
    <>
      <h1 class="unseen">Ask</h1>
      {isEmpty && <FirstUpload organization={organization} mayWrite={mayWrite} />}
      <div ref={place} class="editor" />
      <div class="bar ask">
        <button type="button" class="primary" onClick={() => ask()}>
          Run <kbd>Ctrl Enter</kbd>
        </button>
        <button
          type="button"
          disabled={state.at !== 'running'}
          onClick={() => running.current?.abort()}
        >
          Cancel
        </button>
        {program === 'hosted' && <RangeField range={range} disabled={false} onRange={ask} />}
        {range !== ALL && <span class="hint">by _timestamp of each stream that is read</span>}
      </div>
      <div class="told">
        <p role="status" class="status">
          {statusOf(state)}
        </p>
        {state.at === 'running' && <Running begun={state.begun} {...state.progress} />}
      </div>
      <HistoryList statements={history} onUse={use} />
      {state.at === 'failed' && (
        <div role="alert" class="failure">
          {state.failed.message}
          {state.failed.place?.suggestion !== undefined && (
            <button
              type="button"
              onClick={() => {
                const { place: wrong } = state.failed;
                if (wrong?.suggestion === undefined) return;
                editor.current?.replace(wrong, wrong.suggestion);
                ask();
              }}
            >
              Use {state.failed.place.suggestion}
            </button>
          )}
        </div>
      )}
      {state.at === 'answered' && (
        <Answer
          answered={state.answered}
          tables={tables}
          view={view}
          onView={setView}
          range={range}
          onRange={ask}
        />
      )}
    </>
  );
}

const named = (organization: string) => (organization === '' ? {} : { organization });

/** Tells tables that somebody has uploaded from those that are always there, such as the audit trail. */
const isOwn = ({ name }: Table): boolean => !name.startsWith('_');

function firstStatement(tables: readonly Table[]): string {
  const table = tables.find(isOwn);
  if (!table) return 'SELECT 1';
  const newest = table.fields.some(({ name }) => name === '_timestamp')
    ? '\nORDER BY _timestamp DESC'
    : '';
  return `SELECT *\nFROM ${quotedName(table.name)}${newest}\nLIMIT 100`;
}

function statusOf(state: State): string {
  switch (state.at) {
    case 'start':
    case 'failed':
      return '';
    case 'running':
      return 'Running…';
    case 'called off':
      return 'Cancelled: the server has stopped it.';
    case 'answered': {
      const { lines, isCut, milliseconds, rowsRead } = state.answered;
      const rows = `${isCut ? 'the first ' : ''}${lines.length.toLocaleString()} ${lines.length === 1 ? 'row' : 'rows'}`;
      const more = isCut ? '; download it for all of them' : '';
      const read =
        rowsRead === undefined
          ? ''
          : `; ${rowsRead.toLocaleString()} ${rowsRead === 1 ? 'row' : 'rows'} read`;
      return `${rows} in ${(milliseconds / 1000).toFixed(2)} s${read}${more}`;
    }
  }
}
