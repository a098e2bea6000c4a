import type { Column } from '@app/warehouse';
import { isOfOneLength } from './binary-values.js';
import type { BoundValue } from './bound-value.js';

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

/** Tells whether a column is one of the values, or none of them. */
export const membershipOf = (
  { name, type }: Column,
  kind: Membership['kind'],
  values: readonly BoundValue[],
): Condition => ({ kind, column: name, values, isFixed: isOfOneLength(type) });
