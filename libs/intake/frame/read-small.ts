import { GatheredPieces } from '../spool/gathered-pieces.js';

/** A body that ended within the limit, or the rest of a longer body. */
type SmallOrLong =
  | { readonly whole: true; readonly bytes: Buffer }
  | { readonly whole: false; readonly lines: AsyncIterable<Buffer> };

const SMALL_BYTES = 64 * 1024;

/** Reads up to 64 KiB, because most bodies are a few records and need no file of their own. */
export async function readSmall(lines: AsyncIterable<Buffer>): Promise<SmallOrLong> {
  const pieces = lines[Symbol.asyncIterator]();
  const begun = new GatheredPieces();
  while (begun.bytes <= SMALL_BYTES) {
    const { value, done } = (await pieces.next()) as IteratorResult<Buffer, undefined>;
    if (done) {
      const [first, ...more] = begun.take();
      const isOne = first !== undefined && more.length === 0;
      return { whole: true, bytes: isOne ? first : Buffer.concat(first ? [first, ...more] : []) };
    }
    begun.push(value);
  }
  return { whole: false, lines: continued(begun.take(), pieces) };
}

async function* continued(
  begun: readonly Buffer[],
  pieces: AsyncIterator<Buffer>,
): AsyncIterable<Buffer> {
  yield* begun;
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
}
