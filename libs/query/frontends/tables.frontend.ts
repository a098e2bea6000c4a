import { MillraceError } from '@app/platform';
import type { TableDescription } from '../catalog.js';
import { didYouMean } from '../near-name.js';
import type { TablePlan } from '../plan/table-plan.js';

const KNOWN = ['columns', 'sort', 'limit', 'offset'];
const LIMIT_MAX = 2 ** 53 - 1;

/**
 * `?columns=a,b&sort=-a&limit=10&offset=20` over one table.
 * @throws {MillraceError} INVALID_PARAMETER, UNKNOWN_COLUMN
 */
export function planTableRead(
  table: TableDescription,
  parameters: Readonly<Record<string, unknown>>,
): TablePlan {
  for (const [name, value] of Object.entries(parameters)) {
    if (name.startsWith('filter[')) {
      throw new MillraceError(
        'INVALID_PARAMETER',
        'filter[…] is not there yet; use POST /api/{org}/sql with a WHERE',
      );
    }
    if (!KNOWN.includes(name)) {
      throw new MillraceError(
        'INVALID_PARAMETER',
        `unknown parameter ${JSON.stringify(name)}${didYouMean(name, KNOWN)}; known are ${KNOWN.join(', ')}`,
      );
    }
    if (typeof value !== 'string')
      throw new MillraceError('INVALID_PARAMETER', `parameter ${name} may stand once`);
  }
  const { columns, sort, limit, offset } = parameters as Readonly<
    Record<string, string | undefined>
  >;
  return {
    table: table.name,
    columns: names(columns).map((name) => column(table, name)),
    sort: names(sort).map((key) => ({
      column: column(table, key.replace(/^[+-]/, '')),
      descending: key.startsWith('-'),
    })),
    limit: count('limit', limit),
    offset: count('offset', offset),
  };
}

const names = (list: string | undefined): readonly string[] =>
  list === undefined || list === '' ? [] : list.split(',');

function column(table: TableDescription, name: string): string {
  const known = table.columns.map((each) => each.name);
  if (known.includes(name)) return name;
  throw new MillraceError(
    'UNKNOWN_COLUMN',
    `table ${table.name} has no column ${JSON.stringify(name)}${didYouMean(name, known)}`,
  );
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= LIMIT_MAX) return value;
  throw new MillraceError(
    'INVALID_PARAMETER',
    `parameter ${name}: want a whole number from 0 on, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}
