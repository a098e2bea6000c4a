/**
 * Finds the name that a word means: the equal one, or the only one that differs in case; otherwise
 * the word itself.
 */
export function nameFinder(names: Iterable<string>): (word: string) => string {
  const all = new Set(names);
  const byLowerCase = new Map<string, string | undefined>();
  for (const name of all) {
    const lower = name.toLowerCase();
    byLowerCase.set(lower, byLowerCase.has(lower) ? undefined : name);
  }
  return (word) => (all.has(word) ? word : (byLowerCase.get(word.toLowerCase()) ?? word));
}
