/**
 * Gives the prefixes of a column's name before each dot, the shortest first. The engine treats the
 * column as a part of such a column.
 */
export function namesAbove(name: string): readonly string[] {
  const names = name.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}
