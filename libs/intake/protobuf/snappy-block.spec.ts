import fc from 'fast-check';
import { compressSync } from 'snappy';
import { MillraceError } from '@app/platform';
import { snappyLength, unsnap } from './snappy-block.js';

const MAX = 1024 * 1024;

describe('blocks of Snappy', () => {
  it('are what was packed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), fc.nat(50), async (bytes, times) => {
        const body = Buffer.concat(Array.from({ length: times }, () => Buffer.from(bytes)));
        const block = compressSync(body);
        expect(snappyLength(block, MAX)).toBe(body.length);
        expect((await unsnap(block)).equals(body)).toBe(true);
      }),
    );
    const zeros = compressSync(Buffer.alloc(MAX));
    expect(snappyLength(zeros, MAX)).toBe(MAX);
    expect(() => snappyLength(zeros, MAX - 1)).toThrow('at most');
  });

  it('that claim more than they can hold are refused, and so are others that are none', async () => {
    for (const claim of ['ffffffff0f', '80808001', 'ffffffffffff', '', '80'])
      expect(() => snappyLength(Buffer.from(claim, 'hex'), 2 ** 40)).toThrow('no block');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async (bytes) => {
        try {
          const block = Buffer.from(bytes);
          const length = snappyLength(block, MAX);
          expect((await unsnap(block)).length).toBe(length);
        } catch (error) {
          expect(error).toBeInstanceOf(MillraceError);
        }
      }),
    );
  });
});
