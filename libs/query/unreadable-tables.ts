/**
 * Finds the damaged table that a query failed at. The edge program has no such tables, and leaves
 * it out.
 */
export abstract class UnreadableTables {
  /** @returns the table's name, when the failure is that a part of one is damaged */
  abstract note(failure: unknown): Promise<string | undefined>;
}
