import { createWriteStream } from 'node:fs';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SourceError } from '../source-error.js';

/** `/spreadsheets/d/<id>` with anything behind it. A published sheet has an id of its own. */
const PAGE =
  /^(\/spreadsheets\/(?:u\/\d+\/)?d\/(e\/)?[\w-]+)(?:\/(?:edit|view|preview|htmlview|pubhtml))?\/?$/;
const BYTES_MAX = 512 * 1024 ** 2;
const PATIENCE_MS = 60_000;

/**
 * The address by which Google sends a sheet as CSV. @param uri the address of its page, whose `gid` says
 * which sheet of several; without one it is the first. @returns undefined for another address
 */
export function sheetExport(uri: string): string | undefined {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  const [, path, published] = PAGE.exec(url.pathname) ?? [];
  if (path === undefined) return undefined;
  const gid = new URLSearchParams(url.hash.slice(1)).get('gid') ?? url.searchParams.get('gid');
  const way = published === undefined ? 'export?format=csv' : 'pub?output=csv&single=true';
  const sheet = gid === null ? '' : `&gid=${encodeURIComponent(gid)}`;
  return `${url.origin}${path}/${way}${sheet}`;
}

/**
 * Writes a sheet as CSV into a file. Google redirects to the sheet. It redirects to a page for
 * people when the sheet is not public.
 * @throws {Error} that says why the sheet cannot be read
 */
export async function downloadSheet(
  url: string,
  headers: Readonly<Record<string, string>>,
  file: string,
): Promise<void> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    (error: unknown) => {
      const { cause = error } = error as Error;
      throw new SourceError(`the sheet's server does not answer: ${(cause as Error).message}`, {
        cause: error,
      });
    },
  );
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !response.body || !type.startsWith('text/csv')) {
    await response.body?.cancel();
    throw new SourceError(refusal(response.status));
  }
  const body = Readable.fromWeb(response.body);
  await pipeline(body, atMost(BYTES_MAX), createWriteStream(file));
}

function refusal(status: number): string {
  if (status === 404 || status === 400)
    return `there is no such sheet, or no sheet of this gid (${status})`;
  if (status === 429 || status >= 500)
    return `the sheet's server cannot send it now (${status}); try again later`;
  return `the sheet is not open to anybody who has its link (${status}): share it so, or publish it`;
}

function atMost(bytes: number): Transform {
  let received = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      received += chunk.length;
      if (received > bytes) done(new Error(`the sheet has more than ${bytes} bytes of CSV`));
      else done(null, chunk);
    },
  });
}
