/** A table at which a query failed. */
interface UnreadableTable {
  readonly table: string;
  /** The engine goes on without the table; otherwise a part of it is damaged. */
  readonly isAside: boolean;
}

/**
 * Finds the damaged table at which a query failed. The edge program has no such tables, and does
 * not provide it.
 */
export abstract class UnreadableTables {
  /** @returns undefined if damage did not cause the failure */
  abstract note(failure: unknown, database: string): Promise<UnreadableTable | undefined>;
}
