import type { SourceEngine } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, type Source } from '../../sources/source.js';

/**
 * The engine skips a column of Parquet without a name, and reports nothing. The first file stands
 * for all files of a table.
 * @throws {SourceError}
 */
export async function refuseNameless(
  { footers, settings }: Source,
  statements: SourceEngine['statements'],
): Promise<void> {
  if (footers === undefined) return;
  const isNameless = "arrayExists(each -> match(tupleElement(each, 'path'), '^([.]|$)'), columns)";
  const sql = `SELECT ${isNameless} FROM ${footers} LIMIT 1${settingsClause(settings)} FORMAT TSVRaw`;
  if ((await statements.run(sql)).trim() === '1')
    throw new SourceError(
      'a column has no name, and no table here can have it: give it one, or declare the columns that are wanted in `schema`',
    );
}
