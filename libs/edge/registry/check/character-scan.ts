import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { BrokenFileError } from '@app/parquet';

const PIECE_BYTES = 1024 ** 2;

/** @throws {BrokenFileError} where the file is not UTF-8 */
export async function checkCharacters(file: string): Promise<void> {
  const characters = new CharacterScan();
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES }))
    characters.take(piece as Buffer);
  characters.end();
}

const NO_UTF8 = 'it is not written as UTF-8: write it so';
/** The first bytes of files that are no text of UTF-8. */
const OTHERS: readonly (readonly [start: Buffer, reason: string])[] = [
  [Buffer.from([0xff, 0xfe]), 'it is UTF-16: write it as UTF-8'],
  [Buffer.from([0xfe, 0xff]), 'it is UTF-16: write it as UTF-8'],
  [Buffer.from([0x1f, 0x8b]), 'it is compressed by gzip: give its name the ending .gz'],
  [
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    'it is compressed by zstd: give its name the ending .zst',
  ],
  [Buffer.from('PK\u0003\u0004'), 'it is a ZIP file, or a workbook: unpack it, or say format=xlsx'],
];

/** Looks whether all bytes are characters of UTF-8. @throws {BrokenFileError} where they are not */
export class CharacterScan {
  private isFirst = true;
  /** Bytes of a character that the next piece may end. */
  private begun = Buffer.alloc(0);

  take(piece: Buffer): void {
    if (this.isFirst) refuseOthers(piece);
    this.isFirst = false;
    const bytes = this.begun.length === 0 ? piece : Buffer.concat([this.begun, piece]);
    const whole = bytes.length - begunAtEnd(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) throw new BrokenFileError(NO_UTF8);
    this.begun = Buffer.from(bytes.subarray(whole));
  }

  end(): void {
    if (this.begun.length > 0) throw new BrokenFileError(NO_UTF8);
  }
}

function refuseOthers(piece: Buffer): void {
  // Nobody begins a text of UTF-8 with such bytes.
  if (piece.length > 1 && (piece[0] === 0) !== (piece[1] === 0))
    throw new BrokenFileError('it is UTF-16: write it as UTF-8');
  for (const [start, reason] of OTHERS)
    if (piece.subarray(0, start.length).equals(start)) throw new BrokenFileError(reason);
}

const CHARACTER_MAX = 4;

/** The number of bytes at the end that begin a character and do not end it. */
function begunAtEnd(bytes: Buffer): number {
  for (let back = 1; back < CHARACTER_MAX && back <= bytes.length; back += 1) {
    const byte = bytes.readUInt8(bytes.length - back);
    // Not the first byte of a character.
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
