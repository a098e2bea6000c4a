/** Writes a call of an aggregate function with what the author's own has: DISTINCT, FILTER, OVER. */
export type Aggregate = (name: string, args: readonly string[]) => string;

export interface AggregateFunction {
  readonly fewest: number;
  readonly most: number;
  readonly write: (aggregate: Aggregate, args: readonly string[]) => string;
}
