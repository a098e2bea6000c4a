/** Runs statements on an engine, wherever it is. @throws {WarehouseError} */
export interface SqlRunner {
  /**
   * A statement without a result. When it resolves the engine has done it.
   * @param id by which a server knows it
   */
  command(query: string, id?: string): Promise<void>;
  /** Rows of a small result. */
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
}

/** One after the other. */
export async function runAll(runner: SqlRunner, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await runner.command(statement);
}
