import { quoteIdentifier, quoteText } from '@app/warehouse';
import type { Selection, SelectionReader } from '../collect-selection.js';
import type { JsonFields, SchemaTable } from '../schema/organization-schema.js';
import { selectStruct } from '../schema/struct-fields.js';

/** An expression of the engine and its type in the answer. */
interface Typed {
  readonly sql: string;
  readonly type: string;
}

/** A place in JSON: a column or an element, and keys below it. */
interface Place {
  readonly root: string;
  readonly keys: readonly string[];
}

/** The select list of a table: every field by its key in the answer. */
export function selectColumns(
  { columns, rowType }: SchemaTable,
  selection: Selection,
  reader: SelectionReader,
  column: (name: string) => string,
): readonly string[] {
  return [...selection].map(([key, nodes]) => {
    const described = columns.get(nodes[0].name.value);
    const alias = quoteIdentifier(key);
    if (!described) return `${quoteText(rowType.name)} AS ${alias}`;
    const name = column(described.column.name);
    const below = reader.below(nodes);
    if (described.struct) {
      const whole = { sql: name, type: described.column.type };
      return `${selectStruct(whole, described.struct, below, reader).sql} AS ${alias}`;
    }
    if (!described.json || below.size === 0) return `${name} AS ${alias}`;
    const { sql, type } = nested(described.json, { root: name, keys: [] }, below, reader, 0);
    const value = `CAST(${sql}, ${quoteText(type)})`;
    // A missing object has no fields, not even null ones.
    const isNullable = described.column.type.startsWith('Nullable(');
    return `${isNullable ? `if(isNull(${name}), NULL, ${value})` : value} AS ${alias}`;
  });
}

function nested(
  json: JsonFields,
  place: Place,
  selection: Selection,
  reader: SelectionReader,
  level: number,
): Typed {
  if (!json.list) return tuple(json, place, selection, reader, level);
  const element = `_element${level}`;
  const row = tuple(json, { root: element, keys: [] }, selection, reader, level + 1);
  const list = place.keys.length === 0 ? place.root : `${path(place)}[]`;
  return { sql: `arrayMap(${element} -> ${row.sql}, ${list})`, type: `Array(${row.type})` };
}

function tuple(
  json: JsonFields,
  place: Place,
  selection: Selection,
  reader: SelectionReader,
  level: number,
): Typed {
  const fields = [...selection].map(([key, nodes]): Typed & { key: string } => {
    const field = json.fields.get(nodes[0].name.value);
    if (!field) return { key, sql: quoteText(json.type.name), type: 'String' };
    const inner = { root: place.root, keys: [...place.keys, field.key] };
    const below = reader.below(nodes);
    if (field.json && below.size > 0)
      return { key, ...nested(field.json, inner, below, reader, level) };
    return { key, sql: whole(inner, field.json), type: 'Dynamic' };
  });
  return {
    sql: `tuple(${fields.map(({ sql }) => sql).join(', ')})`,
    type: `Tuple(${fields.map(({ key, type }) => `${quoteIdentifier(key)} ${type}`).join(', ')})`,
  };
}

/** Gives the value or object at this place, or null. */
function whole(place: Place, json: JsonFields | undefined): string {
  if (!json || json.list) return path(place);
  const object = path(place, '^');
  const found = `if(empty(JSONAllPaths(${object})), NULL, CAST(${object}, 'Dynamic'))`;
  return json.plain ? `if(isNotNull(${path(place)}), ${path(place)}, ${found})` : found;
}

function path({ root, keys }: Place, prefix = ''): string {
  return `${root}.${prefix}${keys.map(quoteIdentifier).join('.')}`;
}
