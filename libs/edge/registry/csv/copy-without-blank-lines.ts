import { createReadStream, createWriteStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { COMPRESSED } from '../../sources/engine-format.js';
import { SourceError } from '../../sources/source-error.js';
import { withoutBlankLines } from './blank-lines.js';

/** The bytes that may still be written. */
export interface Room {
  bytes: number;
}

/**
 * Copies a file of CSV without its blank lines.
 * @param delimiter one byte
 * @param room becomes smaller by what is written
 * @throws {SourceError} where there is no room, or the file is packed in a way that is not read here
 */
export async function copyWithoutBlankLines(
  file: string,
  target: string,
  delimiter: string,
  room: Room,
): Promise<void> {
  const ending = extname(file).slice(1);
  if (COMPRESSED.includes(ending) && ending !== 'gz')
    throw new SourceError(`it has blank lines, and is packed by ${ending}: unpack it, or pack it by gzip`); // prettier-ignore
  const lines = (pieces: AsyncIterable<Buffer>) =>
    withoutBlankLines(pieces, delimiter.charCodeAt(0));
  async function* bounded(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const most = room.bytes;
    for await (const piece of pieces) {
      room.bytes -= piece.length;
      if (room.bytes < 0)
        throw new SourceError(
          `${basename(file)} has blank lines, and a copy without them takes more than ${most} bytes, for which there is no room in the temporary folder: take them out of the file, or give TMPDIR a larger disk`,
        );
      yield piece;
    }
  }
  const [from, to] = [createReadStream(file), createWriteStream(target)];
  if (ending === 'gz')
    await pipeline(from, createGunzip(), lines, createGzip({ level: 1 }), bounded, to);
  else await pipeline(from, lines, bounded, to);
}
