/**
 * Finds the damaged table at which a query failed. The edge program has no such tables, and does
 * not provide it.
 */
export abstract class UnreadableTables {
  /** @returns the table's name, if a damaged part of a table caused the failure */
  abstract note(failure: unknown): Promise<string | undefined>;
}
