import type { IncomingMessage } from 'node:http';
import type { InsertStatement } from './insert-statement.js';

/** A statement is no longer, up to its rows. */
const HEAD_BYTES = 16 * 1024;
const EVENTS = ['readable', 'end', 'close'] as const;

/**
 * How a body begins that is not encoded: enough of it for the statement before the rows. It is put
 * back, and who reads the body next has it all.
 */
export async function beginningOf(request: IncomingMessage): Promise<string> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') return '';
  const first = await new Promise<Buffer | null>((resolve, reject) => {
    const look = (): void => {
      for (const event of EVENTS) request.off(event, look);
      request.off('error', reject);
      const piece = request.read() as Buffer | null;
      // Before anything else runs: a body that has come whole ends as soon as nothing is left of it.
      if (piece !== null) request.unshift(piece);
      resolve(piece);
    };
    for (const event of EVENTS) request.once(event, look);
    request.once('error', reject);
  });
  if (first === null) return '';
  return first.subarray(0, HEAD_BYTES).toString('utf8');
}

/**
 * The rows of an INSERT, as acceptance reads them.
 * @param before what the rows begin with, from elsewhere
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
