import type { Column, SourceEngine } from '@app/warehouse';
import { quoteIdentifier, quoteText } from '@app/warehouse';

/** Lets the engine here work with fetched Parquet files. */
export class LocalFiles {
  constructor(private readonly statements: SourceEngine['statements']) {}

  /** @throws if it is not a complete Parquet file */
  async rows(file: string): Promise<number> {
    return Number(
      await this.statements.run(`SELECT count() FROM file(${quoteText(file)}, Parquet)`),
    );
  }

  /** Writes the rows of all files into one. A file may lack some of the columns. */
  async merge(files: readonly string[], columns: readonly Column[], into: string): Promise<void> {
    const structure = columns
      .map(({ name, type }) => `${quoteIdentifier(name)} ${type}`)
      .join(', ');
    const rows = files
      .map((file) => `SELECT * FROM file(${quoteText(file)}, Parquet, ${quoteText(structure)})`)
      .join(' UNION ALL ');
    await this.statements.run(
      `INSERT INTO FUNCTION file(${quoteText(into)}, Parquet) SELECT * FROM (${rows}) SETTINGS engine_file_truncate_on_insert = 1`,
    );
  }
}
