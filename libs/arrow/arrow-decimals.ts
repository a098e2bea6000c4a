import { BrokenFileError } from '@app/parquet';
import { certain } from '@app/platform';
import { ColumnBuffers, valuesOf } from './arrow-buffers.js';
import { HEADER, type ArrowBytes, type ArrowMessage } from './arrow-bytes.js';
import type { DecimalPlace } from './arrow-schema.js';

/** A multiple of all sizes that decimals have. */
const PIECE_BYTES = 4 * 1024 ** 2;
const WORD_BYTES = 4;

/**
 * The engine keeps as many bits of a decimal as its digits need. A writer may have more digits than
 * the schema says, whose highest bits would be lost.
 * @throws {Error} where one has
 */
export async function refuseLostDigits(
  source: ArrowBytes,
  message: ArrowMessage,
  decimals: readonly DecimalPlace[],
): Promise<void> {
  const isDictionary = message.kind === HEADER.dictionary;
  const header = isDictionary ? message.header.table(1) : message.header;
  const own = isDictionary ? message.header.int64(0) : undefined;
  for (const place of decimals) {
    const { name, precision, bytes, kept, dictionary } = place;
    if (dictionary === 'within one')
      throw new BrokenFileError(
        `column ${JSON.stringify(name)} has decimals within those of a dictionary, which are not taken; write it without the dictionary`,
      );
    if (!header || dictionary !== own) continue;
    const { count, hasNulls } = valuesOf(header, place);
    const buffers = new ColumnBuffers(source, { header, body: message.body }, place);
    let mask: Buffer | undefined;
    let value = 0;
    for await (const piece of buffers.pieces(1, count * bytes, PIECE_BYTES)) {
      for (const within of lost(piece, bytes / WORD_BYTES, kept / WORD_BYTES)) {
        const at = value + within;
        // The bytes below a null may be anything.
        if (hasNulls) mask ??= await buffers.whole(0, Math.ceil(count / 8));
        if (mask && !((mask.readUInt8(at >> 3) >> (at & 7)) & 1)) continue;
        throw new BrokenFileError(
          `column ${JSON.stringify(name)} has a decimal of more than the ${precision} digits that the column has; cast it to decimals of more digits`,
        );
      }
      value += piece.length / bytes;
    }
  }
}

/** @returns the values whose upper words hold more than the sign */
function* lost(piece: Buffer, words: number, kept: number): Generator<number> {
  // Words must lie where words may.
  const { buffer, byteOffset, length } =
    piece.byteOffset % WORD_BYTES === 0 ? piece : Uint8Array.from(piece);
  const all = new Int32Array(buffer, byteOffset, length / WORD_BYTES);
  for (let at = 0; at < all.length; at += words) {
    const sign = certain(all[at + kept - 1], 'word of a decimal') >> 31;
    for (let word = at + kept; word < at + words; word += 1)
      if (all[word] !== sign) {
        yield at / words;
        break;
      }
  }
}
