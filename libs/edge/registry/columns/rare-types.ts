import { INTERVAL_BYTES, intervalText } from '@app/parquet';
import {
  quoteIdentifier,
  quoteText,
  WarehouseError,
  type Column,
  type SourceEngine,
} from '@app/warehouse';
import { settingsClause, type Source } from '../../sources/source.js';
import type { ComputedColumn } from './computed-column.js';
import { answeredRows } from '../../sources/answered-rows.js';

const TIME_OF_DAY = /^(?:Nullable\()?Time64\((\d)\)/;
const OF_TEXT = /^(?:Nullable\()?String\b/;
const OF_INTERVAL = new RegExp(`^(?:Nullable\\()?FixedString\\(${INTERVAL_BYTES}\\)`);

/**
 * Says how to read times of day of Parquet. The engine passes over whole days: 25 hours, as some
 * programs write a length of time, would be 1 o'clock.
 */
export function timesOfDay(columns: readonly Column[]): ReadonlyMap<string, ComputedColumn> {
  return new Map(
    columns.flatMap(({ name, type }): [string, ComputedColumn][] => {
      const digits = TIME_OF_DAY.exec(type)?.[1];
      if (digits === undefined) return [];
      const moment = quoteIdentifier(name);
      const at = (day: string): string => `toDateTime64('1970-01-${day} 00:00:00', ${digits}, 'UTC')`; // prettier-ignore
      const isOther = `ifNull(${moment} < ${at('01')} OR ${moment} >= ${at('02')}, 0)`;
      const told = `column ${JSON.stringify(name)} has a time of day beyond 24 hours, as some programs write lengths of time: declare it a timestamp in \`schema\`, which counts from 1970-01-01`;
      const checked = `if(throwIf(${isOther}, ${quoteText(told)}) = 0, ${moment}, NULL)`;
      const value = `toTime64(${checked}, ${digits})`;
      return [[name, { readAs: `Nullable(DateTime64(${digits}, 'UTC'))`, type: `Nullable(Time64(${digits}))`, value }]]; // prettier-ignore
    }),
  );
}

/**
 * Says how to read intervals of Parquet, which the engine knows as bytes: as text.
 * @param isDeclared the columns are not those that the engine describes, and there may be no file yet
 */
export async function intervals(
  { columns, isDeclared }: { readonly columns: readonly Column[]; readonly isDeclared: boolean },
  { footers, settings }: Source,
  statements: SourceEngine['statements'],
): Promise<ReadonlyMap<string, ComputedColumn>> {
  const wanted = isDeclared ? OF_TEXT : OF_INTERVAL;
  if (footers === undefined || !columns.some(({ type }) => wanted.test(type))) return new Map();
  const paths = `arrayMap(each -> tupleElement(each, 'path'), arrayFilter(each -> tupleElement(each, 'logical_type') = 'Interval', columns))`;
  const sql = `SELECT DISTINCT arrayJoin(${paths}) FROM ${footers}${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const told = await statements.run(sql).catch((error: unknown) => {
    if (isDeclared && error instanceof WarehouseError) return '';
    throw error;
  });
  const names = new Set(answeredRows<readonly [string]>(told).map(([name]) => name));
  return new Map(
    columns
      .filter(({ name, type }) => names.has(name) && wanted.test(type))
      .map(({ name }) => {
        const value = intervalText(quoteIdentifier(name));
        const readAs = `Nullable(FixedString(${INTERVAL_BYTES}))`;
        return [name, { readAs, type: 'Nullable(String)', value }];
      }),
  );
}
