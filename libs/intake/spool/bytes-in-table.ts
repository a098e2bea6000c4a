import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Compressor } from '@cloudpss/zstd/napi';
import { isCompressed } from '@app/acceptance';

const FAST = 1;
/** Samples of so many bytes compress nearly as well as all of a file. */
const SAMPLE_BYTES = 64 * 1024;
/** The places of the samples, as fractions of the file. */
const PLACES = [0, 0.5, 1];

/**
 * The bytes that the file of a batch will have in a table: about those that it has when it is
 * compressed. Samples tell that of one that is not.
 */
export async function bytesInTable(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (isCompressed(file) || size <= PLACES.length * SAMPLE_BYTES) return size;
    const samples: Buffer[] = [];
    for (const place of PLACES) {
      const sample = Buffer.alloc(SAMPLE_BYTES);
      await handle.read(sample, 0, SAMPLE_BYTES, Math.floor((size - SAMPLE_BYTES) * place));
      samples.push(sample);
    }
    return Math.ceil((size * (await compressedLength(samples))) / (PLACES.length * SAMPLE_BYTES));
  } finally {
    await handle.close();
  }
}

async function compressedLength(pieces: readonly Buffer[]): Promise<number> {
  let length = 0;
  await pipeline(pieces, new Compressor(FAST), async (compressed: AsyncIterable<Buffer>) => {
    for await (const piece of compressed) length += piece.length;
  });
  return length;
}
