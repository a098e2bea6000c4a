import fc from 'fast-check';
import { TIME_ROOM, writeTime } from './write-time.js';

const written = (micros: number | bigint | undefined): string => {
  const target = Buffer.alloc(TIME_ROOM + 2, ' ');
  target.write('[');
  writeTime(target, 1, micros);
  return target.toString();
};

describe('writeTime', () => {
  it('writes every time that can be stored, at the end of its room', () => {
    const times = fc.integer({ min: -2_208_988_800_000_000, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(times, (micros) => {
        expect(written(micros)).toBe(`[${String(micros).padStart(TIME_ROOM)} `);
      }),
    );
  });

  it.each([0, 7, 10, 99_999_999, 100_000_000, 100_000_001, 1_000_000_000, 2 ** 53 - 1])(
    'writes %d',
    (micros) => {
      expect(JSON.parse(written(micros).slice(1))).toBe(micros);
    },
  );

  it('writes a time that is beyond what floats count, and none', () => {
    expect(written(10_413_791_999_999_999n)).toBe('[10413791999999999 ');
    expect(JSON.parse(written(undefined).slice(1))).toBeNull();
  });
});
