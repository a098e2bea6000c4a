import { apiOf, request } from '../api/request.js';

export const DOWNLOADS = {
  csv: { title: 'CSV', type: 'text/csv' },
  ndjson: { title: 'NDJSON', type: 'application/x-ndjson' },
  parquet: { title: 'Parquet', type: 'application/parquet' },
} as const;
export type DownloadFormat = keyof typeof DOWNLOADS;

/** Asks once more, for all rows in this format, and gives them to the browser as a file. */
export async function download(
  organization: string,
  sql: string,
  format: DownloadFormat,
  signal: AbortSignal,
): Promise<void> {
  const response = await request(`${apiOf(organization)}/sql`, {
    method: 'POST',
    body: sql,
    accept: DOWNLOADS[format].type,
    signal,
  });
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `millrace.${format}`;
  link.click();
  // Not at once: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
