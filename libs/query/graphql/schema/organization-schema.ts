import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  type GraphQLOutputType,
} from 'graphql';
import type { Column } from '@app/warehouse';
import type { TableDescription } from '../../catalog.js';
import { asJsonText } from '../../plan/binary-values.js';
import { columnKind } from '../../plan/bound-value.js';
import { isListOfObjects, type Shape } from './json-shape.js';
import { Names } from './graphql-names.js';
import { aggregateFields } from './aggregate-fields.js';
import {
  CONDITIONS,
  DATE,
  DECIMAL,
  FIELD_NAME,
  INT64,
  JSON_VALUE,
  SORT_ORDER,
  TIME_OF_DAY,
  TIMESTAMP,
  UUID_VALUE,
} from './graphql-scalars.js';
import { StructTypes, type StructFields } from './struct-fields.js';

/** A table as the source of its root fields. */
export interface SchemaTable {
  readonly table: TableDescription;
  /** The columns by field name. */
  readonly columns: ReadonlyMap<string, SchemaColumn>;
  /** The columns with the fields within them: `k_n` is `k { n }`. */
  readonly named: ReadonlyMap<string, SchemaColumn>;
  /** Names in a filter that combine conditions. A column with the same name takes precedence. */
  readonly connectives: Readonly<Record<'and' | 'or' | 'not', string>>;
  readonly rowType: GraphQLObjectType;
  readonly aggregateType: GraphQLObjectType;
}

interface SchemaColumn {
  readonly column: Column;
  /** It exists if the column holds objects, or lists of objects. */
  readonly json: JsonFields | undefined;
  /** It exists if the column holds structs, or lists of structs. */
  readonly struct?: StructFields | undefined;
}

/** Keys below a place in JSON, by field name. */
export interface JsonFields {
  readonly type: GraphQLObjectType;
  /** Tells whether the place holds lists of such objects. */
  readonly list: boolean;
  /** Tells whether other values have been seen there. */
  readonly plain: boolean;
  readonly fields: ReadonlyMap<
    string,
    { readonly key: string; readonly json: JsonFields | undefined }
  >;
}

export interface OrganizationSchema {
  readonly schema: GraphQLSchema;
  /** The names of types that are objects of JSON, or structs: they may be selected as a whole. */
  readonly jsonTypes: ReadonlySet<string>;
  /** The tables by their root fields. */
  readonly roots: ReadonlyMap<string, { readonly table: SchemaTable; readonly aggregate: boolean }>;
}

/** The keys within JSON, by column. */
export type Shapes = ReadonlyMap<string, ReadonlyMap<string, Shape>>;

const SORT = new GraphQLInputObjectType({
  name: 'Sort',
  fields: {
    field: { type: new GraphQLNonNull(FIELD_NAME) },
    order: { type: SORT_ORDER, defaultValue: 'asc' },
  },
});

/** These types always exist, because variables may use them. */
const SCALARS = [GraphQLString, GraphQLInt, GraphQLFloat, GraphQLBoolean, TIMESTAMP, JSON_VALUE];

/**
 * The schema of an organization, with two root fields for each table: its rows and its aggregates.
 */
export function buildSchema(
  tables: readonly TableDescription[],
  shapes: Shapes,
  description?: string,
): OrganizationSchema {
  const types = new Names([
    ...['Query', 'String', 'Int', 'Float', 'Boolean', 'ID', SORT.name, INT64.name],
    ...[TIMESTAMP.name, DECIMAL.name, DATE.name, TIME_OF_DAY.name, UUID_VALUE.name],
    ...[JSON_VALUE.name, SORT_ORDER.name, FIELD_NAME.name],
    ...Object.values(CONDITIONS).map(({ name }) => name),
  ]);
  const rootNames = new Names([]);
  const named = tables.map((table) => ({ table, root: rootNames.add(table.name) }));
  const roots = new Map<string, { table: SchemaTable; aggregate: boolean }>();
  const jsonTypes = new Set<string>();
  const fields: Record<string, GraphQLFieldConfig<unknown, unknown>> = {};
  for (const { table, root } of named) {
    const described = schemaTable(table, shapes.get(table.name) ?? new Map<string, Shape>(), types);
    for (const { json, struct } of described.columns.values()) {
      addJsonTypes(json, jsonTypes);
      addStructTypes(struct, jsonTypes);
    }
    const filter = filterType(described, types);
    const args = tableArguments(filter);
    fields[root] = {
      type: listOf(described.rowType),
      args,
      description: `Rows of ${table.name}.`,
    };
    roots.set(root, { table: described, aggregate: false });
    const aggregate = rootNames.add(`${root}_aggregate`);
    fields[aggregate] = {
      type: listOf(described.aggregateType),
      args,
      description: `Aggregates of ${table.name}: one row, or one a group of group_by.`,
    };
    roots.set(aggregate, { table: described, aggregate: true });
  }
  const query = new GraphQLObjectType({ name: 'Query', fields });
  const schema = new GraphQLSchema({ query, types: SCALARS, description });
  return { schema, roots, jsonTypes };
}

