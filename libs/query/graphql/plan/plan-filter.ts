import { didYouMean, MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { comparisonOf, FILTER_OPERATORS, LIST_MAX } from '../../frontends/table-filter.js';
import { columnKind, readValue, type BoundValue } from '../../plan/bound-value.js';
import { membershipOf, type Condition } from '../../plan/condition.js';
import type { SchemaTable } from '../schema/organization-schema.js';
import { NumberText } from '../schema/graphql-scalars.js';

/** A `filter` argument as conditions on columns. @throws {MillraceError} INVALID_PARAMETER */
export function planFilter(
  { named, connectives }: Pick<SchemaTable, 'named' | 'connectives'>,
  filter: Readonly<Record<string, unknown>>,
): Condition {
  const { and, or, not } = connectives;
  const plan = (inner: unknown): Condition =>
    planFilter({ named, connectives }, inner as Record<string, unknown>);
  const conditions = Object.entries(filter).flatMap(([name, value]): Condition[] => {
    const column = named.get(name)?.column;
    if (column) return planColumn(column, value);
    if (value === null) return [];
    if (name === not) return [{ kind: 'not', condition: plan(value) }];
    if (name !== and && name !== or) return [];
    const kind = name === and ? 'and' : 'or';
    return [{ kind, conditions: (value as unknown[]).map(plan) }];
  });
  return { kind: 'and', conditions };
}

function planColumn(column: Column, value: unknown): Condition[] {
  if (Array.isArray(value)) return [planOperator(column, 'in', value)];
  if (typeof value !== 'object' || value === null || value instanceof NumberText)
    return [planOperator(column, 'eq', value)];
  return Object.entries(value).map(([operator, each]) => planOperator(column, operator, each));
}

function planOperator(column: Column, operator: string, value: unknown): Condition {
  const { name } = column;
  if (operator === 'isnull') {
    if (typeof value !== 'boolean') throw invalid(`filter ${name}: isnull is true or false`);
    return { kind: value ? 'isnull' : 'notnull', column: name };
  }
  if (operator === 'in' || operator === 'nin') {
    if (!Array.isArray(value)) throw invalid(`filter ${name}: ${operator} takes a list`);
    if (value.length > LIST_MAX)
      throw invalid(`filter ${name}: at most ${LIST_MAX} values, not ${value.length}`);
    const values = value.map((each) => bind(column, each));
    return membershipOf(column, operator, values);
  }
  const kind = comparisonOf(operator);
  if (!kind || operator === '') {
    throw invalid(
      `filter ${name}: unknown operator ${JSON.stringify(operator.slice(0, 40))}${didYouMean(operator, FILTER_OPERATORS)}; known are ${FILTER_OPERATORS.join(', ')}`,
    );
  }
  if (value === null && kind === 'eq') return { kind: 'isnull', column: name };
  if (value === null && kind === 'ne') return { kind: 'notnull', column: name };
  if (kind.endsWith('like') && columnKind(column.type) !== 'text')
    throw invalid(`filter ${name}: ${operator} needs a column of text`);
  return { kind, column: name, value: bind(column, value) };
}

function bind(column: Column, value: unknown): BoundValue {
  if (value instanceof NumberText) return readValue(column, value.text);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return readValue(column, String(value));
  throw invalid(
    `filter ${column.name}: want a value, not ${value === null ? 'null' : 'a list or an object'}`,
  );
}

function invalid(message: string): MillraceError {
  return new MillraceError('INVALID_PARAMETER', message);
}
