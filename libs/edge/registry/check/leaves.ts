import { readElement, readEngineType } from '@app/query';

/**
 * The single values within a type: the type itself, or those of its lists, structs and maps, in the
 * order of the type.
 */
export interface Leaf {
  /** The engine's type, without Nullable. */
  readonly type: string;
  readonly nullable: boolean;
  /**
   * Turns a condition on the single value into one on the column. It is true if one of the column's
   * values meets it.
   */
  readonly some: (condition: (value: string) => string) => string;
}

/** @param value SQL that has the type */
export function leavesOf(value: string, type: string, depth = 0): readonly Leaf[] {
  const { name, parameters } = readEngineType(type);
  const [first = '', second = ''] = parameters;
  switch (name) {
    case 'Nullable':
      return leavesOf(value, first, depth).map((leaf) =>
        first.startsWith('Tuple(') ? leaf : { ...leaf, nullable: true },
      );
    case 'Tuple':
      return parameters.flatMap((element, index) =>
        leavesOf(`tupleElement(${value}, ${index + 1})`, readElement(element).type, depth),
      );
    case 'Array':
      return within(value, first, depth);
    case 'Map':
      return within(`mapValues(${value})`, second, depth);
    default:
      return [{ type, nullable: false, some: (condition) => condition(value) }];
  }
}

function within(list: string, element: string, depth: number): readonly Leaf[] {
  const each = `e${depth}`;
  return leavesOf(each, element, depth + 1).map((leaf) => ({
    ...leaf,
    some: (condition) => `arrayExists(${each} -> ${leaf.some(condition)}, ${list})`,
  }));
}

/**
 * The type with some single values replaced.
 * @param other the new type of a leaf, by its place among them; undefined: it stays
 */
export function withLeaves(
  type: string,
  other: (at: number) => string | undefined,
  from = 0,
): string {
  const { name, parameters } = readEngineType(type);
  const [first = '', second = ''] = parameters;
  switch (name) {
    case 'Nullable':
      if (!first.startsWith('Tuple(')) return other(from) ?? type;
      return `Nullable(${withLeaves(first, other, from)})`;
    case 'Tuple': {
      let at = from;
      const elements = parameters.map((parameter) => {
        const element = readElement(parameter);
        const written = element.name + withLeaves(element.type, other, at);
        at += leavesOf('', element.type).length;
        return written;
      });
      return `Tuple(${elements.join(', ')})`;
    }
    case 'Array':
      return `Array(${withLeaves(first, other, from)})`;
    case 'Map':
      return `Map(${first}, ${withLeaves(second, other, from)})`;
    default:
      return other(from) ?? type;
  }
}
