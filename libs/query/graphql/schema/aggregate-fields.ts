import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLFieldConfig,
  type GraphQLOutputType,
} from 'graphql';
import type { Column } from '@app/warehouse';
import { columnKind, type ColumnKind } from '../../plan/bound-value.js';
import type { Names } from './graphql-names.js';
import { FIELD_NAME, INT64 } from './graphql-scalars.js';

type Columns = ReadonlyMap<string, { readonly column: Column }>;

/** An aggregate over columns, each by its name. */
interface AggregateFunction {
  /** The engine's function; its result is null if there is no value. */
  readonly engine: string;
  readonly kinds: readonly ColumnKind[];
  /** The engine's type of the result. */
  readonly typeOf: (columnType: string) => string;
}

const plain = (type: string): string => type.replace(/^(?:Nullable|LowCardinality)\((.*)\)$/, '$1');
const same = (type: string): string => `Nullable(${plain(type)})`;
const ORDERED: readonly ColumnKind[] = [
  'text',
  'number',
  'boolean',
  'time',
  'date',
  'clock',
  'uuid',
];

const SUMMED_DIGITS = 27;

/** The type of a sum in the dialect: see `exact-sums.ts`. */
function sumType(type: string): string {
  const [, precision, scale] = /^Decimal\((\d+), (\d+)\)$/.exec(plain(type)) ?? [];
  if (precision !== undefined)
    return `Nullable(Decimal(${Number(precision) > SUMMED_DIGITS ? 76 : 38}, ${scale}))`;
  return `Nullable(${/^(U?Int|Float)/.exec(plain(type))?.[1] ?? 'Float'}64)`;
}

export const AGGREGATES: Readonly<Record<string, AggregateFunction>> = {
  sum: {
    engine: 'sum',
    kinds: ['number'],
    typeOf: sumType,
  },
  avg: { engine: 'avg', kinds: ['number'], typeOf: () => 'Nullable(Float64)' },
  min: { engine: 'min', kinds: ORDERED, typeOf: same },
  max: { engine: 'max', kinds: ORDERED, typeOf: same },
};

/** Columns that rows can be grouped by. */
const isGroupable = ({ type }: Column): boolean => ORDERED.includes(columnKind(type));

/** `{ count group_by { status } avg { bytes } }`. */
export function aggregateFields(
  typeName: string,
  columns: Columns,
  types: Names,
  outputType: (type: string) => GraphQLOutputType,
): GraphQLObjectType {
  const name = types.add(`${typeName}_aggregate`);
  const fields: Record<string, GraphQLFieldConfig<unknown, unknown>> = {
    count: {
      type: new GraphQLNonNull(INT64),
      description: 'Rows; with a column: rows in which it is not null, or its distinct values.',
      args: { column: { type: FIELD_NAME }, distinct: { type: GraphQLBoolean } },
    },
  };
  const add = (
    field: string,
    typed: readonly (readonly [string, GraphQLOutputType])[],
    description: string,
  ): void => {
    if (typed.length === 0) return;
    const type = new GraphQLObjectType({
      name: types.add(`${name}_${field}`),
      fields: Object.fromEntries(typed.map(([each, type]) => [each, { type }])),
    });
    fields[field] = { type, description };
  };
  for (const [field, { kinds, typeOf }] of Object.entries(AGGREGATES)) {
    const typed = [...columns]
      .filter(([, { column }]) => kinds.includes(columnKind(column.type)))
      .map(([each, { column }]): [string, GraphQLOutputType] => [
        each,
        field === 'avg' ? GraphQLFloat : outputType(typeOf(column.type)),
      ]);
    add(field, typed, `The ${field} of columns; null where there is no value.`);
  }
  const groups = [...columns]
    .filter(([, { column }]) => isGroupable(column))
    .map(([each, { column }]): [string, GraphQLOutputType] => [each, outputType(column.type)]);
  add('group_by', groups, 'Selecting a column here groups by it.');
  return new GraphQLObjectType({ name, fields });
}
