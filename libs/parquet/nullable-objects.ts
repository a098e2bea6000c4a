import type { SchemaElement } from 'hyparquet';
import type { Levels } from './pages/column-pages.js';

/** A column that holds values, within a struct or a map. */
export interface LeafColumn extends Levels {
  /** Its number among all that hold values. */
  readonly column: number;
}

/**
 * A struct or map of a file that may be null, with its fields. The engine reads a null one as an
 * empty one.
 */
export interface NullableObject {
  readonly name: string;
  readonly leaves: readonly LeafColumn[];
}

/**
 * Tells whether it is a column of values. Old writers write a count of children, which is 0, for
 * these too.
 */
export const holdsValues = ({ num_children: children, type }: SchemaElement): boolean =>
  children === undefined || (children === 0 && type !== undefined);

/**
 * Structs and maps of a file that may be null, by its schema: all elements in order, each before
 * those within it.
 */
export function nullableObjects(schema: readonly SchemaElement[]): readonly NullableObject[] {
  const [root, ...elements] = schema;
  const objects: NullableObject[] = [];
  let [at, column] = [0, 0];
  const leavesOf = (above: Levels): readonly LeafColumn[] => {
    const element = elements[at];
    at += 1;
    if (!element) return [];
    const levels = levelsBelow(above, element);
    if (holdsValues(element)) return [{ column: column++, ...levels }];
    const leaves: LeafColumn[] = [];
    for (let left = element.num_children ?? 0; left > 0 && at < elements.length; left -= 1)
      for (const leaf of leavesOf(levels)) leaves.push(leaf);
    return leaves;
  };
  for (let left = root?.num_children ?? 0; left > 0 && at < elements.length; left -= 1) {
    const element = elements[at];
    const leaves = leavesOf({ definition: 0, repetition: 0 });
    if (!element || holdsValues(element) || element.repetition_type !== 'OPTIONAL') continue;
    if (leaves.length > 0) objects.push({ name: element.name, leaves });
  }
  return objects;
}

export function levelsBelow({ definition, repetition }: Levels, element: SchemaElement): Levels {
  const isRepeated = element.repetition_type === 'REPEATED';
  return {
    definition: definition + (isRepeated || element.repetition_type === 'OPTIONAL' ? 1 : 0),
    repetition: repetition + (isRepeated ? 1 : 0),
  };
}
