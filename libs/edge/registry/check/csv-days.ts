import { quoteIdentifier, type Column, type SourceEngine } from '@app/warehouse';
import { BEGINNING_ROWS } from '../../sources/engine-format.js';
import { settingsClause, structureOf, type Source } from '../../sources/source.js';
import { isDay, MICROSECONDS } from './doubts.js';
import { withLeaves } from './leaves.js';

const CANDIDATES = new Set(['Nullable(String)', `Nullable(${MICROSECONDS})`]);
const DAY_TYPE = 'Nullable(Date32)';

/**
 * Gives days their type where the engine has found none for them: it knows days from 1970 to 2149
 * alone, and takes others for times, or for texts.
 * @param folders names of columns whose values are in the names of folders
 */
export async function withDays(
  columns: readonly Column[],
  folders: ReadonlySet<string>,
  source: Source,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  const asTexts = columns.map(({ name, type }) => ({
    name,
    type: folders.has(name) ? type : withLeaves(type, () => 'String'),
  }));
  const call = source.call(structureOf(asTexts));
  /** The names among these whose values are days, in these rows. */
  const days = async (names: readonly string[], isWhole: boolean): Promise<readonly string[]> => {
    if (names.length === 0) return [];
    const tests = names.map((name) => {
      const value = quoteIdentifier(name);
      const isOdd = `countIf(${value} != '' AND NOT ${isDay(value)}) > 0`;
      return isWhole ? `NOT (${isOdd}) AND countIf(${value} != '') > 0` : `NOT (${isOdd})`;
    });
    const wanted = names.map(quoteIdentifier).join(', ');
    const rows = `SELECT ${wanted} FROM ${call}${isWhole ? '' : ` LIMIT ${BEGINNING_ROWS}`}`;
    const sql = `SELECT [${tests.join(', ')}] FROM (${rows})${settingsClause(source.settings)} FORMAT JSONCompactEachRow`;
    const [are] = JSON.parse(await statements.run(sql)) as readonly [readonly number[]];
    return names.filter((_, at) => Number(are[at]) === 1);
  };
  const candidates = columns.filter(({ name, type }) => CANDIDATES.has(type) && !folders.has(name));
  const begun = await days(candidates.map(({ name }) => name), false); // prettier-ignore
  const found = new Set(await days(begun, true));
  return columns.map((column) => (found.has(column.name) ? { ...column, type: DAY_TYPE } : column));
}
