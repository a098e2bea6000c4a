/**
 * Gives the names before each dot of a column's name, the shortest first: the engine takes the
 * column for a part of them.
 */
export function namesAbove(name: string): readonly string[] {
  const names = name.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}
