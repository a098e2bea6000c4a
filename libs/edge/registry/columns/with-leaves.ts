import { readElement, readEngineType } from '@app/query';

/**
 * SQL of a single value within others.
 * @param value SQL of the value as it is read
 */
type Leaf = (value: string, type: ReturnType<typeof readEngineType>) => string;

/**
 * SQL of a value whose single values are computed: those within lists, structs and maps, in the order
 * in which its type has them. Structs lose the names of their fields.
 */
export function withLeaves(value: string, type: string, leaf: Leaf, depth = 0): string {
  const read = readEngineType(type);
  const [first = '', second = ''] = read.parameters;
  switch (read.name) {
    case 'Nullable':
      return withLeaves(value, first, leaf, depth);
    case 'Tuple': {
      const elements = read.parameters.map((element, index) =>
        withLeaves(`tupleElement(${value}, ${index + 1})`, readElement(element).type, leaf, depth),
      );
      return `tuple(${elements.join(', ')})`;
    }
    case 'Array':
      return each(value, first, leaf, depth);
    case 'Map': {
      const keys = each(`mapKeys(${value})`, first, leaf, depth);
      const there = `arrayMap(k -> assumeNotNull(k), ${keys})`;
      return `mapFromArrays(${there}, ${each(`mapValues(${value})`, second, leaf, depth)})`;
    }
    default:
      return leaf(value, read);
  }
}

function each(list: string, element: string, leaf: Leaf, depth: number): string {
  const one = `e${depth}`;
  const value = withLeaves(one, element, leaf, depth + 1);
  return value === one ? list : `arrayMap(${one} -> ${value}, ${list})`;
}
