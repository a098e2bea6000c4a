import fc from 'fast-check';
import { bothRuns, levelRuns, type LevelRun } from './levels.js';
import { rounds } from '../../../test/rounds.js';

const flat = (runs: Iterable<LevelRun>): number[] =>
  [...runs].flatMap(({ level, count }) => Array<number>(count).fill(level));

/** Levels as writers pack them: each piece is one run, or groups of eight. */
function packed(pieces: readonly (readonly number[])[], most: number): Buffer {
  const width = 32 - Math.clz32(most);
  const bytes: number[] = [];
  for (const piece of pieces) {
    if (piece.every((level) => level === piece[0])) {
      bytes.push(...varint(piece.length * 2), piece[0] ?? 0);
      continue;
    }
    const groups = Math.ceil(piece.length / 8);
    bytes.push(...varint(groups * 2 + 1));
    const bits = Array.from({ length: groups * 8 }, (_, at) =>
      Array.from({ length: width }, (__, bit) => ((piece[at] ?? 0) >> bit) & 1),
    ).flat();
    for (let at = 0; at < bits.length; at += 8)
      bytes.push(bits.slice(at, at + 8).reduce((byte, bit, by) => byte | (bit << by), 0));
  }
  return Buffer.from(bytes);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** The highest level, and pieces. All pieces but the last are whole groups. */
const levels = fc.integer({ min: 1, max: 200 }).chain((most) => {
  const level = fc.oneof(fc.constantFrom(0, most), fc.integer({ min: 0, max: most }));
  const groups = fc
    .array(fc.array(level, { minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 4 })
    .map((each) => each.flat());
  const run = fc
    .tuple(level, fc.integer({ min: 1, max: 300 }))
    .map(([each, count]) => Array<number>(count).fill(each));
  const last = fc.array(level, { maxLength: 15 });
  return fc
    .tuple(fc.array(fc.oneof(groups, run), { maxLength: 6 }), last)
    .map(([pieces, end]) => ({ most, pieces: end.length > 0 ? [...pieces, end] : pieces }));
});

describe('levels of a page', () => {
  it('are those that were packed', () => {
    fc.assert(
      fc.property(levels, ({ most, pieces }) => {
        const sent = pieces.flat();
        const runs = [...levelRuns(packed(pieces, most), most, sent.length)];
        expect(flat(runs)).toEqual(sent);
      }),
    );
  });

  it('end in an error where the bytes do, and take no time or room that nobody has sent', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(2 ** 31), fc.nat(255), (bytes, entries, most) => {
        let [count, runs] = [0, 0];
        try {
          for (const run of levelRuns(bytes, most, entries)) {
            count += run.count;
            runs += 1;
          }
          expect(count).toBe(entries);
        } catch (error) {
          expect((error as Error).message).toMatch(/levels/);
        }
        expect(runs).toBeLessThanOrEqual(bytes.length * 8 + 1);
      }),
      { numRuns: rounds(400, 20_000) },
    ); // prettier-ignore
  });

  it('of both kinds are those of each entry', () => {
    const runs = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 5 })), { maxLength: 10 });
    const spread = (of: readonly (readonly [number, number])[]): LevelRun[] =>
      of.map(([level, count]) => ({ level, count }));
    fc.assert(
      fc.property(runs, runs, (one, other) => {
        const both = [...bothRuns(spread(one).values(), spread(other).values())].flatMap(
          ({ first, second, count }) => Array<string>(count).fill(`${first} ${second}`),
        );
        const [firsts, seconds] = [flat(spread(one)), flat(spread(other))];
        const length = Math.min(firsts.length, seconds.length);
        expect(both).toEqual(firsts.slice(0, length).map((first, at) => `${first} ${seconds[at]}`));
      }),
    );
  });
});
