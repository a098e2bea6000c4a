import type { SchemaElement } from 'hyparquet';
import type { Levels } from './pages/column-pages.js';
import { holdsValues, levelsBelow } from './nullable-objects.js';

/** A column that holds values, wherever it stands. */
interface PlacedColumn extends Levels {
  /** Its number among all that hold values. */
  readonly column: number;
  readonly path: string;
  readonly element: SchemaElement;
}

/** All columns of a file that hold values, in their order. */
export function leafColumns(schema: readonly SchemaElement[]): readonly PlacedColumn[] {
  const [root, ...elements] = schema;
  const none = { definition: 0, repetition: 0 };
  /** The groups that are open, with the numbers of elements that are still to come in each. */
  const open = [{ path: '', levels: none, left: root?.num_children ?? 0 }];
  const found: PlacedColumn[] = [];
  for (const element of elements) {
    while (open.length > 1 && open.at(-1)?.left === 0) open.pop();
    const group = open.at(-1);
    if (group) group.left -= 1;
    const path = `${group?.path ?? ''}${element.name}`;
    const levels = levelsBelow(group?.levels ?? none, element);
    if (holdsValues(element)) found.push({ column: found.length, path, element, ...levels });
    else open.push({ path: `${path}.`, levels, left: element.num_children ?? 0 });
  }
  return found;
}
