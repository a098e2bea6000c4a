import { quoteIdentifier } from '@app/warehouse';
import { Bindings, type BoundStatement } from './bindings.js';
import type { Comparison, Condition } from './condition.js';
import type { TablePlan } from './table-plan.js';

/**
 * Writes the statement of a plan. Names are quoted and values bound, so no text of a client is
 * pasted in.
 */
export function renderTableRead(plan: TablePlan): BoundStatement {
  const { table, columns, where, sort, ties, limit, offset } = plan;
  const bindings = new Bindings();
  const selected = columns.length > 0 ? columns.map(quoteIdentifier).join(', ') : '*';
  const clauses = [`SELECT ${selected} FROM ${quoteIdentifier(table)}`];
  if (where) clauses.push(`WHERE ${renderCondition(where, bindings)}`);
  const order = sort.map(({ column, descending }) => ({
    key: quoteIdentifier(column),
    descending,
  }));
  clauses.push(...renderPage({ order, ties: ties.map(quoteIdentifier), limit, offset }));
  return { sql: clauses.join(' '), values: bindings.values };
}

export interface Page {
  /** Expressions of the statement. */
  readonly order: readonly { readonly key: string; readonly descending: boolean }[];
  /** Columns that order equal rows. They are needed only where pages follow one another. */
  readonly ties: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

/** ORDER BY, LIMIT and OFFSET. Nulls come first in both directions, as ROAPI has it. */
export function renderPage({ order, ties, limit, offset }: Page): string[] {
  const keys = order.map(
    ({ key, descending }) => `${key} ${descending ? 'DESC' : 'ASC'} NULLS FIRST`,
  );
  // The first rows of all need no order, and the newest are read without sorting.
  if (keys.length > 0 && offset !== undefined) keys.push(...ties);
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
      return `${bindings.column(condition.column)} IS NULL`;
    case 'notnull':
      return `${bindings.column(condition.column)} IS NOT NULL`;
    case 'in':
    case 'nin': {
      const { kind, column, values, isFixed } = condition;
      if (values.length === 0) return kind === 'in' ? 'false' : 'true';
      const placeholders = values.map((value) => bindings.add(value)).join(', ');
      const name = bindings.column(column);
      const sought = isFixed ? `toString(${name})` : name;
      return `${sought} ${kind === 'in' ? 'IN' : 'NOT IN'} (${placeholders})`;
    }
    default: {
      const { kind, column, value } = condition;
      return `${bindings.column(column)} ${SYMBOLS[kind]} ${bindings.add(value)}`;
    }
  }
}
