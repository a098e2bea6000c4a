import type { SourceEngine } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, type Source } from '../../sources/source.js';

const IS_NAMELESS = "arrayExists(each -> match(tupleElement(each, 'path'), '^([.]|$)'), columns)";
const COUNTED = "arraySum(each -> tupleElement(each, 'num_rows'), row_groups)";

/**
 * Refuses Parquet of which the engine would read something else, and report nothing: it skips a column
 * without a name, and counts the rows that the footer says it has.
 * @param isDeclared the columns that are read have been declared
 * @throws {SourceError}
 */
export async function refuseFaultyFooters(
  { footers, settings }: Source,
  statements: SourceEngine['statements'],
  isDeclared = false,
): Promise<void> {
  if (footers === undefined) return;
  const told = `${IS_NAMELESS} AS is_nameless, num_rows, ${COUNTED} AS counted`;
  const sql = `SELECT is_nameless, num_rows, counted FROM (SELECT ${told} FROM ${footers}) WHERE is_nameless OR num_rows != counted LIMIT 1${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const answer = await statements.run(sql);
  if (answer === '') return;
  const [isNameless, rows, counted] = JSON.parse(answer) as FaultyFooter;
  if (rows !== counted)
    throw new SourceError(
      `its footer says that it has ${rows} rows, and its row groups have ${counted}: write it anew`,
    );
  if (isNameless && !isDeclared)
    throw new SourceError(
      'a column has no name, and no table here can have it: give it one, or declare the columns that are wanted in `schema`',
    );
}

type FaultyFooter = readonly [isNameless: number | boolean, rows: number, counted: number];
