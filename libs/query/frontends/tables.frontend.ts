import { didYouMean, MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { namedColumns, type TableDescription } from '../catalog.js';
import { nameFinder } from '../name-of.js';
import type { Condition } from '../plan/condition.js';
import type { TablePlan } from '../plan/table-plan.js';
import { pageOffset } from './page-offset.js';
import { planFilter } from './table-filter.js';

const KNOWN = ['columns', 'sort', 'limit', 'offset', 'page', 'filter[column]operator'];
/** `]` may be in a column's name, so the last one ends it. */
const FILTER = /^filter\[(.*)\]([^\]]*)$/s;
const COUNT_MAX = 2 ** 53 - 1;
const FILTERS_MAX = 100;

/**
 * `?columns=a,b&filter[a]gt=1&sort=-a&limit=10&offset=20` over one table; `page` counts from 1 and
 * needs `limit`. Several filters must all hold.
 * @throws {MillraceError} INVALID_PARAMETER, UNKNOWN_COLUMN
 */
export function planTableRead(
  table: TableDescription,
  parameters: Readonly<Record<string, unknown>>,
): TablePlan {
  const filters: Condition[] = [];
  const single: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const filter = FILTER.exec(name);
    if (filter) {
      const [, column = '', operator = ''] = filter;
      for (const each of [value].flat())
        filters.push(planFilter(findColumn(table, column), operator, String(each)));
    } else single[name] = once(name, value);
  }
  if (filters.length > FILTERS_MAX)
    throw invalid(`at most ${FILTERS_MAX} filters, not ${filters.length}`);
  const { columns, sort } = single;
  const limit = count('limit', single.limit);
  return {
    table: table.name,
    columns: distinct(names(table, columns).map((name) => findColumn(table, name).name)),
    where: filters.length > 0 ? { kind: 'and', conditions: filters } : undefined,
    sort: names(table, sort).map((key) => sortKey(table, key)),
    ties: table.arrivalColumns ?? [],
    limit,
    offset: pageOffset({
      page: count('page', single.page),
      offset: count('offset', single.offset),
      limit,
    }),
  };
}

function once(name: string, value: unknown): string {
  if (!KNOWN.includes(name)) {
    throw invalid(
      `unknown parameter ${JSON.stringify(name.slice(0, 80))}${didYouMean(name, KNOWN)}; known are ${KNOWN.join(', ')}`,
    );
  }
  if (typeof value !== 'string') throw invalid(`parameter ${name} may stand once`);
  return value;
}

/** Names separated by commas. A name that contains commas may stand alone. */
const names = (table: TableDescription, list: string | undefined): readonly string[] => {
  if (list === undefined || list === '') return [];
  return namedColumns(table).some(({ name }) => name === list) ? [list] : list.split(',');
};

function distinct(columns: readonly string[]): readonly string[] {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`column ${JSON.stringify(twice)} may stand once`);
  return columns;
}

/**
 * A column may be called `-a`, so the whole key is looked up first. A `+` in a URL arrives as a
 * blank.
 */
function sortKey(table: TableDescription, key: string): TablePlan['sort'][number] {
  if (namedColumns(table).some(({ name }) => name === key))
    return { column: key, descending: false };
  return {
    column: findColumn(table, key.replace(/^[+\- ]/, '')).name,
    descending: key.startsWith('-'),
  };
}

/** @throws {MillraceError} UNKNOWN_COLUMN, with a similar name. */
export function findColumn(table: TableDescription, name: string): Column {
  const columns = namedColumns(table);
  const exact = columns.find((each) => each.name === name);
  if (exact) return exact;
  const known = columns.map((each) => each.name);
  const meant = nameFinder(known)(name);
  const column = columns.find((each) => each.name === meant);
  if (column) return column;
  throw new MillraceError(
    'UNKNOWN_COLUMN',
    `table ${table.name} has no column ${JSON.stringify(name.slice(0, 200))}${didYouMean(name.slice(0, 200), known)}`,
  );
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= COUNT_MAX) return value;
  throw invalid(
    `parameter ${name}: want a whole number from 0 on, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}

function invalid(message: string): MillraceError {
  return new MillraceError('INVALID_PARAMETER', message);
}
