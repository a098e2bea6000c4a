import { getArgumentValues } from 'graphql';
import { didYouMean, MillraceError } from '@app/platform';
import { quoteIdentifier, quoteText } from '@app/warehouse';
import { AGGREGATES } from '../schema/aggregate-fields.js';
import type { Selection, SelectionReader } from '../collect-selection.js';
import type { SchemaTable } from '../schema/organization-schema.js';

type ColumnSql = (name: string) => string;

/** The select list of aggregates, and the columns they are grouped by. */
interface AggregateSelection {
  readonly selected: readonly string[];
  readonly groups: readonly string[];
}

/** @throws {MillraceError} UNKNOWN_COLUMN */
export function selectAggregates(
  table: SchemaTable,
  selection: Selection,
  reader: SelectionReader,
  column: ColumnSql,
): AggregateSelection {
  const groups = new Set<string>();
  const selected = [...selection].map(([key, nodes]) => {
    const [node] = nodes;
    const alias = quoteIdentifier(key);
    const name = node.name.value;
    if (name === '__typename') return `${quoteText(table.aggregateType.name)} AS ${alias}`;
    if (name === 'count') {
      const field = table.aggregateType.getFields().count;
      const args = field ? getArgumentValues(field, node, reader.variables) : {};
      return `${countOf(table, args, column)} AS ${alias}`;
    }
    const fields = [...reader.below(nodes)].map(([inner, [{ name: each }]]) => {
      const described = table.named.get(each.value)?.column;
      const quoted = quoteIdentifier(inner);
      if (!described)
        return { sql: quoteText(`${table.aggregateType.name}_${name}`), type: `${quoted} String` };
      const sql = column(described.name);
      const aggregate = AGGREGATES[name];
      if (!aggregate) {
        groups.add(sql);
        return { sql, type: `${quoted} ${described.type}` };
      }
      return {
        sql: `${aggregate.engine}(${sql})`,
        type: `${quoted} ${aggregate.typeOf(described.type)}`,
      };
    });
    const type = `Tuple(${fields.map((field) => field.type).join(', ')})`;
    return `CAST(tuple(${fields.map(({ sql }) => sql).join(', ')}), ${quoteText(type)}) AS ${alias}`;
  });
  return { selected, groups: [...groups] };
}

function countOf(
  { named }: SchemaTable,
  { column: name, distinct }: Readonly<Record<string, unknown>>,
  column: ColumnSql,
): string {
  if (typeof name !== 'string') {
    if (distinct !== true) return 'count()';
    throw new MillraceError('INVALID_PARAMETER', 'count: distinct needs a column');
  }
  const described = named.get(name)?.column;
  if (!described) throw unknownField('count', name, [...named.keys()]);
  return `${distinct === true ? 'uniqExact' : 'count'}(${column(described.name)})`;
}

/**
 * Reads the key that aggregates are sorted by: `count`, `sum.bytes`, or a column they are grouped
 * by.
 */
export function aggregateSortKey(
  { named }: SchemaTable,
  field: string,
  groups: readonly string[],
  column: ColumnSql,
): string {
  if (field === 'count') return 'count()';
  const [name = '', ...rest] = field.split('.');
  const aggregate = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  const described = named.get(aggregate ? rest.join('.') : field)?.column;
  if (described && aggregate) return `${aggregate.engine}(${column(described.name)})`;
  if (described && groups.includes(column(described.name))) return column(described.name);
  throw unknownField('sort', field, ['count', ...named.keys()]);
}

function unknownField(where: string, name: string, known: readonly string[]): MillraceError {
  return new MillraceError(
    'UNKNOWN_COLUMN',
    `${where}: there is no ${JSON.stringify(name.slice(0, 100))} here${didYouMean(name.slice(0, 100), known)}; aggregates sort by count, sum.column and the like, or by what they are grouped by`,
  );
}
