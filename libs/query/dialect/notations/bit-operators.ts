import { MillraceError } from '@app/platform';
import { isValueBefore, isWithinSum, sumEnd } from '../operands.js';
import type { Rewritten, Write } from './rewriting.js';
import { isSymbol, type Nodes } from '../source-tree.js';

const FUNCTIONS: Readonly<Record<string, string>> = {
  '&': 'bitAnd',
  '|': 'bitOr',
  '<<': 'bitShiftLeft',
  '>>': 'bitShiftRight',
};

/** `a & b`, `a | b`, `a << b`, `a >> b` and `~a` of integers, which bind less than `+` and more than `=`. */
export function bitOperators(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  if (isWithinSum(nodes, at)) return undefined;
  const first = sideAt(nodes, at);
  if (!first) return undefined;
  let side: Side = first;
  let text = side.isComplement ? complement(side, write) : '';
  for (;;) {
    const operator = operatorAt(nodes, side.end);
    const next: Side | undefined =
      operator === '' ? undefined : sideAt(nodes, side.end + operator.length);
    if (!next) break;
    text ||= integer(side.value, write);
    const by = complement(next, write);
    if (operator === '<<') text = shiftedLeft(text, by);
    else
      text = `${FUNCTIONS[operator]}(${isShift(operator) && isWritten(side.value) ? `toInt64(${text})` : text}, ${by})`;
    side = next;
  }
  return text === '' ? undefined : { text, end: side.end };
}

const isShift = (operator: string): boolean => operator === '>>';

/**
 * The engine would shift bits out without an error: a shift is a product with a power of 2. By null,
 * of which `least` would make the bound, it is null.
 */
function shiftedLeft(value: string, by: string): string {
  const bits = /^\d+$/.test(by) ? `least(${by}, ${BITS_MAX})` : `if((${by}) > ${BITS_MAX}, ${BITS_MAX}, ${by})`; // prettier-ignore
  return `accurateCast(accurateCast(${value}, 'Nullable(Int256)') * bitShiftLeft(toInt256(1), ${bits}), 'Nullable(Int64)')`;
}

/** A product with this power of 2 leaves 64 bits, and fits into 256. */
const BITS_MAX = 128;

interface Side {
  readonly value: Nodes;
  readonly isComplement: boolean;
  readonly end: number;
}

/** All that binds more than `&`, with the signs `~` before it, of which two are none. */
function sideAt(nodes: Nodes, at: number): Side | undefined {
  let from = at;
  while (isSymbol(nodes[from], '~')) from += 1;
  if (from > at && isValueBefore(nodes, at)) return undefined;
  const end = sumEnd(nodes, from);
  const isComplement = (from - at) % 2 === 1;
  return end === undefined ? undefined : { value: nodes.slice(from, end), isComplement, end };
}

function complement({ value, isComplement }: Side, write: Write): string {
  const text = write(value);
  if (!isComplement) return text;
  if (!isWritten(value)) return `bitNot(${text})`;
  return `bitNot(toInt64(${integer(value, write)}))`;
}

/** The engine has bits of other numbers, too. */
function integer(value: Nodes, write: Write): string {
  const text = write(value);
  if (isWritten(value) && hasFraction(value))
    throw new MillraceError('INVALID_SQL', `${text.slice(0, 40)}: only integers have bits`);
  return text;
}

const hasFraction = (nodes: Nodes): boolean =>
  nodes.some((node) =>
    node.kind === 'group' ? hasFraction(node.nodes) : /^(?!0x).*[.e]/i.test(node.text),
  );

/** True for numbers that stand in the statement: the engine takes few bits for them. */
const isWritten = (nodes: Nodes): boolean =>
  nodes.every((node) =>
    node.kind === 'group' ? isWritten(node.nodes) : /^(?:number|symbol)$/.test(node.kind),
  );

/** The operator that stands there; `&&` and the like are other operators. */
export function operatorAt(nodes: Nodes, at: number): string {
  const [first, second] = [nodes[at], nodes[at + 1]];
  if (first?.kind !== 'symbol') return '';
  const isTwice =
    second?.kind === 'symbol' && second.text === first.text && second.start === first.end;
  const operator = isTwice ? first.text + second.text : first.text;
  return Object.hasOwn(FUNCTIONS, operator) ? operator : '';
}
