import type { Column } from '@app/warehouse';

/** The engine limits the names, values and functions of a statement. Few of them have fewer than four characters. */
const TESTS_LENGTH_MAX = 150_000;

/** A single value that is checked: the column, and its place within it. */
export interface Doubtful {
  readonly column: Column;
  readonly at: number;
  readonly tests: readonly string[];
  /** SQL of the value; absent: it is within a list. */
  readonly value?: string;
  /** The same conditions hold for all values of a sort. */
  readonly sort: string;
  /** SQL that tells whether a value of the sort might be read as another one. */
  readonly isOdd: (value: string) => string;
}

/** Distributes the tests over statements. There is at least one, which reads all rows. */
export function inStatements<Tested extends Pick<Doubtful, 'tests'>>(
  doubtful: readonly Tested[],
): readonly (readonly Tested[])[] {
  let last: Tested[] = [];
  const all = [last];
  let length = 0;
  for (const each of doubtful) {
    const own = each.tests.reduce((sum, test) => sum + test.length, 0);
    if (last.length > 0 && length + own > TESTS_LENGTH_MAX) {
      last = [];
      all.push(last);
      length = 0;
    }
    last.push(each);
    length += own;
  }
  return all;
}

/**
 * Leaves out values that one condition for all of their sort finds plain. The tests of some hundred
 * values would take the engine a minute.
 * @param look runs the tests; it does not answer with a list where a row is broken or has more fields
 */
export async function withoutScreened(
  doubtful: readonly Doubtful[],
  look: (some: readonly Doubtful[]) => Promise<unknown>,
): Promise<readonly Doubtful[]> {
  if (inStatements(doubtful).length === 1) return doubtful;
  const plain = new Set<Doubtful>();
  for (const sort of new Set(doubtful.map((each) => each.sort))) {
    const values = doubtful
      .filter((each) => each.sort === sort)
      .flatMap((each) => (each.value === undefined ? [] : [{ each, tests: [each.value] }]));
    for (const some of inStatements(values)) {
      const [first, ...others] = some.map(({ each }) => each);
      if (!first) continue;
      const list = some.map(({ tests }) => tests.join()).join(', ');
      const test = `max(arrayExists(v -> ${first.isOdd('v')}, [${list}]))`;
      const answer = await look([
        { ...first, tests: [test] },
        ...others.map((each) => ({ ...each, tests: [] })),
      ]);
      if (Array.isArray(answer) && answer[0] === 0) for (const { each } of some) plain.add(each);
    }
  }
  return doubtful.filter((each) => !plain.has(each));
}
