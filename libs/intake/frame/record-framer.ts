import { MillraceError } from '@app/platform';

const [QUOTE, BACKSLASH, COMMA, NEWLINE, SPACE] = [0x22, 0x5c, 0x2c, 0x0a, 0x20];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const isBlank = (byte: number): boolean =>
  byte === SPACE || byte === NEWLINE || byte === 0x0d || byte === 0x09;
const show = (byte: number): string => JSON.stringify(String.fromCharCode(byte));

/** The container of a body's records: one array, or objects in a row that may span lines. */
export type Container = 'array' | 'objects';

/**
 * Puts each record of a container on a line of its own. It looks only at quotes, brackets and
 * commas: acceptance checks later, record by record, whether each is valid JSON. Works in place: a
 * piece's output is never longer than the piece.
 */
export class RecordFramer {
  /** The depth at which a record begins and ends. */
  private readonly top: number;
  private depth = 0;
  private inText = false;
  private escaped = false;
  /** The kind of token that may come next at the top level. */
  private expected: 'container' | 'first' | 'record' | 'separator' | 'spaced separator' | 'nothing';
  /** The number of bytes so far, for messages. */
  private offset = 0;
  private recordOffset = 0;

  constructor(container: Container) {
    this.top = container === 'array' ? 1 : 0;
    this.expected = container === 'array' ? 'container' : 'first';
  }

  /** @returns the piece's share of lines: a view of the piece, overwritten. @throws {MillraceError} */
  push(piece: Buffer): Buffer {
    let length = 0;
    for (const byte of piece) {
      this.offset += 1;
      const out = this.inText ? this.text(byte) : this.structure(byte);
      if (out !== undefined) piece[length++] = out;
    }
    return piece.subarray(0, length);
  }

  /** @throws {MillraceError} when the body ended in the middle of something. */
  end(): void {
    if (this.inText || this.depth > this.top) {
      throw malformed(`the record that begins at byte ${this.recordOffset} never ends`);
    }
    if (this.top === 1 && this.expected !== 'nothing') {
      throw malformed('the array never ends: "]" is missing');
    }
  }

  private text(byte: number): number {
    if (byte === NEWLINE)
      throw malformed(`line break inside a text at byte ${this.offset}; write \\n`);
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inText = false;
    return byte;
  }

  /** @returns the byte to write, if any. */
  private structure(byte: number): number | undefined {
    if (this.depth > this.top) return this.inside(byte);
    if (this.top === 1) return this.betweenElements(byte);
    return this.betweenObjects(byte);
  }

  private inside(byte: number): number {
    if (byte === QUOTE) this.inText = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.depth += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) this.depth -= 1;
    return byte === NEWLINE || byte === 0x0d ? SPACE : byte;
  }

  private betweenElements(byte: number): number | undefined {
    if (isBlank(byte)) {
      if (this.expected === 'separator') this.expected = 'spaced separator';
      return undefined;
    }
    const afterRecord = this.expected === 'separator' || this.expected === 'spaced separator';
    if (this.expected === 'container') {
      this.expected = 'first';
      this.depth = 1;
      return undefined;
    }
    if (this.expected === 'nothing') throw this.unexpected(byte, 'after the end of the array');
    if (byte === CLOSE_ARRAY) {
      if (this.expected === 'record') throw this.unexpected(byte, 'after a comma');
      this.expected = 'nothing';
      return afterRecord ? NEWLINE : undefined;
    }
    if (byte === COMMA) {
      if (!afterRecord) throw this.unexpected(byte, 'where a record should begin');
      this.expected = 'record';
      return NEWLINE;
    }
    // A number, true or null continues until a blank. Before a text or an object that follows a
    // record, there must be a comma.
    const begins = byte === QUOTE || byte === OPEN_OBJECT || byte === OPEN_ARRAY;
    if (this.expected === 'spaced separator' || (this.expected === 'separator' && begins)) {
      throw this.unexpected(byte, 'where "," or "]" should follow');
    }
    return this.begin(byte);
  }

  private betweenObjects(byte: number): number | undefined {
    if (isBlank(byte)) {
      if (this.expected !== 'separator') return undefined;
      this.expected = 'record';
      return NEWLINE;
    }
    if (byte !== OPEN_OBJECT || this.expected === 'separator') {
      throw this.unexpected(byte, 'where a line break and an object should follow');
    }
    return this.begin(byte);
  }

  private begin(byte: number): number {
    if (this.expected !== 'separator') this.recordOffset = this.offset;
    this.expected = 'separator';
    if (byte === CLOSE_OBJECT) throw this.unexpected(byte, 'where a record should begin');
    return this.inside(byte);
  }

  private unexpected(byte: number, where: string): MillraceError {
    return malformed(`unexpected ${show(byte)} at byte ${this.offset}, ${where}`);
  }
}

function malformed(message: string): MillraceError {
  return new MillraceError('MALFORMED_BODY', `malformed JSON: ${message}`);
}
