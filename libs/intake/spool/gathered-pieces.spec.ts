import { GatheredPieces } from './gathered-pieces.js';

const READ_BYTES = 64 * 1024;

/** A view of so many bytes of what was read at once. */
const viewOf = (bytes: number): Buffer => Buffer.alloc(READ_BYTES, 'x').subarray(0, bytes);

const heldBy = (pieces: readonly Buffer[]): number =>
  [...new Set(pieces.map(({ buffer }) => buffer))].reduce((all, { byteLength }) => all + byteLength, 0); // prettier-ignore

describe('gathered pieces', () => {
  it.each([0, 1, 1000])('keep little memory for views of %i bytes', (bytes) => {
    const gathered = new GatheredPieces();
    for (let n = 0; n < 500; n += 1) gathered.push(viewOf(bytes));
    expect(gathered.bytes).toBe(500 * bytes);
    expect(heldBy(gathered.take())).toBeLessThan(500 * bytes + 64 * READ_BYTES);
  });

  it('keep their order, however long they are', () => {
    const gathered = new GatheredPieces();
    const pieces = Array.from({ length: 300 }, (_, n) =>
      Buffer.from(`${n},`.repeat(n % 7 === 0 ? 5000 : n % 3)),
    );
    for (const piece of pieces) gathered.push(piece);
    expect(Buffer.concat(gathered.take()).equals(Buffer.concat(pieces))).toBe(true);
    expect(gathered.take()).toEqual([]);
  });

  it('copy no piece that is alone', () => {
    const gathered = new GatheredPieces();
    const piece = Buffer.from('{"a":1}');
    gathered.push(piece);
    expect(gathered.take()[0]).toBe(piece);
  });
});
