import { isWithinSum, sumEnd } from '../operands.js';
import type { Rewritten, Write } from './rewriting.js';
import type { Nodes } from '../source-tree.js';

const FUNCTIONS: Readonly<Record<string, string>> = {
  '&': 'bitAnd',
  '|': 'bitOr',
  '<<': 'bitShiftLeft',
  '>>': 'bitShiftRight',
};

/**
 * `a & b`, `a | b`, `a << b` and `a >> b` of integers. They bind less strongly than `+` and more
 * strongly than `=`.
 */
export function bitOperators(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  if (isWithinSum(nodes, at)) return undefined;
  let end = sumEnd(nodes, at);
  let text = '';
  while (end !== undefined) {
    const operator = operatorAt(nodes, end);
    const from = end + operator.length;
    const next = operator === '' ? undefined : sumEnd(nodes, from);
    if (next === undefined) break;
    text ||= write(nodes.slice(at, end));
    // A small number has few bits, and the engine would lose those that are shifted out.
    if (operator === '<<') text = `toInt64(${text})`;
    text = `${FUNCTIONS[operator]}(${text}, ${write(nodes.slice(from, next))})`;
    end = next;
  }
  return text === '' || end === undefined ? undefined : { text, end };
}

/** The operator that stands there; `&&` and the like are other operators. */
export function operatorAt(nodes: Nodes, at: number): string {
  const [first, second] = [nodes[at], nodes[at + 1]];
  if (first?.kind !== 'symbol') return '';
  const isTwice =
    second?.kind === 'symbol' && second.text === first.text && second.start === first.end;
  const operator = isTwice ? first.text + second.text : first.text;
  return Object.hasOwn(FUNCTIONS, operator) ? operator : '';
}
