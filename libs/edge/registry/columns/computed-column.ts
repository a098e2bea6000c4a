import { quoteIdentifier, quoteText, type Column } from '@app/warehouse';
import { exactCast, losesZeros, mayChange } from '../../casts/exact-cast.js';

/** A column whose values are computed of what the engine reads. */
export interface ComputedColumn {
  /** The engine's type that it is read by. */
  readonly readAs: string;
  /** The type of the value. */
  readonly type: string;
  /** SQL of the value. */
  readonly value: string;
}

/**
 * SQL of a column by the type that it is served by.
 * @param from the type that it is read by; undefined: unknown
 */
export function columnValue(
  { name, type }: Column,
  from: string | undefined,
  computed: ComputedColumn | undefined,
): string {
  const value = computed?.value ?? quoteIdentifier(name);
  const own = computed?.type ?? from;
  if (own === type) return value;
  if (own !== undefined && mayChange(own, type))
    return exactCast(value, { from: own, to: type, about: name });
  if (own !== undefined && losesZeros(own, type))
    return `CAST(concat(${value}, ''), ${quoteText(type)})`;
  return `CAST(${value}, ${quoteText(type)})`;
}
