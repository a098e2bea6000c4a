import { signedOperandEnd, operandEnd } from '../operands.js';
import { isList, isSymbol, itemsOf, type Node, type Nodes } from '../source-tree.js';

/** A number whose digits stand in the statement: `value` divided by ten to the power of `scale`. */
export interface Constant {
  readonly value: bigint;
  readonly scale: number;
}

const NUMBER = /^(\d*)(?:\.(\d+))?$/;
const DIGITS_MAX = 76;
const DEPTH_MAX = 64;

/**
 * Computes `0.06`, `-0.06`, `(1 - 0.06)` and the like as decimals.
 * @returns undefined for anything else, and for a number with more digits than a decimal.
 */
export function constantOf(nodes: Nodes, depth = 0): Constant | undefined {
  const [first] = nodes;
  if (!first || depth > DEPTH_MAX) return undefined;
  if (nodes.length === 1) return ofOne(first, depth);
  if (isSymbol(first, '-') && operandEnd(nodes, 1) === nodes.length) {
    const of = constantOf(nodes.slice(1), depth + 1);
    return of && { ...of, value: -of.value };
  }
  const end = signedOperandEnd(nodes, 0);
  const operator = end === undefined ? undefined : nodes[end];
  if (end === undefined || operator?.kind !== 'symbol') return undefined;
  if (signedOperandEnd(nodes, end + 1) !== nodes.length) return undefined;
  const left = constantOf(nodes.slice(0, end), depth + 1);
  const right = left && constantOf(nodes.slice(end + 1), depth + 1);
  return left && right && computed(operator.text, left, right);
}

export function computed(operator: string, left: Constant, right: Constant): Constant | undefined {
  if (operator === '*')
    return bounded({ value: left.value * right.value, scale: left.scale + right.scale });
  if (operator !== '+' && operator !== '-') return undefined;
  const scale = Math.max(left.scale, right.scale);
  const [a, b] = [left, right].map((each) => each.value * 10n ** BigInt(scale - each.scale));
  if (a === undefined || b === undefined) return undefined;
  return bounded({ value: operator === '+' ? a + b : a - b, scale });
}

/** Digits in front of the point and behind it. */
export const digitsOf = ({ value, scale }: Constant): number =>
  Math.max(String(value < 0n ? -value : value).length, scale);

/** Its digits. After the point there is at least one digit, and otherwise no zeros at the end. */
export function textOf({ value, scale }: Constant): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const fraction = scale === 0 ? '' : digits.slice(-scale).replace(/0+$/, '').padEnd(1, '0');
  const whole = scale === 0 ? digits : digits.slice(0, -scale);
  return `${value < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${fraction}`}`;
}

function ofOne(node: Node, depth: number): Constant | undefined {
  if (isList(node))
    return itemsOf(node.nodes).length === 1 ? constantOf(node.nodes, depth + 1) : undefined;
  if (node.kind !== 'number') return undefined;
  const [, whole = '', behind = ''] = NUMBER.exec(node.text) ?? [];
  return whole + behind === ''
    ? undefined
    : bounded({ value: BigInt(whole + behind), scale: behind.length });
}

const bounded = (constant: Constant): Constant | undefined =>
  digitsOf(constant) > DIGITS_MAX ? undefined : constant;
