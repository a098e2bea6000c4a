import type { AnswerFormat } from '../warehouse.js';

/** The engine formats every block of a stream as a document of its own; these make one of them. */
interface ChunkJoiner {
  /** Bytes to send for this chunk. */
  next(chunk: Buffer, rows: number): Buffer[];
  /** Bytes that end the document. */
  end(): Buffer[];
}

/** Formats with an index at their end, which cannot be joined from blocks. */
export function isWholeFile(format: AnswerFormat): boolean {
  return format === 'arrow-file' || format === 'parquet';
}

const ARRAY_OPEN = Buffer.from('[\n');
const ARRAY_CLOSE = Buffer.from('\n]\n');
const FIRST_ROW = Buffer.from('[\n{');
const EMPTY_ARRAY = Buffer.from('[]\n');
const BETWEEN_ROWS = Buffer.from(',\n');
/** Copying fewer bytes is cheaper than sending two pieces. */
const COPIED_MAX = 64 * 1024;

/** Converts one document of the engine to the result that joining its blocks would have. */
export function wholeDocument(format: AnswerFormat, document: Buffer): Buffer {
  if (format !== 'json') return document;
  // The engine may write the brackets of an empty answer with totals in any order.
  const hasRows = document.subarray(0, FIRST_ROW.length).equals(FIRST_ROW);
  return hasRows ? document : EMPTY_ARRAY;
}

/** A block is `[\n<rows>\n]\n`: the brackets go, a comma comes between. */
class JsonArrayJoiner implements ChunkJoiner {
  private begun = false;

  next(chunk: Buffer, rows: number): Buffer[] {
    if (rows === 0) return [];
    const body = chunk.subarray(ARRAY_OPEN.length, chunk.length - ARRAY_CLOSE.length);
    const before = this.begun ? BETWEEN_ROWS : ARRAY_OPEN;
    this.begun = true;
    return body.length < COPIED_MAX ? [Buffer.concat([before, body])] : [before, body];
  }

  end(): Buffer[] {
    return this.begun ? [ARRAY_CLOSE] : [EMPTY_ARRAY];
  }
}

/**
 * Every block repeats the header of the first one. A block without rows, which has the totals, has it
 * at its end.
 */
class HeaderJoiner implements ChunkJoiner {
  private headerLength: number | undefined;

  constructor(private readonly endOfHeader: (chunk: Buffer) => number) {}

  next(chunk: Buffer, rows: number): Buffer[] {
    const { headerLength } = this;
    if (headerLength !== undefined) {
      return [
        rows > 0
          ? chunk.subarray(headerLength)
          : chunk.subarray(0, Math.max(0, chunk.length - headerLength)),
      ];
    }
    this.headerLength = this.endOfHeader(chunk);
    return [chunk];
  }

  end(): Buffer[] {
    return [];
  }
}

/** Stands before the length of each message; a length of 0 ends the stream. */
const ARROW_MARK_BYTES = 8;
const ARROW_END = Buffer.from('ffffffff00000000', 'hex');

/**
 * Every block is a stream of its own: schema, batches, end. The first block's schema is used for
 * all.
 */
class ArrowJoiner implements ChunkJoiner {
  private begun = false;

  next(chunk: Buffer): Buffer[] {
    const schema = ARROW_MARK_BYTES + chunk.readInt32LE(ARROW_MARK_BYTES / 2);
    const start = this.begun ? schema : 0;
    this.begun = true;
    return [chunk.subarray(start, chunk.length - ARROW_END.length)];
  }

  end(): Buffer[] {
    return [ARROW_END];
  }
}

class PlainJoiner implements ChunkJoiner {
  next(chunk: Buffer): Buffer[] {
    return [chunk];
  }

  end(): Buffer[] {
    return [];
  }
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** The length of the first row with its newline; a newline inside quotes does not end it. */
function endOfCsvRow(chunk: Buffer): number {
  let quoted = false;
  for (let at = 0; at < chunk.length; at += 1) {
    if (chunk[at] === QUOTE) quoted = !quoted;
    else if (chunk[at] === NEWLINE && !quoted) return at + 1;
  }
  return chunk.length;
}

/** Names and types. Lines of JSON contain no newline. */
const endOfTwoLines = (chunk: Buffer): number =>
  chunk.indexOf(NEWLINE, chunk.indexOf(NEWLINE) + 1) + 1;

export function chunkJoiner(format: AnswerFormat): ChunkJoiner {
  if (format === 'json') return new JsonArrayJoiner();
  if (format === 'csv') return new HeaderJoiner(endOfCsvRow);
  if (format === 'JSONCompactEachRowWithNamesAndTypes') return new HeaderJoiner(endOfTwoLines);
  if (format === 'arrow-stream') return new ArrowJoiner();
  return new PlainJoiner();
}
