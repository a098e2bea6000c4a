import { apiOf, NotSent, request } from '../api/request.js';
import type { Question } from './run-query.js';

export const FORMATS = {
  csv: { title: 'CSV', type: 'text/csv', isText: true },
  ndjson: { title: 'NDJSON', type: 'application/x-ndjson', isText: true },
  parquet: { title: 'Parquet', type: 'application/parquet', isText: false },
} as const;
export type Format = keyof typeof FORMATS;

/** Asks once more, for all rows in this format, and gives them to the browser as a file. */
export async function download(
  question: Question,
  format: Format,
  signal: AbortSignal,
): Promise<void> {
  const url = URL.createObjectURL(await fetchAs(question, format, signal));
  const link = document.createElement('a');
  link.href = url;
  link.download = `millrace.${format}`;
  link.click();
  // The browser reads the URL after the click, so the URL must not be revoked at once.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Asks once more for the clipboard. The text is promised at once, because a browser lets a page
 * copy only while somebody clicks.
 * @throws {ApiFailure}
 * @throws {NotSent} where the browser has no clipboard for this page, as without TLS
 */
export async function copy(question: Question, format: Format, signal: AbortSignal): Promise<void> {
  const text = fetchAs(question, format, signal).then(
    async (blob) => new Blob([await blob.text()], { type: 'text/plain' }),
  );
  text.catch(() => undefined);
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
  } catch {
    await text;
    throw new NotSent('The browser does not let this page copy. Download it instead.');
  }
}

async function fetchAs(
  { organization, sql, times }: Question,
  format: Format,
  signal: AbortSignal,
): Promise<Blob> {
  const response = await request(`${apiOf(organization)}/sql${times}`, {
    method: 'POST',
    body: sql,
    accept: FORMATS[format].type,
    signal,
  });
  return response.blob();
}
