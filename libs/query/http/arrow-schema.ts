import type { Column } from '@app/warehouse';
import { isListOfObjects, type Shape, type ShapeNode } from '../graphql/json-shape.js';

/** As Arrow's Rust library writes it in JSON, which ROAPI's clients read. */
export interface ArrowField {
  readonly name: string;
  readonly data_type: ArrowType;
  readonly nullable: boolean;
  readonly dict_id: 0;
  readonly dict_is_ordered: false;
}

export type ArrowType =
  | string
  | { readonly Timestamp: readonly [string, string] }
  | { readonly List: ArrowField }
  | { readonly Struct: readonly ArrowField[] };

export function arrowFields(
  columns: readonly Column[],
  shapes: ReadonlyMap<string, Shape>,
): readonly ArrowField[] {
  return columns.map(({ name, type }) => {
    const struct = { Struct: structFields(shapes.get(name) ?? {}) };
    if (type.startsWith('JSON')) return field(name, struct, true);
    if (isListOfObjects(type)) return field(name, { List: field('item', struct, true) }, true);
    return field(name, arrowType(type), type.startsWith('Nullable('));
  });
}

function structFields(shape: Shape): readonly ArrowField[] {
  return Object.entries(shape).map(([key, node]) => field(key, nodeType(node), true));
}

/** Where values of several kinds are, they are told as text. */
function nodeType({ plain, object, elements }: ShapeNode): ArrowType {
  const [only, more] = plain;
  if (object && only === undefined) return { Struct: structFields(object) };
  if (elements && only === undefined)
    return { List: field('item', { Struct: structFields(elements) }, true) };
  return only === undefined || more !== undefined || object || elements ? 'Utf8' : arrowType(only);
}

const SIMPLE: readonly (readonly [RegExp, string])[] = [
  [/^U?Int(?:8|16|32|64)$/, '$&'],
  [/^Float(?:32|64)$/, '$&'],
  [/^Bool$/, 'Boolean'],
];

function arrowType(type: string): ArrowType {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1];
  if (inner !== undefined) return arrowType(inner);
  const element = /^Array\((.*)\)$/.exec(type)?.[1];
  if (element !== undefined) return { List: field('item', arrowType(element), true) };
  if (type.startsWith('DateTime64(6')) return { Timestamp: ['Microsecond', 'UTC'] };
  const simple = SIMPLE.find(([pattern]) => pattern.test(type));
  return simple ? type.replace(simple[0], simple[1]) : 'Utf8';
}

function field(name: string, type: ArrowType, nullable: boolean): ArrowField {
  return { name, data_type: type, nullable, dict_id: 0, dict_is_ordered: false };
}
