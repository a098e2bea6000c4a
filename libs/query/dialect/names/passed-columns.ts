import type { FieldWithin, TableDescription } from '../../catalog.js';
import { tokenize } from '../../search/statement-tokens.js';
import { treeOf } from '../source-tree.js';
import { elementNames } from '../queries/element-names.js';
import { ObjectShapes } from '../queries/object-shapes.js';

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Finds the columns of a statement's answer that are columns of JSON of its tables, passed on as
 * they are, and the types that their sources gave.
 */
export function givenColumns(
  statement: string,
  tables: readonly TableDescription[],
): ReadonlyMap<string, string> {
  if (tables.every(({ given }) => given === undefined || given.size === 0)) return NONE;
  const nodes = treeOf(tokenize(statement));
  if (!nodes) return NONE;
  const known = new Map(tables.map((table) => [table.name, withTypes(table)]));
  const shapes = new ObjectShapes((name) => known.get(name), elementNames(nodes));
  const found = new Map<string, string>();
  for (const [name, within] of shapes.rowsOf(nodes).objects) {
    const type = within.get(GIVEN)?.type;
    if (type !== undefined) found.set(name, type);
  }
  return found;
}

/** No other field is in such a table. */
const GIVEN = '*';

/** The table as if each such column had one field, whose type is that of the column. */
function withTypes({ name, columns, given = NONE }: TableDescription): TableDescription {
  const within = [...given].map(
    ([column, type]): FieldWithin => ({ name: column, type, column, keys: [GIVEN], write: () => type }), // prettier-ignore
  );
  const types = columns.map((column) => ({
    name: column.name,
    type: given.has(column.name) ? 'JSON' : 'String',
  }));
  return { name, columns: types, within };
}
