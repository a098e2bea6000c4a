import { BrokenFileError } from '../broken-file-error.js';

/** Consecutive entries of a column with the same level. */
export interface LevelRun {
  readonly level: number;
  readonly count: number;
}

/** A limit above the levels of every schema whose depth is bounded. */
const WIDTH_MAX = 8;

/**
 * Levels of a page's entries, as Parquet packs them: runs of one level, and groups of eight with as
 * many bits each as the highest level has. Neighbours of one level come as one run, of which none is
 * ever held as a list.
 * @param most the highest level there can be; where it is 0, nothing is written
 * @throws {Error} when the bytes end before all levels have come
 */
export function* levelRuns(bytes: Uint8Array, most: number, entries: number): Generator<LevelRun> {
  const width = 32 - Math.clz32(most);
  if (width > WIDTH_MAX) throw new BrokenFileError(`a column of it is nested in ${most} levels`);
  if (width === 0) {
    yield { level: 0, count: entries };
    return;
  }
  let [at, left, level, count] = [0, entries, -1, 0];
  const byte = (): number => {
    const value = bytes[at];
    if (value === undefined) throw new BrokenFileError('the levels of a page end too early');
    at += 1;
    return value;
  };
  while (left > 0) {
    const head = varint(byte);
    const isPacked = (head & 1) === 1;
    const size = Math.min(left, isPacked ? Math.floor(head / 2) * 8 : Math.floor(head / 2));
    if (size === 0) throw new BrokenFileError('a page has a run of no levels');
    const all = isPacked ? 0 : byte();
    let [bits, held] = [0, 0];
    for (let taken = 0; taken < size;) {
      let next = all;
      let run = size;
      if (isPacked) {
        if (held < width) {
          bits |= byte() << held;
          held += 8;
        }
        next = bits & ((1 << width) - 1);
        bits >>>= width;
        held -= width;
        run = 1;
      }
      taken += run;
      if (next === level) count += run;
      else {
        if (count > 0) yield { level, count };
        [level, count] = [next, run];
      }
    }
    // The last group is padded to whole bytes, and the next run would follow them.
    left -= size;
  }
  if (count > 0) yield { level, count };
}

const VARINT_BYTES_MAX = 5;

function varint(byte: () => number): number {
  let value = 0;
  for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
    const next = byte();
    value += (next & 0x7f) * 2 ** (7 * index);
    if (next < 0x80) return value;
  }
  throw new BrokenFileError('a run of levels has no length');
}

/** Combines two columns of levels into stretches in which neither changes. */
export function* bothRuns(
  first: Iterator<LevelRun, void>,
  second: Iterator<LevelRun, void>,
): Generator<{ readonly first: number; readonly second: number; readonly count: number }> {
  let [one, other] = [first.next(), second.next()];
  let [of, to] = [one.value?.count ?? 0, other.value?.count ?? 0];
  while (one.value && other.value) {
    const count = Math.min(of, to);
    if (count > 0) yield { first: one.value.level, second: other.value.level, count };
    of -= count;
    to -= count;
    if (of === 0) {
      one = first.next();
      of = one.value?.count ?? 0;
    }
    if (to === 0) {
      other = second.next();
      to = other.value?.count ?? 0;
    }
  }
}
