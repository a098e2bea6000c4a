import fc from 'fast-check';
import { endOfPlain } from './plain-text.js';

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The same, one byte after the other. */
function slowEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== undefined && byte >= 0x20; byte = bytes[at]) {
    if (byte === 0x22 || byte === 0x5c) return at;
    at += 1;
  }
  return at;
}

describe('endOfPlain', () => {
  it('ends where a byte must not stand for itself, or where there are no more', () => {
    const byte = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0xa2, 0xdc, 0xff),
      fc.constant(0x61),
      fc.constant(0x61),
    );
    fc.assert(
      fc.property(
        fc.array(byte, { maxLength: 40 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 40 }),
        (all, offset, begin) => {
          const bytes = Uint8Array.from([...new Array<number>(offset).fill(0x22), ...all]).subarray(
            offset,
          );
          const from = Math.min(begin, bytes.length);
          expect(endOfPlain(bytes, viewOf(bytes), from)).toBe(slowEnd(bytes, from));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('finds each byte at each place of a word, beside each other byte', () => {
    for (let place = 0; place < 4; place += 1)
      for (let byte = 0; byte < 256; byte += 1)
        for (let next = 0; next < 256; next += 1) {
          const bytes = new Uint8Array(8).fill(0x61);
          bytes[place] = byte;
          bytes[place + 1] = next;
          const found = endOfPlain(bytes, viewOf(bytes), 0);
          if (found !== slowEnd(bytes, 0)) expect([byte, next, found]).toEqual(slowEnd(bytes, 0));
        }
    expect(endOfPlain(new Uint8Array(8).fill(0x61), viewOf(new Uint8Array(8).fill(0x61)), 0)).toBe(
      8,
    );
  });
});
