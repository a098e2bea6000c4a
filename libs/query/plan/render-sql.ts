import { quoteIdentifier } from '@app/warehouse';
import { Bindings, type BoundStatement } from './bindings.js';
import type { Comparison, Condition } from './condition.js';
import type { TablePlan } from './table-plan.js';

/** The statement of a plan. Names are quoted, values bound: nothing of a client's text is pasted. */
export function renderTableRead(plan: TablePlan): BoundStatement {
  const { table, columns, where, sort, limit, offset } = plan;
  const bindings = new Bindings();
  const selected = columns.length > 0 ? columns.map(quoteIdentifier).join(', ') : '*';
  const clauses = [`SELECT ${selected} FROM ${quoteIdentifier(table)}`];
  if (where) clauses.push(`WHERE ${renderCondition(where, bindings)}`);
  clauses.push(...renderPage({ sort, limit, offset }));
  return { sql: clauses.join(' '), values: bindings.values };
}

/** ORDER BY, LIMIT and OFFSET. Nulls come first in both directions, as ROAPI has it. */
export function renderPage({
  sort,
  limit,
  offset,
}: Pick<TablePlan, 'sort' | 'limit' | 'offset'>): string[] {
  const keys = sort.map(
    ({ column, descending }) =>
      `${quoteIdentifier(column)} ${descending ? 'DESC' : 'ASC'} NULLS FIRST`,
  );
  return [
    ...(keys.length > 0 ? [`ORDER BY ${keys.join(', ')}`] : []),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
    ...(offset === undefined ? [] : [`OFFSET ${offset}`]),
  ];
}

const SYMBOLS: Readonly<Record<Comparison, string>> = {
  eq: '=',
  ne: '!=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: 'LIKE',
  nlike: 'NOT LIKE',
  ilike: 'ILIKE',
};

export function renderCondition(condition: Condition, bindings: Bindings): string {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const { kind, conditions } = condition;
      if (conditions.length === 0) return kind === 'and' ? 'true' : 'false';
      return conditions
        .map((each) => `(${renderCondition(each, bindings)})`)
        .join(kind === 'and' ? ' AND ' : ' OR ');
    }
    case 'not':
      return `NOT (${renderCondition(condition.condition, bindings)})`;
    case 'isnull':
      return `${quoteIdentifier(condition.column)} IS NULL`;
    case 'notnull':
      return `${quoteIdentifier(condition.column)} IS NOT NULL`;
    case 'in':
    case 'nin': {
      const { kind, column, values } = condition;
      if (values.length === 0) return kind === 'in' ? 'false' : 'true';
      const placeholders = values.map((value) => bindings.add(value)).join(', ');
      return `${quoteIdentifier(column)} ${kind === 'in' ? 'IN' : 'NOT IN'} (${placeholders})`;
    }
    default: {
      const { kind, column, value } = condition;
      return `${quoteIdentifier(column)} ${SYMBOLS[kind]} ${bindings.add(value)}`;
    }
  }
}
