import { isExact, type Known } from '../casts/known-type.js';
import type { Nodes } from '../source-tree.js';
import type { Side } from './decimal-arithmetic.js';

const EQUALITIES = /^(?:==?|<=>|IS DISTINCT FROM)$/;
/** The engine holds integers of fewer digits and floats in one type. */
const LONG_DIGITS = 10;

/**
 * `=`, `IS DISTINCT FROM` and the like between numbers for which the engine has no common type. It
 * wants one for keys of a join, and for what compares nulls.
 * @returns undefined if the engine compares the two
 */
export function equalNumbers(operator: string, left: Side, right: Side): string | undefined {
  if (!EQUALITIES.test(operator)) return undefined;
  const [a, b] = [left.written, right.written];
  if (isMixed(left.type, right.type)) return `toInt128(${a}) ${operator} ${b}`;
  const isKey = hasName(left.nodes) && hasName(right.nodes);
  // A constant beside `=` is no key, and the engine compares it exactly.
  if (!isKey && operator.startsWith('=')) return undefined;
  if (left.type.kind === 'float' && isWide(right.type)) return `${a} ${operator} toFloat64(${b})`;
  if (right.type.kind === 'float' && isWide(left.type)) return `toFloat64(${a}) ${operator} ${b}`;
  return undefined;
}

const isMixed = (left: Known, right: Known): boolean =>
  (left.kind === 'signed' && isUnsigned(right)) || (isUnsigned(left) && right.kind === 'signed');

const isUnsigned = ({ kind }: Known): boolean => kind === 'unsigned' || kind === 'count';

const isWide = (type: Known): boolean =>
  type.kind === 'decimal' ||
  (type.kind !== 'fraction' && isExact(type) && type.precision >= LONG_DIGITS);

const hasName = (nodes: Nodes): boolean =>
  nodes.some((node) =>
    node.kind === 'group' ? hasName(node.nodes) : node.kind === 'word' || node.kind === 'name',
  );
