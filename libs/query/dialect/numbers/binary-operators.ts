import type { Known } from '../casts/known-type.js';
import { timeArithmetic } from '../times/time-arithmetic.js';
import { withTimes } from '../times/time-literals.js';
import { decimalArithmetic, quotient, type Side } from './decimal-arithmetic.js';
import { equalNumbers } from './equal-numbers.js';
import { exactResult } from './exact-literals.js';
import { within64Bits } from './exact-sums.js';

/**
 * Writes an operator between two operands.
 * @param typeOfResult the type that the whole has
 * @param add counts a text that is added
 */
export function binaryOperation(
  operator: string,
  left: Side,
  right: Side,
  typeOfResult: () => Known,
  add: (text: string) => string,
): string {
  const [a, b] = [left.written, right.written];
  const timed = timeArithmetic(operator, left, right);
  if (timed !== undefined) return timed;
  const own =
    exactResult(operator, left.nodes, right.nodes) ??
    decimalArithmetic(operator, left, right) ??
    withTimes(operator, left, right) ??
    equalNumbers(operator, left, right);
  if (own !== undefined) return add(own);
  if (operator === '/') return quotient(left, right);
  const plain = `${a} ${operator} ${b}`;
  if (!/^[-+*]$/.test(operator)) return plain;
  const { kind } = typeOfResult();
  // Where only the engine will know the types, a check of each row would take ten times as long.
  return kind === 'signed' || kind === 'unsigned'
    ? within64Bits(`toInt128(${a}) ${operator} ${b}`, kind)
    : plain;
}
