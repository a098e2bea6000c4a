/**
 * Chooses the longest of the groups that wait, until together they have as many entries as are to be
 * written: an insert costs more than its rows, so few long ones come first.
 */
export function dueGroups<Entry>(
  waiting: ReadonlyMap<string, Entry[]>,
  toWrite: number,
): readonly (readonly [string, Entry[]])[] {
  const longest = [...waiting].sort(([, a], [, b]) => b.length - a.length);
  let left = toWrite;
  return longest.filter(([, { length }]) => {
    const isDue = left > 0;
    left -= length;
    return isDue;
  });
}
