import { CsvCutter, likelyDelimiter, toldBefore } from './cut-csv.js';
import { usageError } from '../exit-code.js';

const HEADER_BYTES_MAX = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

interface CsvSource {
  /** The header is as the file has it, with its line break. */
  readonly header: Buffer;
  readonly delimiter: string;
  /** The whole file, with its header. */
  readonly content: AsyncIterable<Buffer>;
}

/** Reads a CSV's header. @throws {CliError} when there is no end to it */
export async function readHeader(source: AsyncIterable<Buffer>): Promise<CsvSource> {
  const pieces = source[Symbol.asyncIterator]();
  let head: Buffer = NOTHING;
  for (;;) {
    const { value, done } = (await pieces.next()) as IteratorResult<Buffer, undefined>;
    if (!done) head = head.length === 0 ? value : Buffer.concat([head, value]);
    const delimiter = likelyDelimiter(head);
    const end = headerEnd(head, delimiter);
    if (end >= 0 || done)
      return {
        header: end < 0 ? head : head.subarray(0, end),
        delimiter,
        content: continued(head, pieces),
      };
    if (head.length > HEADER_BYTES_MAX)
      throw usageError(`the CSV's header is longer than ${HEADER_BYTES_MAX} bytes`);
  }
}

function headerEnd(head: Buffer, delimiter: string): number {
  const told = toldBefore(head)?.length ?? 0;
  const begin = head.findIndex((byte, at) => at >= told && byte > 0x20);
  if (begin < 0 || head.indexOf('\n', begin) < 0) return -1;
  return new CsvCutter(begin + 1, delimiter.charCodeAt(0)).find(head);
}

async function* continued(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
}
