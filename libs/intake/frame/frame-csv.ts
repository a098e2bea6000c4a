import { MillraceError } from '@app/platform';
import { INNER_BREAK } from '@app/acceptance';
import { likelyDelimiter, toldDelimiter } from '@app/warehouse';
import { CsvFramer } from './csv-framer.js';
import { columnNames } from './csv-header.js';
import { refuseOther } from './other-format.js';

interface FramedCsv {
  readonly delimiter: string;
  /** They are in the order of the fields. */
  readonly columns: readonly string[];
  /** One record a line, without the header; see {@link CsvFramer}. */
  readonly lines: AsyncIterable<Buffer>;
  /** There is no line break in it, so all of it was taken for the header. */
  readonly isOneLine: boolean;
}

const NEWLINE = 0x0a;
const HEADER_BYTES_MAX = 1024 * 1024;
/** No header begins like this, and a JSON body on one line could be mistaken for one. */
const JSON_START = /^\s*(?:\[\s*)?[[{]\s*["{}\]]/;
const JSON_START_BYTES = 100;
const BLANK: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n\v\f\ufeff'));
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a CSV's header and puts each record on a line.
 * @param delimiter one character; undefined: what a line `sep=;` says, or the header has most of
 * @throws {MillraceError} EMPTY_BODY, MALFORMED_BODY at once, MALFORMED_BODY while the lines are read.
 */
export async function frameCsv(
  body: AsyncIterable<Buffer>,
  delimiter: string | undefined,
): Promise<FramedCsv> {
  const pieces = body[Symbol.asyncIterator]();
  const begin = await readFirstLine(pieces);
  const told = toldDelimiter(begin.toString('latin1'));
  const head = begin.subarray(told?.length ?? 0);
  const chosen = delimiter ?? told?.delimiter ?? likelyDelimiter(firstLineOf(head));
  const framer = new CsvFramer(chosen.charCodeAt(0));
  const framed = (async function* (): AsyncGenerator<Buffer> {
    yield framer.push(head);
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next())
      yield framer.push(piece.value);
    framer.end();
  })();
  const { header, rest } = await takeHeader(framed);
  return {
    delimiter: chosen,
    columns: columnNames(header, chosen),
    lines: continued(rest, framed),
    isOneLine: !begin.includes(NEWLINE),
  };
}

/**
 * Reads the bytes up to the line break of the first line that is not blank, and all that came along
 * with them.
 */
async function readFirstLine(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  let bytes = 0;
  let isBlank = true;
  for (let ended = false; !ended && bytes <= HEADER_BYTES_MAX;) {
    const { value, done } = (await pieces.next()) as IteratorResult<Buffer, undefined>;
    if (done) break;
    const begin = isBlank ? value.findIndex((byte) => !BLANK.has(byte)) : 0;
    if (begin >= 0) {
      isBlank = false;
      ended = value.includes(NEWLINE, begin);
    }
    read.push(value);
    bytes += value.length;
  }
  const head = Buffer.concat(read);
  const marked = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const unmarked = marked ? head.subarray(BYTE_ORDER_MARK.length) : head;
  if (unmarked.toString('utf8').trim() === '')
    throw new MillraceError('EMPTY_BODY', 'the body is empty; send CSV with a header row');
  refuseOther(head, '_csv');
  if (JSON_START.test(unmarked.toString('utf8', 0, JSON_START_BYTES)))
    throw new MillraceError(
      'MALFORMED_BODY',
      'the body looks like JSON; send it to _json, or CSV with a header row',
    );
  return unmarked;
}

const firstLineOf = (head: Buffer): string => /[^\r\n]+/.exec(head.toString('utf8'))?.[0] ?? '';

/** The header is the first framed line. */
async function takeHeader(
  framed: AsyncGenerator<Buffer>,
): Promise<{ header: string; rest: Buffer }> {
  let begun: Buffer = Buffer.alloc(0);
  for (;;) {
    const { value, done } = (await framed.next()) as IteratorResult<Buffer, undefined>;
    if (done) return { header: textOf(begun), rest: Buffer.alloc(0) };
    begun = Buffer.concat([begun, value]);
    const end = begun.indexOf(NEWLINE);
    if (end >= 0) return { header: textOf(begun.subarray(0, end)), rest: begun.subarray(end + 1) };
    if (begun.length > HEADER_BYTES_MAX)
      throw new MillraceError(
        'MALFORMED_BODY',
        `malformed CSV: the header is longer than ${HEADER_BYTES_MAX} bytes`,
      );
  }
}

function textOf(line: Buffer): string {
  const text = Buffer.from(line.map((byte) => (byte === INNER_BREAK ? 0x20 : byte)));
  return text.toString('utf8').replace(/\r$/, '');
}

async function* continued(rest: Buffer, framed: AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  if (rest.length > 0) yield rest;
  yield* framed;
}
