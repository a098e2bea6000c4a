import type { Column, SourceEngine } from '@app/warehouse';
import { settingsClause, type Source } from '../../sources/source.js';

/** A column of single values within a Parquet file, as the engine describes it from the footer. */
interface Leaf {
  readonly path: string;
  readonly physical_type: string;
  readonly logical_type: string;
}

const MOMENTS = /DateTime64\((\d)[^)]*\)/g;

/**
 * Gives times of day in Parquet their type. By default the engine reads them as moments of 1
 * January 1970; with a declared type it reads them correctly. The first file stands for all files
 * of a table.
 */
export async function withTimesOfDay(
  columns: readonly Column[],
  { footers, settings }: Source,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  if (footers === undefined || !columns.some(({ type }) => type.includes('DateTime64')))
    return columns;
  const sql = `SELECT columns FROM ${footers} LIMIT 1${settingsClause(settings)} FORMAT JSONEachRow`;
  const [line = ''] = (await statements.run(sql)).split('\n', 1);
  const { columns: leaves } = (line === '' ? { columns: [] } : JSON.parse(line)) as {
    readonly columns: readonly Leaf[];
  };
  return columns.map((column) => ({ ...column, type: typed(column, leaves) }));
}

/** Moments and times of day stand in the type in the order of the file's columns. */
function typed({ name, type }: Column, leaves: readonly Leaf[]): string {
  const timed = leaves.filter(
    ({ path, physical_type: physical, logical_type: logical }) =>
      (path === name || path.startsWith(`${name}.`)) &&
      (/^Time(?:stamp)?\(/.test(logical) || physical === 'INT96'),
  );
  if (timed.length !== (type.match(MOMENTS)?.length ?? 0)) return type;
  let at = 0;
  return type.replace(MOMENTS, (moment: string, digits: string) => {
    const isTimeOfDay = timed[at]?.logical_type.startsWith('Time(') ?? false;
    at += 1;
    return isTimeOfDay ? `Time64(${digits})` : moment;
  });
}
