import { apiOf, request } from '../api/request.js';

/** What the grid holds. More is told, and can be downloaded. */
export const ROWS_MAX = 100_000;
/** Of the answer's text, so that wide rows do not take all memory. */
const LETTERS_MAX = 200_000_000;
const TELL_MS = 100;

export interface Result {
  /** One JSON object each, as the server wrote it. */
  readonly lines: readonly string[];
  /** Whether there were more rows than are held. */
  readonly isCut: boolean;
}

/**
 * Rows of a statement, as they come. A query that is called off, or whose rows are enough, is
 * called off on the server by hanging up.
 * @param tell called now and then with the number of rows so far
 * @throws {ApiFailure} @throws {DOMException} AbortError when `signal` calls it off
 */
export async function runQuery(
  organization: string,
  sql: string,
  signal: AbortSignal,
  tell: (rows: number) => void,
): Promise<Result> {
  const hangUp = new AbortController();
  const response = await request(`${apiOf(organization)}/sql`, {
    method: 'POST',
    body: sql,
    accept: 'application/x-ndjson',
    signal: AbortSignal.any([signal, hangUp.signal]),
  });
  const lines: string[] = [];
  if (!response.body) return { lines, isCut: false };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let letters = 0;
  let told = performance.now();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    letters += value.length;
    const pieces = (rest + value).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) if (piece !== '') lines.push(piece);
    if (lines.length > ROWS_MAX || letters > LETTERS_MAX) {
      hangUp.abort();
      return { lines: lines.slice(0, ROWS_MAX), isCut: true };
    }
    if (performance.now() - told > TELL_MS) {
      told = performance.now();
      tell(lines.length);
    }
  }
  if (rest !== '') lines.push(rest);
  return { lines, isCut: false };
}
