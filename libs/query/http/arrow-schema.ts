import type { Column } from '@app/warehouse';
import { isListOfObjects, type Shape, type ShapeNode } from '../graphql/json-shape.js';
import { arrowField, arrowType, field, type ArrowField, type ArrowType } from './arrow-type.js';

export function arrowFields(
  columns: readonly Column[],
  shapes: ReadonlyMap<string, Shape>,
): readonly ArrowField[] {
  return columns.map(({ name, type }) => {
    const struct = { Struct: structFields(shapes.get(name) ?? {}) };
    if (type.startsWith('JSON')) return field(name, struct, true);
    if (isListOfObjects(type)) return field(name, { List: field('item', struct, true) }, true);
    return arrowField(name, type);
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
