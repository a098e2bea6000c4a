import { certain } from '@app/platform';
const OF_CHANCE: Readonly<Record<string, string>> = {
  random: 'randCanonical',
  uuid: 'generateUUIDv4',
  gen_random_uuid: 'generateUUIDv4',
};

/**
 * `random()` and `uuid()`, each of them with another value: the engine takes two equal calls for one.
 * @param place something that no other call has
 */
export const ofChance = (name: string, place: number): string | undefined =>
  Object.hasOwn(OF_CHANCE, name)
    ? `${certain(OF_CHANCE[name], 'function of chance')}(${place})`
    : undefined;
