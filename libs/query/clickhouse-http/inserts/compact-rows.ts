import { MillraceError } from '@app/platform';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NAME_BYTES_MAX = 256;

const BEGIN = Buffer.from('{');
const END = Buffer.from('}');
const NEXT_ROW = Buffer.from('\n');

/**
 * Writes rows of JSONCompactEachRow, each a list of values, as objects. Values pass as they are.
 * @throws {MillraceError} MALFORMED_BODY, while the rows are read, for a row of another length
 */
export async function* objectsOfLists(
  rows: AsyncIterable<Buffer>,
  columns: readonly string[],
): AsyncGenerator<Buffer> {
  checkNames(columns);
  const writer = new ObjectsOfLists(columns);
  for await (const piece of rows) yield writer.push(piece);
}

/** Names are written into every row: long ones would make much of few bytes. */
function checkNames(columns: readonly string[]): void {
  const long = columns.find((name) => Buffer.byteLength(name) > NAME_BYTES_MAX);
  if (long !== undefined)
    throw new MillraceError('MALFORMED_BODY', `column ${JSON.stringify(`${long.slice(0, 40)}…`)} has a name of more than ${NAME_BYTES_MAX} bytes`); // prettier-ignore
  const seen = new Set<string>();
  for (const name of columns) {
    if (seen.has(name))
      throw new MillraceError('MALFORMED_BODY', `column ${JSON.stringify(name)} is named twice`);
    seen.add(name);
  }
}

class ObjectsOfLists {
  private readonly keys: readonly Buffer[];
  private row = 0;
  private values = 0;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;

  constructor(columns: readonly string[]) {
    this.keys = columns.map((name) => Buffer.from(`${JSON.stringify(name)}:`));
  }

  push(piece: Buffer): Buffer {
    const written: Buffer[] = [];
    let from = 0;
    piece.forEach((byte, at) => {
      const instead = this.instead(byte);
      if (!instead) return;
      written.push(piece.subarray(from, at), ...instead);
      from = at + 1;
    });
    return Buffer.concat([...written, piece.subarray(from)]);
  }

  /** @returns the bytes that stand for this one in an object; undefined: itself */
  private instead(byte: number): readonly Buffer[] | undefined {
    if (this.isInText) {
      this.isInText = byte !== QUOTE || this.isEscaped;
      this.isEscaped = byte === BACKSLASH && !this.isEscaped;
      return undefined;
    }
    if (byte === QUOTE) this.isInText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.depth += 1;
      if (this.depth === 1) return this.beginRow(byte);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      this.depth -= 1;
      if (this.depth <= 0) return this.endRow(byte);
    } else if (byte === COMMA && this.depth <= 1)
      return this.depth === 1 ? [Buffer.from(','), this.nextKey()] : [NEXT_ROW];
    return undefined;
  }

  private beginRow(byte: number): readonly Buffer[] {
    this.row += 1;
    if (byte !== OPEN_LIST) throw this.ofNoList();
    this.values = 0;
    return [BEGIN, this.nextKey()];
  }

  private endRow(byte: number): readonly Buffer[] {
    if (byte !== CLOSE_LIST || this.depth < 0) throw this.ofNoList();
    if (this.values < this.keys.length) throw this.ofOtherLength(`${this.values}`);
    return [END];
  }

  private nextKey(): Buffer {
    const key = this.keys[this.values];
    if (!key) throw this.ofOtherLength('more');
    this.values += 1;
    return key;
  }

  private ofNoList(): MillraceError {
    return new MillraceError('MALFORMED_BODY', `row ${this.row} is no list of values; send [1,"a"]; nothing is stored`); // prettier-ignore
  }

  private ofOtherLength(values: string): MillraceError {
    return new MillraceError(
      'MALFORMED_BODY',
      `row ${this.row} has ${values} values, and ${this.keys.length} columns are named; nothing is stored`,
    );
  }
}
