import { MillraceError } from '@app/platform';

const NEWLINE = 0x0a;
const BYTES_MAX = 1024 * 1024;

/**
 * Takes the first line off, without its line break.
 * @throws {MillraceError} MALFORMED_BODY for one that is longer than a mebibyte
 */
export async function takeLine(
  rows: AsyncIterable<Buffer>,
): Promise<{ readonly line: Buffer; readonly rest: AsyncIterable<Buffer> }> {
  const pieces = rows[Symbol.asyncIterator]();
  let begun = Buffer.alloc(0);
  let end = -1;
  while (end < 0 && begun.length <= BYTES_MAX) {
    const next = await pieces.next();
    if (next.done) break;
    begun = Buffer.concat([begun, next.value]);
    end = begun.indexOf(NEWLINE);
  }
  if (end < 0 && begun.length > BYTES_MAX)
    throw new MillraceError('MALFORMED_BODY', `the first line is longer than ${BYTES_MAX} bytes`);
  const line = end < 0 ? begun : begun.subarray(0, end);
  const behind = end < 0 ? Buffer.alloc(0) : begun.subarray(end + 1);
  return { line, rest: continued(behind, pieces) };
}

async function* continued(behind: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (behind.length > 0) yield behind;
  yield* { [Symbol.asyncIterator]: () => pieces };
}
