import type { Indexed } from '@app/warehouse';
import type { ObjectColumn } from '../aggregates/object-paths.js';
import { pathFields, sqlOfField } from '../aggregates/object-values.js';

/** Gives the columns, and the fields within objects, that the indexes of these keys use. */
export function indexed(
  keys: readonly string[],
  objects: readonly ObjectColumn[],
): readonly Indexed[] {
  const fields = new Map(pathFields(objects).map((field) => [field.name, field]));
  // A later column may have replaced a field with the same name.
  const isLost = (key: string): boolean => objects.some(({ name }) => key.startsWith(`${name}.`));
  return keys.flatMap((key): Indexed[] => {
    const field = fields.get(key);
    if (field) return [{ sql: sqlOfField(field), type: field.type }];
    return isLost(key) ? [] : [key];
  });
}
