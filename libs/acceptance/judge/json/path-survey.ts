import { certain } from '@app/platform';
import {
  beyondFloat,
  limitedWithin,
  type ObjectColumn,
  PATH_BYTES_MAX,
  PATH_DEPTH_MAX,
  PATH_PROBLEM,
  within,
} from '@app/streams';
import type { SurveyedKind } from '../chunk/judge-job.js';
import {
  BEYOND_FLOAT,
  EMPTY_ARRAY,
  FLOAT,
  FLOATS,
  HAS_NULL,
  INT,
  INTS,
  KIND_NAMES,
  KINDS,
  MIXED_ARRAY,
  NONE,
  OBJECT,
  ODDLY_WRITTEN,
  UINT,
  UINTS,
} from '../values/kinds.js';

/** These bits stand above those of the kinds: integers that floats do not have, alone and in arrays. */
const LONG = 1 << KINDS;
const LONGS = 1 << (KINDS + 1);
const NAMES = [...KIND_NAMES, beyondFloat('Int64'), beyondFloat('Array(Nullable(Int64))')];

/** Keys of all objects of a chunk that are told apart. */
const KEYS_MAX = 10_000;
/** The number of other keys of one place that are remembered. */
const PASSED_OVER_MAX = 1000;
/**
 * Stands for no key: the key has no name in a statement, is nested too deep, or is one too many.
 */
export const NO_PATH = -1;

/**
 * Counts which kinds of values stand at which paths within objects. Objects have their keys in much
 * the same order, so the key after the one found last is looked at first.
 */
export class PathSurvey {
  /** They are found by key; where there are more than may be told apart, their columns list no more paths. */
  private readonly keys: Buffer[] = [];
  /** For each key, how it was spelled last with an escape. */
  private readonly spelled: (Buffer | undefined)[] = [];
  private readonly parents: number[] = [];
  private readonly depths: number[] = [];
  /** Bytes of each path with its dots: a longer one is listed nowhere, and would be written out for each key below it. */
  private readonly sizes: number[] = [];
  private readonly seen: number[] = [];
  private readonly known: number[] = [];
  /**
   * For each key, the key that followed it last time under the same parent. The first place is for
   * the first key below each parent.
   */
  private readonly following: number[] = [];
  private readonly first: number[] = [];
  private readonly children = new Map<number, Map<string, number>>();
  private readonly tops = new Map<number, number>();
  private readonly crowded = new Set<number>();

  /** @param objects what the stream knows already. `fieldOf` gives a column's field. */
  constructor(objects: readonly ObjectColumn[], fieldOf: (column: string) => number) {
    for (const { name, paths } of objects) {
      const top = this.topOf(fieldOf(name));
      for (const { path, kinds } of paths) {
        let at = top;
        for (const key of path.split('.')) at = this.named(at, key);
        if (at >= 0)
          this.known[at] = kinds.reduce((bits, kind) => bits | (1 << NAMES.indexOf(kind)), 0);
      }
    }
  }

  /** Tells where the keys directly below a field begin. */
  topOf(field: number): number {
    const known = this.tops.get(field);
    if (known !== undefined) return known;
    const top = this.add(NO_PATH, Buffer.alloc(0));
    this.tops.set(field, top);
    return top;
  }

  /** Forgets fields from this one on, because the line that had them was no record. */
  forgetFrom(field: number): void {
    for (const each of this.tops.keys()) if (each >= field) this.tops.delete(each);
  }

  /**
   * The key within an object, by where it stands in quotes.
   * @param before the key that stands before it in the object; {@link NO_PATH} for the first
   */
  child(
    parent: number,
    before: number,
    bytes: Buffer,
    from: number,
    to: number,
    isEscaped: boolean,
  ): number {
    const expected = before >= 0 ? this.following[before] : this.first[parent];
    const key = expected === undefined || expected < 0 ? undefined : this.keys[expected];
    if (expected !== undefined && key && isSame(key, bytes, from + 1, to - 1)) return expected;
    if (expected !== undefined && isEscaped) {
      const spelled = this.spelled[expected];
      if (spelled && isSame(spelled, bytes, from + 1, to - 1)) return expected;
    }
    const name = isEscaped
      ? String(JSON.parse(bytes.toString('utf8', from, to)))
      : bytes.toString('utf8', from + 1, to - 1);
    const found = this.named(parent, name);
    if (found < 0) return found;
    if (isEscaped) this.spelled[found] = Buffer.from(bytes.subarray(from + 1, to - 1));
    if (before >= 0) this.following[before] = found;
    else this.first[parent] = found;
    return found;
  }