function addJsonTypes(json: JsonFields | undefined, names: Set<string>): void {
  if (!json) return;
  names.add(json.type.name);
  for (const field of json.fields.values()) addJsonTypes(field.json, names);
}

function addStructTypes(struct: StructFields | undefined, names: Set<string>): void {
  if (!struct) return;
  names.add(struct.type.name);
  for (const field of struct.fields.values()) addStructTypes(field.struct, names);
}

const listOf = (type: GraphQLObjectType): GraphQLOutputType =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));

function tableArguments(filter: GraphQLInputObjectType): GraphQLFieldConfigArgumentMap {
  return {
    filter: { type: filter },
    sort: { type: new GraphQLList(new GraphQLNonNull(SORT)) },
    limit: { type: GraphQLInt },
    offset: { type: GraphQLInt },
    page: { type: GraphQLInt, description: 'From 1, of limit rows; instead of offset.' },
  };
}

function schemaTable(
  table: TableDescription,
  shapes: ReadonlyMap<string, Shape>,
  types: Names,
): SchemaTable {
  const names = new Names([]);
  const columns = new Map<string, SchemaColumn>();
  const typeName = types.add(table.name);
  const structs = new StructTypes(types, outputType);
  for (const column of table.columns) {
    const name = names.add(column.name);
    const shape = shapes.get(column.name);
    const list = isListOfObjects(column.type);
    const json = shape && jsonFields(shape, `${typeName}_${name}`, { list, plain: false }, types);
    const struct = structs.of(column.type, `${typeName}_${name}`);
    columns.set(name, { column, json, struct });
  }
  const rowType = new GraphQLObjectType({
    name: typeName,
    fields: Object.fromEntries(
      [...columns].map(([name, { column, json, struct }]) => {
        const other = struct ? structs.shown(column.type, struct) : outputType(column.type);
        const type = json ? jsonType(json) : other;
        return [name, { type, description: described(column.name, name) }];
      }),
    ),
  });
  const named = new Map(columns);
  for (const field of table.within ?? [])
    named.set(names.add(field.name), { column: field, json: undefined });
  const connective = (name: string): string => (named.has(name) ? names.add(`_${name}`) : name);
  return {
    table,
    columns,
    named,
    rowType,
    connectives: { and: connective('and'), or: connective('or'), not: connective('not') },
    aggregateType: aggregateFields(typeName, named, types, outputType),
  };
}

const described = (original: string, name: string): string | undefined =>
  original === name ? undefined : `Column ${JSON.stringify(original)}.`;

function jsonFields(
  shape: Shape,
  path: string,
  { list, plain }: Pick<JsonFields, 'list' | 'plain'>,
  types: Names,
): JsonFields | undefined {
  if (Object.keys(shape).length === 0) return undefined;
  const names = new Names([]);
  const fields = new Map<string, { key: string; json: JsonFields | undefined }>();
  for (const [key, node] of Object.entries(shape)) {
    const name = names.add(key);
    const below = node.elements ?? node.object;
    const place = { list: node.elements !== undefined, plain: node.plain.length > 0 };
    const json = below && jsonFields(below, `${path}_${name}`, place, types);
    fields.set(name, { key, json });
  }
  const type = new GraphQLObjectType({
    name: types.add(path),
    fields: Object.fromEntries(
      [...fields].map(([name, { key, json }]) => [
        name,
        { type: json ? jsonType(json) : JSON_VALUE, description: described(key, name) },
      ]),
    ),
  });
  return { type, list, plain, fields };
}

const jsonType = ({ type, list }: JsonFields): GraphQLOutputType =>
  list ? new GraphQLList(type) : type;

/** Gives the GraphQL type of a column's values. */
function outputType(type: string): GraphQLOutputType {
  const element = /^Array\((.*)\)$/.exec(type)?.[1];
  if (element !== undefined) return new GraphQLList(outputType(element));
  switch (columnKind(type)) {
    case 'number':
      if (/Decimal|Int(?:128|256)/.test(type)) return DECIMAL;
      return /Int/.test(type) ? INT64 : GraphQLFloat;
    case 'date':
      return DATE;
    case 'clock':
      return TIME_OF_DAY;
    case 'uuid':
      return UUID_VALUE;
    case 'boolean':
      return GraphQLBoolean;
    case 'time':
      return TIMESTAMP;
    case 'text':
      return /^(?:Nullable\(|LowCardinality\()*String/.test(asJsonText(type))
        ? GraphQLString
        : JSON_VALUE;
    default:
      return JSON_VALUE;
  }
}

function filterType(
  { named, connectives, rowType }: Omit<SchemaTable, 'filterType'>,
  types: Names,
): GraphQLInputObjectType {
  const filter: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: types.add(`${rowType.name}_filter`),
    description: 'All of it holds.',
    fields: () => {
      const fields: Record<string, GraphQLInputFieldConfig> = {};
      for (const [name, { column }] of named)
        fields[name] = { type: CONDITIONS[columnKind(column.type)] };
      const several = new GraphQLList(new GraphQLNonNull(filter));
      fields[connectives.and] = { type: several };
      fields[connectives.or] = { type: several };
      fields[connectives.not] = { type: filter };
      return fields;
    },
  });
  return filter;
}
