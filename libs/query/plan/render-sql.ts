import { quoteIdentifier } from '@app/warehouse';
import type { TablePlan } from './table-plan.js';

/** The statement of a plan. Names are quoted, numbers are numbers: nothing of a client's text is pasted. */
export function renderTableRead({ table, columns, sort, limit, offset }: TablePlan): string {
  const selected = columns.length > 0 ? columns.map(quoteIdentifier).join(', ') : '*';
  const clauses = [`SELECT ${selected} FROM ${quoteIdentifier(table)}`];
  if (sort.length > 0) {
    const keys = sort.map(
      ({ column, descending }) => `${quoteIdentifier(column)} ${descending ? 'DESC' : 'ASC'}`,
    );
    clauses.push(`ORDER BY ${keys.join(', ')}`);
  }
  if (limit !== undefined) clauses.push(`LIMIT ${limit}`);
  if (offset !== undefined) clauses.push(`OFFSET ${offset}`);
  return clauses.join(' ');
}