  private named(parent: number, name: string): number {
    if (parent < 0) return NO_PATH;
    const among = this.children.get(parent) ?? new Map<string, number>();
    this.children.set(parent, among);
    const known = among.get(name);
    if (known !== undefined) return known;
    const added = this.isListed(parent, name) ? this.add(parent, Buffer.from(name)) : NO_PATH;
    const isShort = name.length <= PATH_BYTES_MAX;
    if (added >= 0 || (isShort && among.size < PASSED_OVER_MAX)) among.set(name, added);
    return added;
  }

  private isListed(parent: number, name: string): boolean {
    if ((this.depths[parent] ?? 0) >= PATH_DEPTH_MAX) return false;
    if (this.sizeBelow(parent, Buffer.byteLength(name)) > PATH_BYTES_MAX) return false;
    if (PATH_PROBLEM.test(name)) return false;
    if (this.keys.length < KEYS_MAX) return true;
    this.crowded.add(this.topAbove(parent));
    return false;
  }

  private sizeBelow(parent: number, bytes: number): number {
    const above = this.sizes[parent] ?? 0;
    return above === 0 ? bytes : above + 1 + bytes;
  }

  private add(parent: number, key: Buffer): number {
    const index = this.keys.push(key) - 1;
    this.spelled.push(undefined);
    this.parents.push(parent);
    this.sizes.push(parent < 0 ? 0 : this.sizeBelow(parent, key.length));
    this.depths.push(parent < 0 ? 0 : (this.depths[parent] ?? 0) + 1);
    this.seen.push(0);
    this.known.push(0);
    this.following.push(NO_PATH);
    this.first.push(NO_PATH);
    return index;
  }

  see(path: number, kind: number, marks: number): void {
    if (kind === NONE || kind === OBJECT) return;
    const bits = marks === 0 ? 1 << kind : bitsOf(kind, marks);
    this.seen[path] = (this.seen[path] ?? 0) | bits;
  }

  /**
   * Gives the paths that the stream does not know, as kinds of the fields that have them.
   * @param nameOf a field's name; of a field without one nothing is told
   */
  surveyed(nameOf: (field: number) => string | undefined): SurveyedKind[] {
    const fields = new Map([...this.tops].map(([field, top]) => [top, nameOf(field)]));
    const told = (top: number, kind: string): SurveyedKind[] => {
      const field = fields.get(top);
      return field === undefined ? [] : [{ field, kind, count: 1, beyond: 0 }];
    };
    const found = this.seen.flatMap((seen, path) => {
      const fresh = seen & ~(this.known[path] ?? 0);
      if (fresh === 0) return [];
      const kinds = NAMES.filter((_, bit) => (fresh & (1 << bit)) !== 0);
      const [top, name] = [this.topAbove(path), this.pathOf(path)];
      return kinds.flatMap((kind) => told(top, within(name, kind)));
    });
    return [...found, ...[...this.crowded].flatMap((top) => told(top, limitedWithin('crowded')))];
  }

  private topAbove(path: number): number {
    let at = path;
    for (let up = this.parents[at] ?? NO_PATH; up >= 0; up = this.parents[at] ?? NO_PATH) at = up;
    return at;
  }

  private pathOf(path: number): string {
    const names: string[] = [];
    for (let at = path; (this.parents[at] ?? NO_PATH) >= 0; at = this.parents[at] ?? NO_PATH)
      names.push(certain(this.keys[at], 'key of a path').toString());
    return names.reverse().join('.');
  }
}

/**
 * Gives the kind that the engine keeps of a value: `1.0` is a float to it, and `[null]` a list of
 * texts.
 */
function bitsOf(kind: number, marks: number): number {
  const own = 1 << kind;
  const isOdd = (marks & ODDLY_WRITTEN) !== 0;
  const isLong = (marks & BEYOND_FLOAT) !== 0;
  switch (kind) {
    case INT:
      return isOdd ? own | (1 << FLOAT) : isLong ? own | LONG : own;
    case UINT:
      return isOdd ? 1 << FLOAT : own;
    case INTS:
      return own | (isOdd ? 1 << FLOATS : 0) | (isLong ? LONGS : 0);
    case UINTS:
      return own | (isOdd ? 1 << FLOATS : 0);
    case EMPTY_ARRAY:
      return (marks & HAS_NULL) === 0 ? own : 1 << MIXED_ARRAY;
    default:
      return own;
  }
}

function isSame(key: Buffer, bytes: Uint8Array, from: number, to: number): boolean {
  const { length } = key;
  if (length !== to - from) return false;
  for (let at = 0; at < length; at += 1) if (key[at] !== bytes[from + at]) return false;
  return true;
}
