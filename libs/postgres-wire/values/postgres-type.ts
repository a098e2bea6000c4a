import { certain } from '@app/platform';
import { readEngineType } from '@app/query';
import { readRawBinaryType } from '@app/warehouse';
import type { FieldDescription } from '../protocol/message-writer.js';

/** The format of a type's values. */
export type ValueKind =
  | 'bool'
  | 'int2'
  | 'int4'
  | 'int8'
  | 'float4'
  | 'float8'
  | 'numeric'
  | 'text'
  | 'bytea'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'uuid'
  | 'jsonb'
  | 'array';

/** The type of PostgreSQL for a column of the engine. */
export interface PostgresType {
  readonly kind: ValueKind;
  readonly oid: number;
  /** Bytes of a value; -1: of any length. */
  readonly size: number;
  readonly modifier: number;
  /** The type's name in a statement. */
  readonly name: string;
  /** Arrays only: the type of an element. */
  readonly element?: PostgresType;
}

const SCALARS: Readonly<
  Record<
    Exclude<ValueKind, 'array'>,
    readonly [oid: number, array: number, size: number, name: string]
  >
> = {
  bool: [16, 1000, 1, 'boolean'],
  int2: [21, 1005, 2, 'smallint'],
  int4: [23, 1007, 4, 'integer'],
  int8: [20, 1016, 8, 'bigint'],
  float4: [700, 1021, 4, 'real'],
  float8: [701, 1022, 8, 'double precision'],
  numeric: [1700, 1231, -1, 'numeric'],
  text: [25, 1009, -1, 'text'],
  bytea: [17, 1001, -1, 'bytea'],
  date: [1082, 1182, 4, 'date'],
  time: [1083, 1183, 8, 'time without time zone'],
  timestamp: [1114, 1115, 8, 'timestamp without time zone'],
  timestamptz: [1184, 1185, 8, 'timestamp with time zone'],
  uuid: [2950, 2951, 16, 'uuid'],
  jsonb: [3802, 3807, -1, 'jsonb'],
};

const NO_MODIFIER = -1;
/** PostgreSQL keeps a precision and a scale in one number, above its header. */
const HEADER = 4;

function scalar(kind: Exclude<ValueKind, 'array'>, modifier = NO_MODIFIER): PostgresType {
  const [oid, , size, name] = SCALARS[kind];
  return { kind, oid, size, modifier, name };
}

const OF_ENGINE: readonly (readonly [RegExp, Exclude<ValueKind, 'array'>])[] = [
  [/^(?:U?Int8|Int16)$/, 'int2'],
  [/^(?:UInt16|Int32)$/, 'int4'],
  [/^(?:UInt32|Int64)$/, 'int8'],
  [/^U?Int(?:128|256)$/, 'numeric'],
  [/^B?Float(?:16|32)$/, 'float4'],
  [/^Float64$/, 'float8'],
  [/^Bool$/, 'bool'],
  [/^Date(?:32)?$/, 'date'],
  [/^Time(?:64)?$/, 'time'],
  [/^UUID$/, 'uuid'],
  // Bytes that are not declared as a text.
  [/^FixedString$/, 'bytea'],
  [
    /^(?:Tuple|Map|JSON|Object|Dynamic|Variant|Nested|Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon)$/,
    'jsonb',
  ],
];

/** Tells whether a column of UInt64 may have values above the range of bigint. */
export type Wide = boolean;

/** PostgreSQL's type for the engine's type. Types without a counterpart become text. */
export function postgresType(type: string, wide: Wide = true): PostgresType {
  const { name, parameters } = readEngineType(type);
  switch (name) {
    case 'Nullable':
    case 'LowCardinality':
      return postgresType(certain(parameters[0], `type within ${name}`), wide);
    case 'SimpleAggregateFunction':
      if (readRawBinaryType(type)) return scalar('bytea');
      return postgresType(certain(parameters[1], `type within ${name}`), wide);
    case 'DateTime':
      return scalar('timestamptz');
    case 'DateTime64':
      return scalar(parameters.length > 1 ? 'timestamptz' : 'timestamp');
    case 'Decimal': {
      const [precision = 0, scale = 0] = parameters.map(Number);
      return {
        ...scalar('numeric', ((precision << 16) | scale) + HEADER),
        name: `numeric(${precision},${scale})`,
      };
    }
    case 'Array':
      return arrayOf(postgresType(certain(parameters[0], `type within ${name}`), wide));
    case 'UInt64':
      return scalar(wide ? 'numeric' : 'int8');
    default:
      return scalar(OF_ENGINE.find(([pattern]) => pattern.test(name))?.[1] ?? 'text');
  }
}

/**
 * Nested lists may have different lengths, which PostgreSQL's arrays do not allow. So these, and
 * lists of objects, become JSON.
 */
function arrayOf(element: PostgresType): PostgresType {
  if (element.kind === 'array' || element.kind === 'jsonb') return scalar('jsonb');
  const [, oid] = SCALARS[element.kind];
  return {
    kind: 'array',
    oid,
    size: -1,
    modifier: element.modifier,
    name: `${element.name}[]`,
    element,
  };
}

/** A parameter in a column's name, as the engine has it. */
const PARAMETER = /\{p(\d+):[^{}]*\}/g;

export const fieldOf = (name: string, { oid, size, modifier }: PostgresType): FieldDescription => ({
  name: name.replace(PARAMETER, (_, number: string) => `$${number}`),
  type: oid,
  size,
  modifier,
});

export const TEXT_TYPE = scalar('text');
/** The type `json`, of plans alone: its bytes are its text. */
export const JSON_TYPE: PostgresType = { ...TEXT_TYPE, oid: 114, name: 'json' };

/** The ways in which values of parameters are read, by OID. */
export const KIND_OF_OID: ReadonlyMap<number, Exclude<ValueKind, 'array'>> = new Map(
  Object.entries(SCALARS).map(([kind, [oid]]) => [oid, kind as Exclude<ValueKind, 'array'>]),
);

/** The OID of an array's elements, by the array's OID. */
export const ELEMENT_OF_OID: ReadonlyMap<number, number> = new Map(
  Object.values(SCALARS).map(([oid, array]) => [array, oid]),
);

/** The OID of a type's arrays, by the type's OID. */
export const ARRAY_OF_OID: ReadonlyMap<number, number> = new Map(
  Object.values(SCALARS).map(([oid, array]) => [oid, array]),
);
