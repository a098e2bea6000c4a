import type { TableDescription } from '../../catalog.js';
import {
  isListOfObjects,
  isOfObjects,
  type Shape,
  type ShapeNode,
} from '../../graphql/schema/json-shape.js';
import { arrowField, arrowType, field, type ArrowField, type ArrowType } from './arrow-type.js';

export function arrowFields(
  { columns, within = [], given }: Pick<TableDescription, 'columns' | 'within' | 'given'>,
  shapes: ReadonlyMap<string, Shape>,
): readonly ArrowField[] {
  const known = new Map(within.map(({ name, type }) => [name, type]));
  return columns.map(({ name, type }) => {
    const told = given?.get(name);
    if (told !== undefined) return arrowField(name, told, isOfObjects(type));
    const struct = { Struct: structFields(shapes.get(name) ?? {}, name, known) };
    if (isOfObjects(type)) return field(name, struct, true);
    if (isListOfObjects(type)) return field(name, { List: field('item', struct, true) }, true);
    return arrowField(name, type);
  });
}

/** Types of fields within objects, by their names. */
type Known = ReadonlyMap<string, string>;

function structFields(shape: Shape, path: string, known: Known): readonly ArrowField[] {
  return Object.entries(shape).map(([key, node]) =>
    field(key, nodeType(node, `${path}.${key}`, known), true),
  );
}

/** Values of several kinds are answered as text. */
function nodeType({ plain, object, elements }: ShapeNode, path: string, known: Known): ArrowType {
  const [only, more] = plain;
  const told = known.get(path);
  if (told !== undefined && !object && !elements) return arrowType(told);
  if (object && only === undefined) return { Struct: structFields(object, path, known) };
  if (elements && only === undefined)
    return { List: field('item', { Struct: structFields(elements, `${path}[]`, known) }, true) };
  return only === undefined || more !== undefined || object || elements ? 'Utf8' : arrowType(only);
}
