import { operandEnd } from '../operands.js';
import { isSymbol, type Nodes } from '../source-tree.js';

/**
 * `count(x)`: a field of a JSON column counts where it has a value, and so does a column in a
 * window.
 * @returns undefined where the engine's own does that
 */
export function countedValues(
  nodes: Nodes,
  [value]: readonly string[],
  over: string,
): string | undefined {
  const isField =
    nodes.length > 2 && isSymbol(nodes[1], '.') && operandEnd(nodes, 0) === nodes.length;
  const isMatcher = isSymbol(nodes.at(-1), '*');
  const isColumn = nodes.length === 1 && /^(?:word|name)$/.test(nodes[0]?.kind ?? '');
  return (isField && !isMatcher) || (isColumn && over !== '')
    ? `countIf(${value} IS NOT NULL)${over}`
    : undefined;
}
