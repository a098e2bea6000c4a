import fc from 'fast-check';
import { evenChunkBytes } from './accept-chunks.js';

const MOST = 16 * 1024 * 1024;

describe('evenChunkBytes', () => {
  it('takes the most for an upload of one chunk, and for one of unknown length', () => {
    expect([undefined, 1, MOST].map((bytes) => evenChunkBytes(MOST, bytes))).toEqual([
      MOST,
      MOST,
      MOST,
    ]);
  });

  it('makes six chunks of 80 MB, where five would be full', () => {
    const chunk = evenChunkBytes(MOST, 80_000_000);
    expect(Math.ceil(80_000_000 / chunk)).toBe(6);
  });

  it('never makes larger chunks, nor chunks of less than half the size', () => {
    fc.assert(
      fc.property(fc.integer({ min: MOST + 1, max: 5 * 1024 ** 3 }), (bytes) => {
        const chunk = evenChunkBytes(MOST, bytes);
        expect(chunk).toBeLessThanOrEqual(MOST);
        expect(chunk).toBeGreaterThan(MOST / 2);
      }),
    );
  });
});
