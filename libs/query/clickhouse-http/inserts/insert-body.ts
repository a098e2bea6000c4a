import type { IncomingMessage } from 'node:http';
import { HEAD_BYTES, isHeadWhole, type InsertStatement } from './insert-statement.js';

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
  { columns }: Pick<InsertStatement, 'columns'>,
  before: string,
  skipped: number,
): ((body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>) | undefined {
  const header = columns ? `${columns.map(quoted).join(',')}\n` : '';
  if (header === '' && before === '' && skipped === 0) return undefined;
  return async function* rows(body): AsyncGenerator<Buffer> {
    if (header + before !== '') yield Buffer.from(header + before);
    let left = skipped;
    for await (const piece of body) {
      if (left < piece.length) yield piece.subarray(left);
      left = Math.max(0, left - piece.length);
    }
  };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
