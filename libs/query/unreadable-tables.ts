/** Is told of tables that the engine could not read; the edge program has none of its own. */
export abstract class UnreadableTables {
  /** @returns the table's name, when the failure is that a part of one is damaged */
  abstract note(failure: unknown): Promise<string | undefined>;
}
