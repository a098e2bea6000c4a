import type { Column } from '@app/warehouse';
import { fits, isObject, isSilent, type Kinds } from '../column-types.js';
import { commonGivenType, givenTypes, isSmallType, type GivenType } from './given-type.js';

/**
 * A column of objects, or of lists with objects, to which sources with types of their own gave a
 * type from its first value on.
 */
export interface GivenColumn {
  readonly name: string;
  /** It is absent since values have come that are of no such type. */
  readonly type?: GivenType;
}

/** The number of columns whose types are kept. */
const COLUMNS_MAX = 500;

/**
 * The columns whose given type is new, or has changed by the values of a survey. A value that is
 * rejected changes none.
 */
export function moreGiven(
  {
    columns,
    given: known,
  }: { readonly columns: readonly Column[]; readonly given: readonly GivenColumn[] },
  added: readonly Column[],
  survey: ReadonlyMap<string, Kinds>,
): readonly GivenColumn[] {
  const begun = added.filter(({ type }) => mayBeGiven(type)).map(({ name }) => name);
  const room = COLUMNS_MAX - known.length;
  const first = begun.flatMap((name) => {
    const type = typeOf(survey.get(name));
    return type === undefined ? [] : [{ name, type }];
  });
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const changed = known.flatMap(({ name, type: now }) => {
    const [column, kinds] = [types.get(name), survey.get(name)];
    if (now === undefined || column === undefined || kinds === undefined) return [];
    if (![...kinds.keys()].some((kind) => !isSilent(kind) && fits(column, kind))) return [];
    const type = typeOf(kinds, now);
    if (type === undefined) return [{ name }];
    return JSON.stringify(type) === JSON.stringify(now) ? [] : [{ name, type }];
  });
  return [...changed, ...first.slice(0, room)];
}

/** The columns with the results of the survey. */
export function withGiven(
  columns: readonly GivenColumn[],
  more: readonly GivenColumn[],
): readonly GivenColumn[] {
  if (more.length === 0) return columns;
  return [...new Map([...columns, ...more].map((column) => [column.name, column])).values()];
}

/** Tells whether values of a survey might have another type than the one that was given. */
export const mayDiffer = (name: string, kinds: Kinds, given: readonly GivenColumn[]): boolean =>
  !isWithoutValues(kinds) &&
  given.some((column) => column.name === name && column.type !== undefined);

const mayBeGiven = (type: string): boolean =>
  isObject(type) || type === 'Array(JSON)' || type === 'Array(Dynamic)';

const isWithoutValues = (kinds: Kinds): boolean => [...kinds.keys()].every(isSilent);

/** @returns undefined if not all values have a type that was given */
function typeOf(kinds: Kinds | undefined, now?: GivenType): GivenType | undefined {
  const given = givenTypes(kinds?.keys() ?? []);
  if (given.length === 0) return undefined;
  const [first, ...others] = now === undefined ? given : [now, ...given];
  const type = others.reduce<GivenType | undefined>(
    (common, other) => common && commonGivenType(common, other),
    first,
  );
  return type !== undefined && isSmallType(type) ? type : undefined;
}
