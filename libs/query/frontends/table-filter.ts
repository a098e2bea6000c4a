import { didYouMean, MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { columnKind, readValue } from '../plan/bound-value.js';
import { membershipOf, type Comparison, type Condition } from '../plan/condition.js';

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '': 'eq',
  eq: 'eq',
  ne: 'ne',
  neq: 'ne',
  lt: 'lt',
  lte: 'lte',
  lteq: 'lte',
  gt: 'gt',
  gte: 'gte',
  gteq: 'gte',
  like: 'like',
  nlike: 'nlike',
  ilike: 'ilike',
};
export const FILTER_OPERATORS: readonly string[] = [
  ...Object.keys(COMPARISONS).filter((name) => name !== ''),
  'in',
  'nin',
  'isnull',
];
export const LIST_MAX = 1000;
const NULL = /^null$/i;

export const comparisonOf = (operator: string): Comparison | undefined =>
  Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;

/**
 * One `filter[column]operator=value`. A text may stand in single quotes, with `''` for a quote, as
 * in ROAPI; without quotes it is used as it is. An unquoted `null` with eq or ne means null.
 * @param column the named column, as the caller has looked it up.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function planFilter(column: Column, operator: string, value: string): Condition {
  const { name } = column;
  if (operator === 'isnull') {
    if (!/^(?:true|false|)$/i.test(value))
      throw invalid(`filter[${name}]isnull: want true or false`);
    return { kind: /^false$/i.test(value) ? 'notnull' : 'isnull', column: name };
  }
  if (operator === 'in' || operator === 'nin') {
    const values = splitList(value, name).map((each) => readValue(column, unquote(each)));
    return membershipOf(column, operator, values);
  }
  const kind = comparisonOf(operator);
  if (!kind) {
    throw invalid(
      `unknown filter operator ${JSON.stringify(operator.slice(0, 40))}${didYouMean(operator, FILTER_OPERATORS)}; known are ${FILTER_OPERATORS.join(', ')}`,
    );
  }
  if (NULL.test(value) && kind === 'eq') return { kind: 'isnull', column: name };
  if (NULL.test(value) && kind === 'ne') return { kind: 'notnull', column: name };
  if (kind.endsWith('like') && columnKind(column.type) !== 'text')
    throw invalid(`filter[${name}]${operator}: the column holds no text`);
  return { kind, column: name, value: readValue(column, unquote(value)) };
}

function unquote(value: string): string {
  const quoted = /^'((?:[^']|'')*)'$/s.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replaceAll("''", "'");
}

/** `1,2` or `'a,b','c'`, in brackets or without. Commas within quotes do not separate. */
function splitList(value: string, name: string): readonly string[] {
  const inside = /^\((.*)\)$/s.exec(value)?.[1] ?? value;
  const items = inside.match(/(?:^|,)(?:'(?:[^']|'')*'(?=,|$)|[^,]*)/gs) ?? [];
  const list = items.map((item, index) => (index === 0 ? item : item.slice(1)).trim());
  if (list.length > LIST_MAX)
    throw invalid(`filter[${name}]in: at most ${LIST_MAX} values, not ${list.length}`);
  return list;
}

function invalid(message: string): MillraceError {
  return new MillraceError('INVALID_PARAMETER', message);
}
