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
  const begun: Buffer[] = [];
  let [length, end] = [0, -1];
  // Pieces may be as short as a byte, so none is looked at twice.
  while (end < 0 && length <= BYTES_MAX) {
    const next = await pieces.next();
    if (next.done) break;
    const found = next.value.indexOf(NEWLINE);
    end = found < 0 ? -1 : length + found;
    begun.push(next.value);
    length += next.value.length;
  }
  if (end < 0 && length > BYTES_MAX)
    throw new MillraceError('MALFORMED_BODY', `the first line is longer than ${BYTES_MAX} bytes`);
  const all = Buffer.concat(begun);
  const line = end < 0 ? all : all.subarray(0, end);
  const behind = end < 0 ? Buffer.alloc(0) : all.subarray(end + 1);
  return { line, rest: continued(behind, pieces) };
}

async function* continued(behind: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (behind.length > 0) yield behind;
  yield* { [Symbol.asyncIterator]: () => pieces };
}
