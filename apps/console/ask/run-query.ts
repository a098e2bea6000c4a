import { ApiFailure, apiOf, request } from '../api/request.js';
import { spanOf } from '../time/time-range.js';

/** The grid holds so many rows. Where there are more the page says so, and they can be downloaded. */
export const ROWS_MAX = 100_000;
/** The answer's text has a bound, so that wide rows do not take all memory. */
const LETTERS_MAX = 200_000_000;
const TELL_MS = 100;
/**
 * The server answers this with rows as NDJSON, and lines between them that tell how far the query
 * is.
 */
const WITH_PROGRESS = 'application/vnd.millrace.progress+ndjson';
const ROW = '{"row":';

/** A statement is asked in one organization. */
export interface Question {
  readonly organization: string;
  readonly sql: string;
  /** It bounds the times of records, as {@link timesOf} gives it; it is empty for all. */
  readonly times: string;
}

/** This much of an answer has come so far. */
export interface Progress {
  readonly rows: number;
  /** The engine has read so many rows of its tables; it is undefined until the engine has told. */
  readonly rowsRead: number | undefined;
}

export interface Result {
  /** Each line is a JSON object, as the server wrote it. */
  readonly lines: readonly string[];
  /** It is true where there were more rows than are held. */
  readonly isCut: boolean;
  readonly rowsRead: number | undefined;
}

/** Writes the times that a range of the page means now, as parameters of a query's address. */
export function timesOf(range: string): string {
  const span = range === 'all' ? undefined : spanOf(range, Date.now());
  if (!span) return '';
  const { start, end } = span;
  return `?${start === undefined ? '' : `start_time=${start * 1000}&`}end_time=${end * 1000}`;
}

interface Told {
  readonly rows_read: number;
}

/** A line that is no row. */
interface Word {
  readonly progress?: Told;
  readonly statistics?: Told;
  readonly error?: { readonly code: number; readonly message: string };
}

/**
 * Reads the rows of a statement as they come. A query that somebody cancels, or whose rows are
 * enough, ends on the server because the page hangs up.
 * @param tell is called now and then
 * @throws {ApiFailure}
 * @throws {DOMException} AbortError when `signal` ends it
 * @throws {TypeError} when the answer was cut off
 */
export async function runQuery(
  { organization, sql, times }: Question,
  signal: AbortSignal,
  tell: (progress: Progress) => void,
): Promise<Result> {
  const hangUp = new AbortController();
  const response = await request(`${apiOf(organization)}/sql${times}`, {
    method: 'POST',
    body: sql,
    accept: WITH_PROGRESS,
    signal: AbortSignal.any([signal, hangUp.signal]),
  });
  const lines: string[] = [];
  let rowsRead: number | undefined;
  let isWhole = false;
  const take = (line: string): void => {
    if (line.startsWith(ROW)) {
      lines.push(line.slice(ROW.length, -1));
      return;
    }
    const { progress, statistics, error } = JSON.parse(line) as Word;
    if (error)
      throw new ApiFailure(error.code, error.message, response.headers.get('X-Request-Id') ?? '');
    rowsRead = (statistics ?? progress)?.rows_read ?? rowsRead;
    isWhole ||= statistics !== undefined;
  };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let letters = 0;
  let told = performance.now();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    letters += value.length;
    const pieces = (rest + value).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) take(piece);
    if (lines.length > ROWS_MAX || letters > LETTERS_MAX) {
      hangUp.abort();
      return { lines: lines.slice(0, ROWS_MAX), isCut: true, rowsRead };
    }
    if (performance.now() - told > TELL_MS) {
      told = performance.now();
      tell({ rows: lines.length, rowsRead });
    }
  }
  if (!isWhole) throw new TypeError('the answer was cut off');
  return { lines, isCut: false, rowsRead };
}
