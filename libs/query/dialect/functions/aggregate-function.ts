/** Writes a call of an aggregate function together with the author's DISTINCT, FILTER and OVER. */
export type Aggregate = (name: string, args: readonly string[]) => string;

export interface AggregateFunction {
  readonly fewest: number;
  readonly most: number;
  readonly write: (aggregate: Aggregate, args: readonly string[]) => string;
}
