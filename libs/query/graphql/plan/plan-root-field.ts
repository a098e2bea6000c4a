import { getArgumentValues, type FieldNode, type GraphQLField } from 'graphql';
import { didYouMean, MillraceError } from '@app/platform';
import { quoteIdentifier } from '@app/warehouse';
import { pageOffset } from '../../frontends/page-offset.js';
import { Bindings, type BoundStatement } from '../../plan/bindings.js';
import { renderCondition, renderPage } from '../../plan/render-sql.js';
import type { SelectionReader } from '../collect-selection.js';
import type { SchemaTable } from '../schema/organization-schema.js';
import { aggregateSortKey, selectAggregates } from './plan-aggregate.js';
import { planFilter } from './plan-filter.js';
import { selectColumns } from './plan-selection.js';

/** A table in its statement, so that a column is never taken for an alias of the same name. */
const ROW = '_row_of';

interface Arguments {
  readonly filter?: Readonly<Record<string, unknown>> | null;
  readonly sort?: readonly { readonly field: string; readonly order?: string | null }[] | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly page?: number | null;
}

/**
 * One root field as one statement, which reads the columns that are selected and no others.
 * @throws {MillraceError} INVALID_PARAMETER, UNKNOWN_COLUMN, INVALID_GRAPHQL
 */
export function planRootField(
  { table, aggregate }: { readonly table: SchemaTable; readonly aggregate: boolean },
  definition: GraphQLField<unknown, unknown>,
  nodes: readonly [FieldNode, ...FieldNode[]],
  reader: SelectionReader,
): BoundStatement {
  const args = getArgumentValues(definition, nodes[0], reader.variables) as Arguments;
  const bindings = new Bindings(ROW);
  const column = (name: string): string => bindings.column(name);
  const selection = reader.below(nodes);
  const { selected, groups } = aggregate
    ? selectAggregates(table, selection, reader, column)
    : { selected: selectColumns(table, selection, reader, column), groups: [] };
  const order = (args.sort ?? []).map(({ field, order }) => ({
    key: aggregate
      ? aggregateSortKey(table, field, groups, column)
      : column(sortColumn(table, field)),
    descending: isDescending(order),
  }));
  const clauses = [
    `SELECT ${selected.join(', ')} FROM ${quoteIdentifier(table.table.name)} AS ${quoteIdentifier(ROW)}`,
  ];
  if (args.filter)
    clauses.push(`WHERE ${renderCondition(planFilter(table, args.filter), bindings)}`);
  if (groups.length > 0) clauses.push(`GROUP BY ${groups.join(', ')}`);
  const limit = count('limit', args.limit);
  const offset = pageOffset({
    page: count('page', args.page),
    offset: count('offset', args.offset),
    limit,
  });
  // Objects cannot be sorted, their text can.
  const ties = aggregate
    ? groups.map((group) => `toString(${group})`)
    : (table.table.arrivalColumns ?? []).map(column);
  clauses.push(...renderPage({ order, ties, limit, offset }));
  return { sql: clauses.join(' '), values: bindings.values };
}

function count(name: string, value: number | null | undefined): number | undefined {
  if (typeof value !== 'number') return undefined;
  if (value >= 0) return value;
  throw new MillraceError(
    'INVALID_PARAMETER',
    `${name}: want a whole number from 0 on, not ${value}`,
  );
}

/** @param order of a variable it may be any text. */
function isDescending(order: string | null | undefined): boolean {
  if (order === null || order === undefined || /^asc$/i.test(order)) return false;
  if (/^desc$/i.test(order)) return true;
  throw new MillraceError('INVALID_PARAMETER', 'sort: order is asc or desc');
}

function sortColumn({ named, table }: SchemaTable, field: string): string {
  const name = named.get(field)?.column.name;
  if (name !== undefined) return name;
  throw new MillraceError(
    'UNKNOWN_COLUMN',
    `sort: table ${table.name} has no column ${JSON.stringify(field.slice(0, 100))}${didYouMean(field.slice(0, 100), [...named.keys()])}`,
  );
}
