import type { IncomingMessage } from 'node:http';
import { MillraceError } from '@app/platform';
import { objectsOfLists } from './compact-rows.js';
import { takeLine } from './first-line.js';
import { HEAD_BYTES, isHeadWhole, type InsertStatement } from './insert-statement.js';
import { csvOfTabs } from './tab-separated-rows.js';

const MARK = Buffer.from('\ufeff');
const EVENTS = ['readable', 'end', 'close'] as const;

/**
 * Reads the beginning of an unencoded body, enough for the statement before the rows, however small
 * its pieces are. The bytes are put back, so that the next reader gets the whole body.
 */
export async function beginningOf(request: IncomingMessage): Promise<string> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') return '';
  let begun = Buffer.alloc(0);
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      for (const event of EVENTS) request.off(event, look);
      request.off('error', reject);
      resolve();
    };
    const look = (): void => {
      const piece = request.read() as Buffer | null;
      if (piece !== null) begun = Buffer.concat([begun, piece]);
      text = begun.subarray(0, HEAD_BYTES).toString('utf8');
      const isEnough = request.complete || request.destroyed || begun.length >= HEAD_BYTES;
      // The bytes are kept here until then. If nobody read them from the stream, the server would
      // seem slow, and not the client.
      if (!isEnough && !isHeadWhole(text)) return;
      // The bytes are put back at once, because the stream of a complete body ends when it is
      // empty.
      if (begun.length > 0) request.unshift(begun);
      end();
    };
    for (const event of EVENTS) request.on(event, look);
    request.once('error', reject);
  });
  return text;
}

/**
 * The rows of an INSERT, in the form for acceptance.
 * @param before rows from elsewhere that come first
 * @param skipped bytes of the statement at the body's beginning
 */
export function rowsIn(
  insert: RowsOfInsert,
  before: string,
  skipped: number,
): ((body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>) | undefined {
  const isAsItComes = insert.form === undefined && insert.columns === undefined;
  if (isAsItComes && before === '' && skipped === 0) return undefined;
  return async function* rows(body): AsyncGenerator<Buffer> {
    if (insert.columns && insert.kind === 'csv') yield headerOf(insert.columns);
    yield* inForm(insert, withoutMark(bytesIn(body, before, skipped)));
  };
}

type RowsOfInsert = Pick<InsertStatement, 'kind' | 'form' | 'columns' | 'heads'>;

async function* bytesIn(
  body: AsyncIterable<Buffer>,
  before: string,
  skipped: number,
): AsyncGenerator<Buffer> {
  if (before !== '') yield Buffer.from(before);
  let left = skipped;
  for await (const piece of body) {
    if (left < piece.length) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

/** Leaves the byte order mark out, which would be one of the first name or value. */
async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = Buffer.alloc(0);
  let isBegun = false;
  for await (const piece of bytes) {
    if (isBegun) yield piece;
    else {
      begun = Buffer.concat([begun, piece]);
      isBegun = begun.length >= MARK.length;
      if (isBegun)
        yield begun.subarray(0, MARK.length).equals(MARK) ? begun.subarray(MARK.length) : begun;
    }
  }
  if (!isBegun) yield begun;
}

async function* inForm(
  { form, columns, heads }: RowsOfInsert,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  if (form === undefined) {
    yield* bytes;
    return;
  }
  const names = heads > 0 ? await takeLine(bytes) : undefined;
  const behindNames = names?.rest ?? bytes;
  const rows = heads > 1 ? (await takeLine(behindNames)).rest : behindNames;
  if (form === 'tabs') yield* csvOfTabs(names ? withLine(names.line, rows) : rows);
  else yield* objectsOfLists(rows, columns ?? namesIn(names?.line));
}

async function* withLine(line: Buffer, rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.concat([line, Buffer.from('\n')]);
  yield* rows;
}

/** @throws {MillraceError} MALFORMED_BODY */
function namesIn(line: Buffer | undefined): readonly string[] {
  let names: unknown;
  try {
    names = JSON.parse((line ?? '').toString());
  } catch {
    // It is told below.
  }
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new MillraceError('MALFORMED_BODY', 'the first line is no list of names; send ["a","b"]');
  return names;
}

const headerOf = (columns: readonly string[]): Buffer =>
  Buffer.from(`${columns.map(quoted).join(',')}\n`);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
