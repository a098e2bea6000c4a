/** Runs statements on an engine, at any place. @throws {WarehouseError} */
export interface SqlRunner {
  /**
   * Runs a statement without a result. It resolves when the engine has done the work.
   * @param id the statement's id on a server
   */
  command(query: string, id?: string): Promise<void>;
  /** Rows of a small result. */
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
}

/** Runs statements one after the other. */
export async function runAll(runner: SqlRunner, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await runner.command(statement);
}
