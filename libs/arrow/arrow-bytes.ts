import type { FileHandle } from 'node:fs/promises';
import { BrokenFileError } from '@app/parquet';
import { FlatTable } from './flat-buffer.js';

/** A schema, a message without its buffers, a footer, or offsets of lists may have so many bytes, because they are held in memory. */
const BYTES_MAX = 64 * 1024 * 1024;
/** This stands before the length of a message; writers before 2019 left it out. */
const CONTINUES = 0xffffffff;

/** This many bytes of a note's name are looked at. */
const NOTE_MAX = 64;

/** The kinds of messages. */
export const HEADER = { schema: 1, dictionary: 2, batch: 3 } as const;

/** The bytes of the file that have been read. */
export class ArrowBytes {
  constructor(
    private readonly handle: FileHandle,
    readonly size: number,
  ) {}

  async bytes(from: number, length: number): Promise<Buffer> {
    if (length > BYTES_MAX) throw new BrokenFileError(`something in it would have ${length} bytes`);
    if (from < 0 || length < 0 || from + length > this.size)
      throw new BrokenFileError('it ends too early');
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await this.handle.read(buffer, 0, length, from);
    if (bytesRead < length) throw new BrokenFileError('it ends too early');
    return buffer;
  }

  async text(from: number, length: number): Promise<string> {
    return (await this.bytes(from, length)).toString('latin1');
  }

  /** @param from the place where the bytes begin, as the patches count. */
  async write(from: number, patches: ReadonlyMap<number, number>): Promise<void> {
    for (const [place, byte] of patches) await this.handle.write(Buffer.from([byte]), 0, 1, from + place); // prettier-ignore
  }
}

export interface ArrowMessage {
  readonly kind: number;
  readonly header: FlatTable;
  /** The place of its table. */
  readonly at: number;
  /** The place of its buffers. */
  readonly body: number;
  /** The place of their end, where the next message begins. */
  readonly end: number;
}

/** @returns undefined at the end. */
export async function messageAt(
  source: ArrowBytes,
  from: number,
): Promise<ArrowMessage | undefined> {
  if (from === source.size) return undefined;
  const first = (await source.bytes(from, 4)).readUInt32LE(0);
  const at = first === CONTINUES ? from + 8 : from + 4;
  const length = first === CONTINUES ? (await source.bytes(from + 4, 4)).readInt32LE(0) : first;
  if (length === 0) {
    if (at !== source.size) throw new BrokenFileError('something follows its end');
    return undefined;
  }
  const message = FlatTable.root(await source.bytes(at, length));
  // pyarrow 0.17 wrote the compression here, before the format had a field for it. The engine would
  // take compressed bytes for values.
  if (message.tables(4).some((note) => note.text(0, NOTE_MAX) === 'ARROW:experimental_compression'))
    throw new BrokenFileError(
      "it is compressed by pyarrow 0.17's own way; write it with a later version",
    );
  const header = message.table(2);
  if (!header) throw new BrokenFileError('a message in it is empty');
  const body = at + length;
  const end = body + Number(message.int64(3));
  if (end < body || end > source.size) throw new BrokenFileError('it ends within a batch');
  return { kind: message.uint8(1), header, at, body, end };
}
