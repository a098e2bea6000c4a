import type { SchemaElement } from 'hyparquet';

/** An element of a file's schema that has values, and nothing within it. */
interface SchemaLeaf {
  /** The names of the elements around it and its own one, with points between. */
  readonly path: string;
  /** The name of the column that it is, or is within. */
  readonly column: string;
  readonly element: SchemaElement;
}

/** The elements with values, in the order of the file's columns. */
export function* schemaLeaves(schema: readonly SchemaElement[]): Generator<SchemaLeaf> {
  const [root, ...elements] = schema;
  /** The groups that are open, with the numbers of elements that are still to come in each. */
  const open = [{ path: '', column: '', left: root?.num_children ?? 0 }];
  for (const element of elements) {
    while (open.length > 1 && open.at(-1)?.left === 0) open.pop();
    const group = open.at(-1);
    if (group) group.left -= 1;
    const path = `${group?.path ?? ''}${element.name}`;
    const column = open.length > 1 && group ? group.column : element.name;
    if (element.num_children) open.push({ path: `${path}.`, column, left: element.num_children });
    else yield { path, column, element };
  }
}
