const [SPACE, QUOTE, BACKSLASH] = [0x20, 0x22, 0x5c];
/** A byte that is in each of the four places of a word. */
const SPACES = 0x20202020;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
const ONES = 0x01010101;
const HIGH_BITS = 0x80808080;

/**
 * Finds the end of the bytes that stand for themselves within a text: a quote, a backslash or a
 * control character. Whether they are UTF-8 is seen for all at once.
 *
 * Four bytes are looked at together, which takes half the time for long texts: the high bit of a byte
 * is set in `found` where it is one of those. It may be set wrongly only above a byte where it is
 * set rightly, so the lowest one is right.
 * @param words a view of the same bytes
 */
export function endOfPlain(bytes: Uint8Array, words: DataView, from: number): number {
  const last = bytes.length - 4;
  let at = from;
  for (; at <= last; at += 4) {
    const word = words.getInt32(at, true);
    const quotes = word ^ QUOTES;
    const backslashes = word ^ BACKSLASHES;
    const found =
      (((quotes - ONES) & ~quotes) |
        ((backslashes - ONES) & ~backslashes) |
        ((word - SPACES) & ~word)) &
      HIGH_BITS;
    if (found !== 0) return at + ((31 - Math.clz32(found & -found)) >> 3);
  }
  let byte = bytes[at] ?? 0;
  while (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) byte = bytes[++at] ?? 0;
  return at;
}
