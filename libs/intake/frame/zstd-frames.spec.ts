import { compress } from '@cloudpss/zstd/napi';
import fc from 'fast-check';
import { ZstdFrames } from './zstd-frames.js';

const SKIPPABLE = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
const content = fc
  .tuple(fc.string(), fc.integer({ min: 0, max: 20_000 }))
  .map(([text, times]) => Buffer.from(text.repeat(times)));
const frame = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(content, fc.integer({ min: -5, max: 19 })) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

function follow(body: Uint8Array, pieceBytes: number): boolean {
  const frames = new ZstdFrames();
  for (let at = 0; at < body.length; at += pieceBytes) {
    frames.push(body.subarray(at, at + pieceBytes));
  }
  return frames.whole;
}

describe('frames of Zstandard', () => {
  it('are whole where the last one ends, and nowhere inside one', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 70_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (all, pieceBytes, cut) => {
          const encoded = all.map((each) => (each ? compress(...each) : SKIPPABLE));
          const body = Buffer.concat(encoded);
          expect(follow(body, pieceBytes)).toBe(true);
          const last = encoded.at(-1)?.length ?? 0;
          const inside = body.length - Math.max(1, Math.floor(last * (1 - cut)));
          const isBoundary = inside === body.length - last && encoded.length > 1;
          expect(follow(body.subarray(0, inside), pieceBytes)).toBe(isBoundary);
        },
      ),
    );
  });

  it.each([
    ['a window of 8 MiB', [0x00, 13 << 3], true],
    ['a window a little larger', [0x00, (13 << 3) | 1], false],
    ['one segment of 8 MiB', [0xa0, 0, 0, 0x80, 0], true],
    ['one segment a byte longer', [0xa0, 1, 0, 0x80, 0], false],
    ['one segment of 2^56 bytes', [0xe0, 0, 0, 0, 0, 0, 0, 0, 1], false],
    ['one segment of 65,791 bytes', [0x60, 0xff, 0xff], true],
  ])('may need %s', (_name, header, taken) => {
    const follows = (): boolean => follow(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...header]), 1);
    if (taken) expect(follows()).toBe(false);
    else expect(follows).toThrow(/8388608 are the most: compress without --long/);
  });

  it('begin with their magic number', () => {
    expect(() => follow(Buffer.from('garbage'), 3)).toThrow('no frame begins with 62726167');
    expect(follow(Buffer.alloc(0), 1)).toBe(false);
  });

  it('are cut into pieces of few blocks: a bomb into small ones, others hardly', () => {
    const blocks = 1000;
    const begin = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3]);
    // Each block is 128 KiB of one byte; the last one says so.
    const block = (isLast: boolean): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUIntLE((0x20000 << 3) | (1 << 1) | (isLast ? 1 : 0), 0, 3);
      return bytes;
    };
    const bomb = [begin, ...Array.from({ length: blocks }, (_, at) => block(at === blocks - 1))];
    const ends = new ZstdFrames().push(Buffer.concat(bomb));
    const sizes = ends.map((end, index) => end - (ends[index - 1] ?? 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(begin.length + 64 * 4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(begin.length + blocks * 4);
    const text = Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * 7919) % 251));
    expect(new ZstdFrames().push(compress(text))).toHaveLength(1);
  });
});
