import type { Condition } from './condition.js';

/** What a table read asks for; every name is one of the catalog's. */
export interface TablePlan {
  readonly table: string;
  /** None: all. */
  readonly columns: readonly string[];
  readonly where?: Condition | undefined;
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
  /** What rows that the sort has as equals are sorted by, so that each is on one page. */
  readonly ties: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}
