import type { Condition } from './condition.js';

/** The plan of a table read. All of its names come from the catalog. */
export interface TablePlan {
  readonly table: string;
  /** An empty list means all columns. */
  readonly columns: readonly string[];
  readonly where?: Condition | undefined;
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
  /**
   * The columns that order rows which are equal for the sort, so that each row is on exactly one
   * page.
   */
  readonly ties: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}
