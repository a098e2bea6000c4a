import type { Column } from '@app/warehouse';
import { isOfOneLength } from './binary-values.js';
import { canHold, type BoundValue } from './bound-value.js';

export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'like' | 'nlike' | 'ilike';

interface Membership {
  readonly kind: 'in' | 'nin';
  readonly column: string;
  readonly values: readonly BoundValue[];
  /**
   * Set if the column must first be converted to a text, because the engine refuses values that are
   * longer than the column's.
   */
  readonly isFixed: boolean;
}

/** A condition that a row must fulfil. A comparison with null is not true, as in SQL. */
export type Condition =
  | { readonly kind: Comparison; readonly column: string; readonly value: BoundValue }
  | Membership
  | { readonly kind: 'isnull' | 'notnull'; readonly column: string }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition };

/**
 * Tells whether a column is one of the values, or none of them. The engine refuses a list with a
 * number that the column cannot hold, as 3.5 is for one of integers, but compares with it.
 */
export function membershipOf(
  { name: column, type }: Column,
  kind: Membership['kind'],
  values: readonly BoundValue[],
): Condition {
  const held = values.filter((value) => canHold(type, value));
  const list: Condition = { kind, column, values: held, isFixed: isOfOneLength(type) };
  if (held.length === values.length) return list;
  const alone = values.filter((value) => !held.includes(value));
  const conditions = alone.map((value): Condition => ({ kind: kind === 'in' ? 'eq' : 'ne', column, value })); // prettier-ignore
  return { kind: kind === 'in' ? 'or' : 'and', conditions: [...conditions, list] };
}
