import { MillraceError } from '@app/platform';

const [QUOTE, NEWLINE, RETURN] = [0x22, 0x0a, 0x0d];

/**
 * What stands for a line break within a quoted field while each record is on a line of its own: a
 * byte that no UTF-8 has.
 */
export const INNER_BREAK = 0xff;

/**
 * Puts each record of a CSV text on one line: line breaks within quotes become
 * {@link INNER_BREAK}, blank lines go. Looks at nothing but quotes, delimiters and line breaks.
 * Works in place: a piece's output is never longer than the piece.
 */
export class CsvFramer {
  private state: 'record' | 'field' | 'plain' | 'quoted' | 'quote' = 'record';
  /** Of the record in work, from 1; the header is 1. */
  private record = 1;

  constructor(private readonly delimiter: number) {}

  /** @returns the piece's share of lines: a view of the piece, overwritten. @throws {MillraceError} */
  push(piece: Buffer): Buffer {
    let length = 0;
    for (const byte of piece) {
      if (byte === INNER_BREAK)
        throw malformed(
          `record ${this.record} is not UTF-8; convert the file, for example with iconv`,
        );
      const out = this.state === 'quoted' ? this.quoted(byte) : this.plain(byte);
      if (out !== undefined) piece[length++] = out;
    }
    return piece.subarray(0, length);
  }

  /** @throws {MillraceError} when the text ended within quotes. */
  end(): void {
    if (this.state === 'quoted')
      throw malformed(`a quoted field of record ${this.record} never ends: '"' is missing`);
  }

  private quoted(byte: number): number {
    if (byte === QUOTE) this.state = 'quote';
    return byte === NEWLINE ? INNER_BREAK : byte;
  }

  private plain(byte: number): number | undefined {
    if (this.state === 'record' && (byte === NEWLINE || byte === RETURN)) return undefined;
    if (byte === NEWLINE) {
      this.state = 'record';
      this.record += 1;
    } else if (byte === this.delimiter) this.state = 'field';
    else if (byte === QUOTE && this.state !== 'plain') this.state = 'quoted';
    else if (byte !== RETURN) this.state = 'plain';
    return byte;
  }
}

function malformed(message: string): MillraceError {
  return new MillraceError('MALFORMED_BODY', `malformed CSV: ${message}`);
}
