import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import type { Table } from '../api/schema.js';
import { linkTo } from '../frame/route.js';
import { FirstUpload } from '../upload/first-upload.js';
import { Answer, type Answered } from './answer.js';
import { errorPlace, quotedName, type ErrorPlace } from './error-place.js';
import { asked, remember } from './history.js';
import { runQuery } from './run-query.js';
import { SqlEditor } from './sql-editor.js';

interface Props {
  readonly organization: string;
  readonly tables: readonly Table[];
  /** Of the address; it is run at once. */
  readonly sql: string | undefined;
  readonly mayWrite: boolean;
}

interface Failed {
  readonly message: string;
  readonly place: ErrorPlace | undefined;
}

type State =
  | { readonly at: 'start' }
  | { readonly at: 'running'; readonly rows: number }
  | { readonly at: 'called off' }
  | { readonly at: 'failed'; readonly failed: Failed }
  | { readonly at: 'answered'; readonly answered: Answered };

export function AskPage({ organization, tables, sql, mayWrite }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<SqlEditor>();
  const running = useRef<AbortController>();
  const statement = useRef(sql ?? firstStatement(tables));
  const [state, setState] = useState<State>({ at: 'start' });
  const [history, setHistory] = useState(() => asked(organization));

  const run = async (): Promise<void> => {
    const text = statement.current;
    if (text.trim() === '') return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const begun = performance.now();
    setState({ at: 'running', rows: 0 });
    editor.current?.mark(undefined);
    const tell = (rows: number): void => {
      if (running.current === own) setState({ at: 'running', rows });
    };
    try {
      const result = await runQuery(organization, text, own.signal, tell);
      if (running.current !== own) return;
      const milliseconds = Math.round(performance.now() - begun);
      setState({ at: 'answered', answered: { ...result, sql: text, milliseconds } });
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
  /** The address follows; that it has changed runs the statement, once. */
  const ask = (): void => {
    const link = linkTo({ page: 'ask', ...named(organization), sql: statement.current });
    if (link === location.hash) void run();
    else location.hash = link;
  };

  useEffect(() => {
    if (!place.current) return;
    const made = new SqlEditor(place.current, statement.current, tables, {
      onRun: ask,
      onChange: (text) => {
        statement.current = text;
      },
    });
    editor.current = made;
    return () => {
      running.current?.abort();
      made.close();
    };
  }, []);
  useEffect(() => {
    if (editor.current) editor.current.tables = tables;
  }, [tables]);
  useEffect(() => {
    if (sql === undefined) return;
    statement.current = sql;
    if (editor.current) editor.current.text = sql;
    void run();
  }, [sql]);

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
      <div class="bar">
        <button type="button" class="primary" onClick={ask}>
          Run <kbd>Ctrl Enter</kbd>
        </button>
        <button
          type="button"
          disabled={state.at !== 'running'}
          onClick={() => running.current?.abort()}
        >
          Cancel
        </button>
        <p role="status" class="status">
          {statusOf(state)}
        </p>
      </div>
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
      {state.at === 'answered' && <Answer organization={organization} answered={state.answered} />}
      {history.length > 0 && (
        <details class="history">
          <summary>Asked before ({history.length})</summary>
          <ol>
            {history.map((text) => (
              <li key={text}>
                <button type="button" class="quiet" onClick={() => use(text)}>
                  {text}
                </button>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

const named = (organization: string) => (organization === '' ? {} : { organization });

/** What somebody has uploaded: others, such as the audit trail, are always there. */
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
      return state.rows === 0 ? 'Running…' : `${state.rows.toLocaleString()} rows so far…`;
    case 'called off':
      return 'Cancelled: the server has stopped it.';
    case 'answered': {
      const { lines, isCut, milliseconds } = state.answered;
      const rows = `${isCut ? 'the first ' : ''}${lines.length.toLocaleString()} ${lines.length === 1 ? 'row' : 'rows'}`;
      const more = isCut ? '; download it for all of them' : '';
      return `${rows} in ${(milliseconds / 1000).toFixed(2)} s${more}`;
    }
  }
}
