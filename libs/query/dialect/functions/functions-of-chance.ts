const OF_CHANCE: ReadonlyMap<string, string> = new Map([
  ['random', 'randCanonical'],
  ['uuid', 'generateUUIDv4'],
  ['gen_random_uuid', 'generateUUIDv4'],
]);

/**
 * `random()` and `uuid()`, each of them with another value: the engine takes two equal calls for one.
 * @param place something that no other call has
 */
export function ofChance(name: string, place: number): string | undefined {
  const own = OF_CHANCE.get(name);
  return own && `${own}(${place})`;
}
