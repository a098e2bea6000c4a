import type { Condition } from './condition.js';

/** The plan of a table read. Every name is one of the catalog's. */
export interface TablePlan {
  readonly table: string;
  /** None: all. */
  readonly columns: readonly string[];
  readonly where?: Condition | undefined;
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
  /** The columns that sort rows which the sort has as equals, so that each row is on one page. */
  readonly ties: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}
