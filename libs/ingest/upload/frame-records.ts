import { MillraceError } from '@app/platform';

const [QUOTE, BACKSLASH, COMMA, NEWLINE, SPACE] = [0x22, 0x5c, 0x2c, 0x0a, 0x20];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const isBlank = (byte: number): boolean => byte === SPACE || byte === NEWLINE || byte === 0x0d || byte === 0x09;

/**
 * Puts each element of a JSON array, or each of several objects in a row, on a line of its own.
 * Looks at nothing but quotes, brackets and commas: whether an element is valid is found later.
 * Works in place: the output of a piece is never longer than the piece.
 */
export class RecordFramer {
  private depth = 0;
  private inText = false;
  private escaped = false;
  /** In an array: an element has begun and not ended. Between objects: never. */
  private inElement = false;
  private state: 'start' | 'elements' | 'after-comma' | 'done' = 'start';
  private offset = 0;
  private elementOffset = 0;

  constructor(private readonly container: 'array' | 'objects') {
    if (container === 'objects') this.state = 'elements';
  }

  /** @returns the piece's share of lines; a view of the piece, overwritten. */
  push(piece: Buffer): Buffer {
    let write = 0;
    for (let read = 0; read < piece.length; read += 1) {
      const byte = piece[read] ?? 0;
      this.offset += 1;
      const out = this.inText ? this.text(byte) : this.structure(byte);
      if (out !== undefined) piece[write++] = out;
    }
    return piece.subarray(0, write);
  }

  /** @throws {MillraceError} when the body ended in the middle. */
  end(): void {
    if (this.inText || this.depth > (this.container === 'array' ? 1 : 0) || this.inElement) {
      throw malformed(`the record that begins at byte ${this.elementOffset} never ends`);
    }
    if (this.container === 'array' && this.state !== 'done') throw malformed('the array never ends: "]" is missing');
  }

  private text(byte: number): number {
    if (byte === NEWLINE) throw malformed(`line break inside a text at byte ${this.offset}; write \\n`);
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inText = false;
    return byte;
  }

  /** @returns the byte to write, if any. */
  private structure(byte: number): number | undefined {
    const top = this.container === 'array' ? 1 : 0;
    if (this.state === 'done') {
      if (isBlank(byte)) return undefined;
      throw malformed(`unexpected ${show(byte)} at byte ${this.offset}, after the end of the array`);
    }
    if (this.state === 'start') {
      if (isBlank(byte)) return undefined;
      this.state = 'after-comma';
      this.depth = 1;
      return undefined;
    }
    if (isBlank(byte)) return this.inElement ? SPACE : undefined;
    if (this.depth === top && byte === COMMA && this.container === 'array') return this.comma();
    if (this.depth === top && byte === CLOSE_ARRAY && this.container === 'array') return this.close();
    return this.element(byte, top);
  }

  private comma(): number {
    if (this.state === 'after-comma') throw malformed(`unexpected "," at byte ${this.offset}`);
    this.state = 'after-comma';
    this.inElement = false;
    return NEWLINE;
  }

  private close(): number | undefined {
    if (this.state === 'after-comma' && this.elementOffset > 0) {
      throw malformed(`unexpected "]" at byte ${this.offset}, after a comma`);
    }
    this.state = 'done';
    const last = this.inElement || this.elementOffset > 0;
    this.inElement = false;
    return last ? NEWLINE : undefined;
  }

  private element(byte: number, top: number): number | undefined {
    if (!this.inElement) {
      if (this.container === 'objects' && byte !== OPEN_OBJECT) {
        throw malformed(`unexpected ${show(byte)} at byte ${this.offset}, where an object should begin`);
      }
      this.inElement = true;
      this.elementOffset = this.offset;
      this.state = 'elements';
    }
    if (byte === QUOTE) this.inText = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.depth += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      this.depth -= 1;
      if (this.depth < top) throw malformed(`unexpected ${show(byte)} at byte ${this.offset}`);
    }
    return byte;
  }

  /** Between objects there is no comma to become a line break: the caller adds one after each. */
  get betweenObjects(): boolean {
    return this.container === 'objects' && this.depth === 0 && !this.inText;
  }
}

const show = (byte: number): string => JSON.stringify(String.fromCharCode(byte));

function malformed(message: string): MillraceError {
  return new MillraceError('MALFORMED_BODY', `malformed JSON: ${message}`);
}
