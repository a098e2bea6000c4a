/** Tells how a CSV is written, and what its fields are called. */
export interface CsvShape {
  readonly delimiter: string;
  /** Names of the fields, in their order. */
  readonly columns: readonly string[];
}
