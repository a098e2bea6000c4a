import { quoteText, withoutNull } from '@app/warehouse';

/** True for a type whose values have several types. */
const isOpen = (type: string): boolean => /^(?:JSON|Dynamic|Variant|Object)\b/.test(type);

/** True for a column that may be null, or whose type is not known. */
export const isNullable = (type: string | undefined): boolean =>
  type === undefined || isOpen(type) || /^(?:LowCardinality\()?Nullable\(/.test(type);

/** Such a value is never null: an outer join gives an empty one. */
export const isNeverNull = (type: string | undefined): boolean =>
  /^(?:Array|Map|Tuple)\(/.test(type ?? '');

/** True for two known types that are the same, with or without null. */
export const isSameType = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  withoutNull(one) === withoutNull(other) &&
  !isOpen(one);

const TYPE = /^(?:LowCardinality\()?(?:Nullable\()?(\w+(?:\([^()]*\))?)\)*$/;

/** NULL of a column's type, as far as that is known. */
export function nullOf(type: string | undefined): string {
  const [, plain] = TYPE.exec(type ?? '') ?? [];
  return plain === undefined || isOpen(plain)
    ? 'NULL'
    : `CAST(NULL, ${quoteText(`Nullable(${plain})`)})`;
}
