import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Compressor, Decompressor } from '@cloudpss/zstd/napi';
import type { ColumnarFile } from '@app/acceptance';

const PLAIN = '.ndjson';
const COMPRESSED = '.ndjson.zst';
const FAST = 1;
/**
 * Only a little of a compressed file is read at once, because very similar lines may become a
 * thousand times as many bytes.
 */
const COMPRESSED_READ = { highWaterMark: 4096 };
const LINE_FEED = 0x0a;

export const isPlain = ({ file }: ColumnarFile): boolean => file.endsWith(PLAIN);

/** The same lines, compressed, in a file beside the first. */
export async function compressLines(batch: ColumnarFile): Promise<ColumnarFile> {
  const file = `${batch.file.slice(0, -PLAIN.length)}${COMPRESSED}`;
  await pipeline(createReadStream(batch.file), new Compressor(FAST), createWriteStream(file));
  return { ...batch, file };
}

/** Cuts compressed lines into files of at most so many lines each, beside the first. Memory holds a few pieces of the text. */
export async function cutLines(batch: ColumnarFile, rows: number): Promise<ColumnarFile[]> {
  const pieces: ColumnarFile[] = [];
  await pipeline(
    createReadStream(batch.file, COMPRESSED_READ),
    new Decompressor(),
    async (text: AsyncIterable<Buffer>) => {
      const lines = new Lines(text[Symbol.asyncIterator]());
      for (let first = 0; first < batch.rows; first += rows) {
        const piece = {
          ...batch,
          file: `${batch.file.slice(0, -COMPRESSED.length)}.${first}${COMPRESSED}`,
          rows: Math.min(rows, batch.rows - first),
        };
        // A stream that opens the file itself may still make it after this has failed.
        const opened = await open(piece.file, 'w');
        await pipeline(lines.take(piece.rows), new Compressor(FAST), opened.createWriteStream());
        pieces.push(piece);
      }
    },
  );
  return pieces;
}

/** Yields lines of a text, so many at a time. */
class Lines {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly text: AsyncIterator<Buffer>) {}

  /** @throws when there are fewer. */
  async *take(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.rest.length === 0) {
        const next = await this.text.next();
        if (next.done === true) throw new Error(`the file of a batch has ${left} lines too few`);
        this.rest = next.value;
      }
      let end = 0;
      while (left > 0 && end < this.rest.length) {
        const at = this.rest.indexOf(LINE_FEED, end);
        end = at === -1 ? this.rest.length : at + 1;
        if (at !== -1) left -= 1;
      }
      yield this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
    }
  }
}
