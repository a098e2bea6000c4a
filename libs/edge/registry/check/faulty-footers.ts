import { BrokenFileError, footerOf, MISREAD_DECIMAL, misreadDecimals } from '@app/parquet';
import { MillraceError } from '@app/platform';
import type { SourceEngine } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, type Source } from '../../sources/source.js';

const IS_NAMELESS = "arrayExists(each -> match(tupleElement(each, 'path'), '^([.]|$)'), columns)";
/** The engine reads 32 bits of each 64. Files of this machine are looked at more closely. */
const IS_NARROW = "tupleElement(each, 'physical_type') = 'INT64' AND match(tupleElement(each, 'logical_type'), '^Decimal[(]precision=[0-9],')"; // prettier-ignore
const NARROW = `arrayMap(each -> tupleElement(each, 'path'), arrayFilter(each -> ${IS_NARROW}, columns))`; // prettier-ignore
const COUNTED = "arraySum(each -> tupleElement(each, 'num_rows'), row_groups)";

/**
 * Refuses Parquet of which the engine would read something else, and report nothing: it skips a column
 * without a name, reads decimals of few digits in 64 bits as others, and counts the rows that the footer
 * says it has.
 * @param declared the names of the columns that are read; absent: all are
 * @throws {SourceError}
 */
export async function refuseFaultyFooters(
  { footers, settings }: Source,
  statements: SourceEngine['statements'],
  declared?: ReadonlySet<string>,
): Promise<void> {
  if (footers === undefined) return;
  const told = `${IS_NAMELESS} AS is_nameless, ${NARROW} AS narrow, num_rows, ${COUNTED} AS counted`;
  const sql = `SELECT is_nameless, narrow, num_rows, counted FROM (SELECT ${told} FROM ${footers}) WHERE is_nameless OR notEmpty(narrow) OR num_rows != counted LIMIT 1${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const answer = await statements.run(sql);
  if (answer === '') return;
  const [isNameless, narrow, rows, counted] = JSON.parse(answer) as FaultyFooter;
  const column = narrow.find((path) => declared?.has(path.replace(/[.].*$/s, '')) ?? true);
  if (column !== undefined)
    throw new SourceError(`column ${JSON.stringify(column)} ${MISREAD_DECIMAL}`);
  if (rows !== counted)
    throw new SourceError(
      `its footer says that it has ${rows} rows, and its row groups have ${counted}: write it anew`,
    );
  if (isNameless && !declared)
    throw new SourceError(
      'a column has no name, and no table here can have it: give it one, or declare the columns that are wanted in `schema`',
    );
}

type FaultyFooter = readonly [
  isNameless: number | boolean,
  narrow: readonly string[],
  rows: number,
  counted: number,
];

/**
 * Refuses a file of Parquet with decimals that the engine would read as others.
 * @param declared the names of the columns that are read; absent: all are
 * @throws {BrokenFileError}
 */
export async function refuseMisreadDecimals(
  file: string,
  declared: readonly string[] | undefined,
): Promise<void> {
  const footer = await footerOf(file, file).catch((error: unknown) => {
    // A file that is none, or is damaged, is told when its columns are asked for.
    if (error instanceof MillraceError) return undefined;
    throw error;
  });
  const found = misreadDecimals(footer?.schema ?? []);
  const column = found.find((name) => declared?.includes(name) ?? true);
  if (column !== undefined)
    throw new BrokenFileError(`column ${JSON.stringify(column)} ${MISREAD_DECIMAL}`);
}
