import { quoteText } from '@app/warehouse';

/** True for a type whose values have several types. */
export const isOpen = (type: string): boolean => /^(?:JSON|Dynamic|Variant|Object)\b/.test(type);

/** True for a column that may be null, or whose type is not known. */
export const isNullable = (type: string | undefined): boolean =>
  type === undefined || isOpen(type) || /^(?:LowCardinality\()?Nullable\(/.test(type);

const TYPE = /^(?:LowCardinality\()?(?:Nullable\()?(\w+(?:\([^()]*\))?)\)*$/;

/** NULL of a column's type, as far as that is known. */
export function nullOf(type: string | undefined): string {
  const [, plain] = TYPE.exec(type ?? '') ?? [];
  return plain === undefined || isOpen(plain)
    ? 'NULL'
    : `CAST(NULL, ${quoteText(`Nullable(${plain})`)})`;
}
