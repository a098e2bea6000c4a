import type { SchemaElement } from 'hyparquet';

/** The engine holds decimals of so many digits, at most, in so many bytes. */
const HELD: readonly (readonly [digits: number, bytes: number])[] = [
  [9, 4],
  [18, 8],
  [38, 16],
  [76, 32],
];

/**
 * Tells whether a column has decimals in more bytes than the engine holds such decimals in. It would
 * read as many bytes of each value as it needs, the first ones or those of other values, and report
 * nothing.
 */
export function isMisreadDecimal(element: SchemaElement): boolean {
  const { logical_type: logical, converted_type: converted, precision = 0 } = element;
  if (logical?.type !== 'DECIMAL' && converted !== 'DECIMAL') return false;
  const held = HELD.find(([digits]) => precision <= digits)?.[1] ?? 0;
  return bytesOf(element) > held;
}

/** The bytes of one value; 0 where each has its own number of them. */
function bytesOf({ type, type_length: length = 0 }: SchemaElement): number {
  switch (type) {
    case 'INT32':
      return 4;
    case 'INT64':
      return 8;
    case 'FIXED_LEN_BYTE_ARRAY':
      return length;
    default:
      return 0;
  }
}

export const MISREAD_DECIMAL =
  'has decimals in more bytes than their digits need (such as nine digits in 64 bits), which are not read here: cast it to a decimal of as many digits as its bytes hold, or write it anew';

/** The columns with such decimals, or with some within them, by their names. */
export function misreadDecimals(schema: readonly SchemaElement[]): readonly string[] {
  const [root, ...elements] = schema;
  const found = new Set<string>();
  /** The numbers of elements that are still to come, at each level. */
  const left = [root?.num_children ?? 0];
  let column = '';
  for (const element of elements) {
    while (left.length > 1 && left.at(-1) === 0) left.pop();
    if (left.length === 1) column = element.name;
    left.push((left.pop() ?? 0) - 1);
    if (isMisreadDecimal(element)) found.add(column);
    if (element.num_children) left.push(element.num_children);
  }
  return [...found];
}
