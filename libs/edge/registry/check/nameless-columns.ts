import type { SourceEngine } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, type Source } from '../../sources/source.js';

/**
 * The engine leaves a column of Parquet out that has no name, and says nothing. A table's first file
 * tells for all.
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
