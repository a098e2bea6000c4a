import type { BoundValue } from './bound-value.js';

export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'like' | 'nlike' | 'ilike';

/** A condition that a row must fulfil. A comparison with null is not true, as in SQL. */
export type Condition =
  | { readonly kind: Comparison; readonly column: string; readonly value: BoundValue }
  | { readonly kind: 'in' | 'nin'; readonly column: string; readonly values: readonly BoundValue[] }
  | { readonly kind: 'isnull' | 'notnull'; readonly column: string }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition };
