import { z } from 'zod';
import type { Field, FieldType } from '@app/arrow';
import type { MetaData } from './log-actions.js';
import { brokenTable } from '../sources/table-folder.js';

/** A table's columns. */
export interface TableSchema {
  readonly fields: readonly Field[];
  /** The columns whose values are in the log, not in the files. */
  readonly partitions: ReadonlySet<Field>;
  /** Tells whether files identify their fields by number. */
  readonly numbered: boolean;
}

type DeltaType =
  | string
  | { type: 'struct'; fields: DeltaField[] }
  | { type: 'array'; elementType: DeltaType }
  | { type: 'map'; keyType: DeltaType; valueType: DeltaType };

interface DeltaField {
  name: string;
  type: DeltaType;
  metadata?: Record<string, unknown> | undefined;
}

const deltaType: z.ZodType<DeltaType> = z.lazy(() =>
  z.union([
    z.string(),
    structType,
    z.object({ type: z.literal('array'), elementType: deltaType }),
    z.object({ type: z.literal('map'), keyType: deltaType, valueType: deltaType }),
  ]),
);

const structType = z.object({
  type: z.literal('struct'),
  fields: z.array(
    z.object({
      name: z.string(),
      type: deltaType,
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

/** @throws {MillraceError} MALFORMED_BODY when it cannot be understood. */
export function tableSchema({
  schemaString,
  partitionColumns,
  configuration,
}: MetaData): TableSchema {
  const mode = configuration?.['delta.columnMapping.mode'] ?? 'none';
  if (mode !== 'none' && mode !== 'name' && mode !== 'id')
    throw brokenTable(`column mapping mode ${JSON.stringify(mode)} is unknown`);
  const fields = parse(schemaString).fields.map((field) => toField(field, mode));
  const partitions = (partitionColumns ?? []).map((name) => {
    const field = fields.find((each) => each.name === name);
    if (!field) throw brokenTable(`partition column ${JSON.stringify(name)} is not in the schema`);
    return field;
  });
  return { fields, partitions: new Set(partitions), numbered: mode === 'id' };
}

function parse(schemaString: string): z.infer<typeof structType> {
  try {
    return structType.parse(JSON.parse(schemaString));
  } catch (error) {
    throw brokenTable('the schema in its log cannot be understood', error);
  }
}

type Mode = 'none' | 'name' | 'id';

const PHYSICAL_NAME = 'delta.columnMapping.physicalName';
const ID = 'delta.columnMapping.id';

function toField({ name, type, metadata = {} }: DeltaField, mode: Mode): Field {
  const field = { name, type: toType(type, name, mode) };
  if (mode === 'none') return field;
  const physical = metadata[PHYSICAL_NAME];
  const id = metadata[ID];
  if (mode === 'id' && typeof id === 'number') return { ...field, heldBy: { id } };
  if (mode === 'name' && typeof physical === 'string')
    return { ...field, heldBy: { name: physical } };
  throw brokenTable(`column ${JSON.stringify(name)} has no ${mode === 'id' ? ID : PHYSICAL_NAME}`);
}

/** The name under which the log has the partition's values. */
export function physicalNames({ schemaString }: MetaData): ReadonlyMap<string, string> {
  return new Map(
    parse(schemaString).fields.map(({ name, metadata }) => {
      const physical = metadata?.[PHYSICAL_NAME];
      return [name, typeof physical === 'string' ? physical : name];
    }),
  );
}

function toType(type: DeltaType, column: string, mode: Mode): FieldType {
  if (typeof type === 'string') return primitive(type, column);
  switch (type.type) {
    case 'struct':
      return { kind: 'struct', fields: type.fields.map((field) => toField(field, mode)) };
    case 'array':
      return {
        kind: 'list',
        element: { name: column, type: toType(type.elementType, column, mode) },
      };
    case 'map':
      return {
        kind: 'map',
        key: { name: column, type: toType(type.keyType, column, mode) },
        value: { name: column, type: toType(type.valueType, column, mode) },
      };
  }
}

const PRIMITIVES: Readonly<Record<string, FieldType>> = {
  string: { kind: 'text' },
  long: { kind: 'integer', bits: 64, signed: true },
  integer: { kind: 'integer', bits: 32, signed: true },
  short: { kind: 'integer', bits: 16, signed: true },
  byte: { kind: 'integer', bits: 8, signed: true },
  float: { kind: 'float', bits: 32 },
  double: { kind: 'float', bits: 64 },
  boolean: { kind: 'boolean' },
  binary: { kind: 'binary' },
  date: { kind: 'date' },
  timestamp: { kind: 'timestamp', digits: 6, utc: true },
  timestamp_ntz: { kind: 'timestamp', digits: 6, utc: false },
};

function primitive(type: string, column: string): FieldType {
  const known = PRIMITIVES[type];
  if (known) return known;
  const decimal = /^decimal\((\d+), *(\d+)\)$/.exec(type);
  if (decimal) return { kind: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) };
  throw brokenTable(`column ${JSON.stringify(column)} has type ${type}, which is not supported`);
}
