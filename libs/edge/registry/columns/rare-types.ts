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
import { withLeaves } from './with-leaves.js';

const TIME_OF_DAY = /\bTime64\((\d)\)/g;
const SINGLE = /^(?:Nullable\()?Time64\(/;
const OF_TEXT = /^(?:Nullable\()?String\b/;
const BYTES = `FixedString(${INTERVAL_BYTES})`;
const OF_INTERVAL = new RegExp(`\\bFixedString\\(${INTERVAL_BYTES}\\)`, 'g');

/**
 * Says how to read times of day of Parquet. The engine passes over whole days: 25 hours, as some
 * programs write a length of time, would be 1 o'clock.
 */
export function timesOfDay(columns: readonly Column[]): ReadonlyMap<string, ComputedColumn> {
  return new Map(
    columns.flatMap(({ name, type }): [string, ComputedColumn][] => {
      const readAs = type.replace(TIME_OF_DAY, "DateTime64($1, 'UTC')");
      if (readAs === type) return [];
      const value = withLeaves(
        quoteIdentifier(name),
        type,
        (moment, { name: kind, parameters: [digits = ''] }) =>
          kind === 'Time64' ? checkedTime(moment, digits, name) : moment,
      );
      // A value with others within it is cast to the type that is served, which names the fields of structs.
      const isSingle = SINGLE.test(type);
      return [[name, { readAs: isSingle ? nullable(readAs) : readAs, type: isSingle ? nullable(type) : '', value }]]; // prettier-ignore
    }),
  );
}

const nullable = (type: string): string =>
  type.startsWith('Nullable(') ? type : `Nullable(${type})`;

function checkedTime(moment: string, digits: string, column: string): string {
  const at = (day: string): string => `toDateTime64('1970-01-${day} 00:00:00', ${digits}, 'UTC')`;
  const isOther = `ifNull(${moment} < ${at('01')} OR ${moment} >= ${at('02')}, 0)`;
  const told = `column ${JSON.stringify(column)} has a time of day beyond 24 hours, as some programs write lengths of time: declare it a timestamp in \`schema\`, which counts from 1970-01-01`;
  const checked = `if(throwIf(${isOther}, ${quoteText(told)}) = 0, ${moment}, NULL)`;
  return `toTime64(${checked}, ${digits})`;
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
  const mayBe = ({ type }: Column): boolean => isDeclared ? OF_TEXT.test(type) : type.includes(BYTES); // prettier-ignore
  if (footers === undefined || !columns.some(mayBe)) return new Map();
  const paths = `arrayMap(each -> tupleElement(each, 'path'), arrayFilter(each -> tupleElement(each, 'logical_type') = 'Interval', columns))`;
  const sql = `SELECT DISTINCT arrayJoin(${paths}) FROM ${footers}${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const told = await statements.run(sql).catch((error: unknown) => {
    if (isDeclared && error instanceof WarehouseError) return '';
    throw error;
  });
  const found = answeredRows<readonly [string]>(told).map(([path]) => path);
  return new Map(
    columns.filter(mayBe).flatMap(({ name, type }): [string, ComputedColumn][] => {
      const column = quoteIdentifier(name);
      if (found.includes(name)) {
        const readAs = `Nullable(${BYTES})`;
        return [[name, { readAs, type: 'Nullable(String)', value: intervalText(column) }]];
      }
      // Other bytes of the same length cannot be told from intervals, unless all within are such.
      const within = found.filter((path) => path.startsWith(`${name}.`)).length;
      if (isDeclared || within !== type.match(OF_INTERVAL)?.length) return [];
      const shown = type.replace(OF_INTERVAL, 'String');
      const texts = withLeaves(column, type, (value, { name: kind, parameters }) =>
        kind === 'FixedString' && parameters[0] === String(INTERVAL_BYTES)
          ? intervalText(value)
          : value,
      );
      return [[name, { readAs: type, type: shown, value: `CAST(${texts}, ${quoteText(shown)})` }]];
    }),
  );
}
