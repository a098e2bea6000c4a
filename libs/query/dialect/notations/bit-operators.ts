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
    text ||= write(side.value);
    // A small number has few bits, of which the engine would shift them out.
    if (operator === '<<') text = `toInt64(${text})`;
    text = `${FUNCTIONS[operator]}(${text}, ${complement(next, write)})`;
    side = next;
  }
  return text === '' ? undefined : { text, end: side.end };
}

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
  // The engine has bits of other numbers, too.
  if (/^[^x]*[.e]/i.test(text))
    throw new MillraceError('INVALID_SQL', `~${text.slice(0, 40)}: only integers have bits`);
  return `bitNot(toInt64(${text}))`;
}

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
