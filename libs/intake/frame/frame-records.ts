import { MillraceError } from '@app/platform';
import { refuseOther } from './other-format.js';
import { RecordFramer, type Container } from './record-framer.js';

/**
 * The unit that a number in a message about a record counts: lines of NDJSON, records of an array,
 * or rows of a table.
 */
export type RecordUnit = 'line' | 'record' | 'row';

interface FramedRecords {
  /** One record a line. */
  readonly lines: AsyncIterable<Buffer>;
  readonly unit: RecordUnit;
}

/** A longer first line is taken for a record of NDJSON without parsing it. */
const FIRST_LINE_MAX = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Finds out how a JSON body holds its records (an array, NDJSON, or objects that span lines) and
 * puts each on a line.
 * @throws {MillraceError} EMPTY_BODY at once, MALFORMED_BODY while the lines are read.
 */
export async function frameRecords(body: AsyncIterable<Buffer>): Promise<FramedRecords> {
  const pieces = body[Symbol.asyncIterator]();
  const head = await readHead(pieces);
  refuseOther(head, '_json');
  const container = containerOf(head);
  const rest = (async function* (): AsyncIterable<Buffer> {
    yield head;
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next())
      yield piece.value;
  })();
  return container === 'lines'
    ? { lines: rest, unit: 'line' }
    : { lines: framed(rest, container), unit: container === 'array' ? 'record' : 'line' };
}

/**
 * Does the same for a complete body in memory. A stream of it would take ten times as long, which
 * counts where each record is a body of its own.
 * @returns one record a line; a view of the body, where its lines stay as they are
 * @throws {MillraceError} EMPTY_BODY, MALFORMED_BODY
 */
export function frameWhole(body: Buffer): Buffer {
  const head = begun(body);
  refuseOther(head, '_json');
  const container = containerOf(head);
  if (container === 'lines') return head;
  const framer = new RecordFramer(container);
  // The framer changes its input.
  const lines = framer.push(Buffer.from(head));
  framer.end();
  return lines;
}

async function* framed(body: AsyncIterable<Buffer>, container: Container): AsyncIterable<Buffer> {
  const framer = new RecordFramer(container);
  for await (const piece of body) yield framer.push(piece);
  framer.end();
}

/**
 * Reads until the second line has begun, which distinguishes NDJSON from an object that spans
 * lines.
 */
async function readHead(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const { value, done } = (await pieces.next()) as IteratorResult<Buffer, undefined>;
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
    const first = firstVisible(head, 0);
    if (head[first] === 0x5b) break;
    const newline = head.indexOf('\n', first);
    if (first < head.length && newline >= 0 && firstVisible(head, newline) < head.length) break;
    if (head.length > FIRST_LINE_MAX) break;
  }
  return begun(head);
}

/** Leaves a byte order mark out. @throws {MillraceError} EMPTY_BODY */
function begun(body: Buffer): Buffer {
  const isMarked = BYTE_ORDER_MARK.every((byte, at) => body[at] === byte);
  const head = isMarked ? body.subarray(BYTE_ORDER_MARK.length) : body;
  if (firstVisible(head, 0) === head.length) {
    throw new MillraceError(
      'EMPTY_BODY',
      'the body is empty; send a JSON array of objects, one object, or NDJSON',
    );
  }
  return head;
}

function containerOf(head: Buffer): Container | 'lines' {
  const first = firstVisible(head, 0);
  if (head[first] === 0x5b) return 'array';
  const newline = head.indexOf('\n', first);
  if (newline < 0 || head[first] !== 0x7b) return 'lines';
  const second = firstVisible(head, newline);
  const secondBeginsRecord = second === head.length || head[second] === 0x7b;
  return secondBeginsRecord || isJson(head.toString('utf8', first, newline)) ? 'lines' : 'objects';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The index of the first byte from there on that is not blank; the end if all are blank. */
export function firstVisible(bytes: Buffer, from: number): number {
  let at = from;
  // A callback for each byte would take six times as long.
  while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at += 1;
  return at;
}
