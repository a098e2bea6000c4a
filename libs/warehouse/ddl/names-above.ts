/**
 * Gives the names before each dot of a column's name, the shortest first: the engine takes the
 * column for a part of them.
 */
export function namesAbove(name: string): readonly string[] {
  const parts = name.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
