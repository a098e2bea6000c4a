/** Writes a call of an aggregate function together with the author's DISTINCT, FILTER and OVER. */
export type Aggregate = (name: string, args: readonly string[]) => string;

export interface AggregateFunction {
  readonly fewest: number;
  readonly most: number;
  readonly write: (aggregate: Aggregate, args: readonly string[]) => string;
}

/** The name of an aggregate with its combinators, before its parameters: `quantileIf(0.5)`. */
export function combined(name: string, combinators: string): string {
  const open = name.indexOf('(');
  return open === -1 ? name + combinators : name.slice(0, open) + combinators + name.slice(open);
}
