import { quoteIdentifier } from '@app/warehouse';
import { readValueType, widest, writeValueType } from '../value-type.js';

/**
 * The type of objects, or of lists with objects, as their source gave it. Single values have the
 * engine's name of their type. The engine keeps all of them as JSON.
 */
export type GivenType =
  | string
  | { readonly list: GivenType }
  | { readonly map: readonly [key: string, value: GivenType] }
  | { readonly struct: readonly GivenField[] };

interface GivenField {
  readonly name: string;
  readonly type: GivenType;
}

/** Events and schemas repeat the type, so a longer one is not kept. */
const TEXT_MAX = 16 * 1024;

const OF_TYPE = 'of type: ';

/**
 * An additional kind: values of the type that their source gave. It says nothing about the type of
 * a column.
 */
export const ofGivenType = (type: GivenType): string => OF_TYPE + JSON.stringify(type);

/** The types that sources gave, among the kinds of a survey. */
export const givenTypes = (kinds: Iterable<string>): readonly GivenType[] =>
  [...kinds]
    .filter((kind) => kind.startsWith(OF_TYPE))
    .map((kind) => JSON.parse(kind.slice(OF_TYPE.length)) as GivenType);

/** The engine writes no Arrow that is nested deeper than 64. */
const DEPTH_MAX = 50;

export const isSmallType = (type: GivenType): boolean =>
  JSON.stringify(type).length <= TEXT_MAX && depthOf(type) <= DEPTH_MAX;

function depthOf(type: GivenType): number {
  if (typeof type === 'string') return 1;
  if ('list' in type) return 1 + depthOf(type.list);
  // Arrow has a map as a list of structs.
  if ('map' in type) return 2 + depthOf(type.map[1]);
  return 1 + type.struct.reduce((deepest, field) => Math.max(deepest, depthOf(field.type)), 0);
}

/** The narrowest type that holds all values of both; undefined where there is none. */
export function commonGivenType(a: GivenType, b: GivenType): GivenType | undefined {
  if (typeof a === 'string' || typeof b === 'string') {
    const [one, other] = [a, b].map((type) =>
      typeof type === 'string' ? readValueType(type) : undefined,
    );
    const wider = one && other && widest(one, other);
    return wider && writeValueType(wider);
  }
  if ('list' in a && 'list' in b) {
    const list = commonGivenType(a.list, b.list);
    return list && { list };
  }
  if ('map' in a && 'map' in b) {
    const [key, value] = [commonGivenType(a.map[0], b.map[0]), commonGivenType(a.map[1], b.map[1])];
    return typeof key === 'string' && value ? { map: [key, value] } : undefined;
  }
  return 'struct' in a && 'struct' in b ? commonStruct(a.struct, b.struct) : undefined;
}

/** Fields that only one of both has are null in the values of the other. */
function commonStruct(a: readonly GivenField[], b: readonly GivenField[]): GivenType | undefined {
  const types = new Map(a.map(({ name, type }) => [name, type]));
  for (const { name, type } of b) {
    const known = types.get(name);
    const common = known === undefined ? type : commonGivenType(known, type);
    if (common === undefined) return undefined;
    types.set(name, common);
  }
  return { struct: [...types].map(([name, type]) => ({ name, type })) };
}

/**
 * The engine's name of the type, as values have it that are read out of JSON: there a list, a map,
 * and a struct in a list are never null.
 */
export const writeGivenType = (type: GivenType): string =>
  typeof type === 'object' && 'struct' in type ? `Nullable(${written(type)})` : written(type);

function written(type: GivenType): string {
  if (typeof type === 'string') return `Nullable(${type})`;
  if ('list' in type) return `Array(${written(type.list)})`;
  if ('map' in type) return `Map(${type.map[0]}, ${written(type.map[1])})`;
  const fields = type.struct.map(
    (field) => `${quoteIdentifier(field.name)} ${writeGivenType(field.type)}`,
  );
  return `Tuple(${fields.join(', ')})`;
}
