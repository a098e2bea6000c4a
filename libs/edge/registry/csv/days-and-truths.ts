import { quoteIdentifier, type Column, type SourceEngine } from '@app/warehouse';
import { BEGINNING_ROWS } from '../../sources/engine-format.js';
import { settingsClause, type Source } from '../../sources/source.js';
import { isDay, MICROSECONDS } from '../check/doubts.js';
import { withLeaves } from '../check/leaves.js';

const TEXT = 'Nullable(String)';

/** A type that the engine does not find out, but reads. */
interface Kind {
  readonly type: string;
  /** Types that the engine may have found for such values. */
  readonly candidates: readonly string[];
  /** SQL that tells whether a text is such a value. */
  readonly is: (text: string) => string;
}

/** The engine knows days from 1970 to 2149 alone, and takes others for times, or for texts. */
const DAYS: Kind = {
  type: 'Nullable(Date32)',
  candidates: [TEXT, `Nullable(${MICROSECONDS})`],
  is: isDay,
};
/** Python and spreadsheets write truths so. */
const TRUTHS: Kind = {
  type: 'Nullable(Bool)',
  candidates: [TEXT],
  is: (text) => `${text} IN ('true', 'false', 'True', 'False', 'TRUE', 'FALSE')`,
};

interface Reading {
  /** Names of columns whose values are in the names of folders. */
  readonly folders: ReadonlySet<string>;
  /** Nobody has found truths in quotes, which the engine does not read. */
  readonly areTruthsBare: boolean;
  readonly source: Source;
  readonly statements: SourceEngine['statements'];
}

/** Gives days and truths their type where the engine has found none for them. */
export async function withDaysAndTruths(
  columns: readonly Column[],
  reading: Reading,
): Promise<readonly Column[]> {
  const dated = await withKind(DAYS, columns, reading);
  return reading.areTruthsBare ? withKind(TRUTHS, dated, reading) : dated;
}

async function withKind(
  { type: wantedType, candidates: types, is }: Kind,
  columns: readonly Column[],
  { folders, source, statements }: Reading,
): Promise<readonly Column[]> {
  const asTexts = columns.map(({ name, type }) => ({
    name,
    type: folders.has(name) ? type : withLeaves(type, () => 'String'),
  }));
  const call = source.call(asTexts);
  /** The names among these whose values are all of the kind, in these rows. */
  const allOfKind = async (
    names: readonly string[],
    isWhole: boolean,
  ): Promise<readonly string[]> => {
    if (names.length === 0) return [];
    const tests = names.map((name) => {
      const value = quoteIdentifier(name);
      const isOdd = `countIf(${value} != '' AND NOT ${is(value)}) > 0`;
      return isWhole ? `NOT (${isOdd}) AND countIf(${value} != '') > 0` : `NOT (${isOdd})`;
    });
    const wanted = names.map(quoteIdentifier).join(', ');
    const rows = `SELECT ${wanted} FROM ${call}${isWhole ? '' : ` LIMIT ${BEGINNING_ROWS}`}`;
    const sql = `SELECT [${tests.join(', ')}] FROM (${rows})${settingsClause(source.settings)} FORMAT JSONCompactEachRow`;
    const [are] = JSON.parse(await statements.run(sql)) as readonly [readonly number[]];
    return names.filter((_, at) => Number(are[at]) === 1);
  };
  const candidates = columns.filter(({ name, type }) => types.includes(type) && !folders.has(name));
  const begun = await allOfKind(candidates.map(({ name }) => name), false); // prettier-ignore
  const found = new Set(await allOfKind(begun, true));
  return columns.map((column) =>
    found.has(column.name) ? { ...column, type: wantedType } : column,
  );
}
