import { isList, isSymbol, isWord, type Group, type Node, type Nodes } from './source-tree.js';

/**
 * Words of SQL that stand before an expression or between two. None of them is an operand or a
 * function.
 */
const KEYWORD =
  /^(?:SELECT|DISTINCT|WHERE|PREWHERE|HAVING|QUALIFY|BY|ON|AND|OR|NOT|IN|LIKE|ILIKE|REGEXP|IS|FROM|THEN|ELSE|WHEN|CASE|END|AS|LIMIT|OFFSET|USING|JOIN|UNION|ALL|EXCEPT|INTERSECT|BETWEEN|INTERVAL|OVER|ANY|VALUES|STEP|ROWS|RANGE|GROUPS|REPLACE|APPLY|WITH|FILTER|SETS|MATERIALIZED|RECURSIVE|WINDOW)$/;

export const isKeyword = (word: string): boolean => KEYWORD.test(word.toUpperCase());

/** A call with its arguments, its parameters and its OVER. */
export interface Call {
  readonly name: string;
  readonly list: Group;
  /** `f(parameters)(arguments)`. */
  readonly more: Group | undefined;
  /** The place of `RESPECT NULLS` or `OVER …`, or the end. */
  readonly overAt: number;
  /** The index after the whole call. */
  readonly end: number;
}

export function callAt(nodes: Nodes, at: number): Call | undefined {
  const word = nodes[at];
  const list = nodes[at + 1];
  if ((word?.kind !== 'word' && word?.kind !== 'name') || !isList(list)) return undefined;
  if (word.kind === 'word' && KEYWORD.test(word.text)) return undefined;
  if (isWord(nodes[at - 1], 'AS') || isSymbol(nodes[at - 1], '.')) return undefined;
  const second = nodes[at + 2];
  const more = isList(second) ? second : undefined;
  const overAt = at + (more ? 3 : 2);
  const isOfNulls = isWord(nodes[overAt + 1], 'NULLS') && /^(?:RESPECT|IGNORE)$/i.test(nodes[overAt]?.text ?? ''); // prettier-ignore
  const windowAt = isOfNulls ? overAt + 2 : overAt;
  const end = isWord(nodes[windowAt], 'OVER') ? windowAt + 2 : windowAt;
  return { name: word.value, list, more, overAt, end };
}

/** The index after the operand that begins there; undefined if none does. */
export function operandEnd(nodes: Nodes, at: number): number | undefined {
  const node = nodes[at];
  if (!node || node.kind === 'symbol') return undefined;
  if (node.kind === 'word' && KEYWORD.test(node.text)) return undefined;
  let end = callAt(nodes, at)?.end ?? at + 1;
  for (;;) {
    const next = nodes[end];
    if (isSymbol(next, '.') && nodes[end + 1] && nodes[end + 1]?.kind !== 'group') {
      // The pieces `.:Int64` and `.^b` belong to a path into JSON.
      end += nodes[end + 1]?.kind === 'symbol' ? 3 : 2;
    } else if (next?.kind === 'group' && next.text === '[') end += 1;
    else if (next?.kind === 'number' && next.text.startsWith('.')) end += 1;
    else return end;
  }
}

/** True for names with dots between them alone. */
export const isPath = (nodes: Nodes): boolean =>
  nodes.length % 2 === 1 && nodes.every((node, at) => at % 2 === 0 || isSymbol(node, '.'));

/** Does the same for a number that may have a sign: `-3 + v` is no negative sum. */
export const signedOperandEnd = (nodes: Nodes, at: number): number | undefined =>
  operandEnd(nodes, isSymbol(nodes[at], '-') && !isOperandBefore(nodes, at) ? at + 1 : at);

const OPERATORS = /^(?:[-+*/%<>=]|<=|>=|!=|<>|==|<=>)$/;

/** The index behind an operator between two operands; undefined if none stands there. */
export function behindBinary(nodes: Nodes, at: number): number | undefined {
  const node = nodes[at];
  if (node?.kind === 'symbol') return OPERATORS.test(node.text) ? at + 1 : undefined;
  const isDistinct = isWord(node, 'IS') && isWord(nodes[at + 1], 'DISTINCT') && isWord(nodes[at + 2], 'FROM'); // prettier-ignore
  return isDistinct ? at + 3 : undefined;
}

export function isOperandBefore(nodes: Nodes, at: number): boolean {
  const before = nodes[at - 1];
  if (!before || before.kind === 'symbol') return false;
  return before.kind !== 'word' || !KEYWORD.test(before.text) || isWord(before, 'END');
}

/** The same in a text of its author, whose keywords are in any case. */
export function isValueBefore(nodes: Nodes, at: number): boolean {
  const before = nodes[at - 1];
  if (!before || before.kind === 'symbol') return false;
  return before.kind !== 'word' || !isKeyword(before.text) || isWord(before, 'END');
}

const TYPE_WORDS = /^(?:PRECISION|VARYING|UNSIGNED|SIGNED)$/i;

/** The index after `:: type`, which may occur several times. */
export function behindCasts(nodes: Nodes, at: number): number {
  let end = at;
  while (isSymbol(nodes[end], '::') && /^(?:word|name)$/.test(nodes[end + 1]?.kind ?? '')) {
    end += 2;
    while (TYPE_WORDS.test(nodes[end]?.text ?? '')) end += 1;
    if (isList(nodes[end])) end += 1;
    if (/^WITH(?:OUT)?$/i.test(nodes[end]?.text ?? '') && isWord(nodes[end + 1], 'TIME')) end += 3;
    while (nodes[end]?.kind === 'group' && nodes[end]?.text === '[') end += 1;
  }
  return end;
}

const ARITHMETIC = /^[-+*/%^]$/;

const isArithmetic = (node: Node | undefined): boolean =>
  node?.kind === 'symbol' ? ARITHMETIC.test(node.text) : isWord(node, 'MOD') || isWord(node, 'DIV');

/** The length of `**`, which are two signs, or of `^`; 0 where neither stands there. */
export function powerLength(nodes: Nodes, at: number): number {
  const [sign, second] = [nodes[at], nodes[at + 1]];
  if (isSymbol(sign, '^')) return 1;
  return isSymbol(sign, '*') && isSymbol(second, '*') && second?.start === sign?.end ? 2 : 0;
}

/**
 * The index after a sum: operands with their signs and casts, with `+`, `-`, `*`, `/`, `%` and
 * powers between them.
 */
export function sumEnd(nodes: Nodes, at: number): number | undefined {
  let end: number | undefined;
  for (let next = termEnd(nodes, at); next !== undefined;) {
    end = next;
    const length = powerLength(nodes, end) || (isArithmetic(nodes[end]) ? 1 : 0);
    next = length === 0 ? undefined : termEnd(nodes, end + length);
  }
  return end;
}

/** The index after one operand with its sign and casts. */
export function termEnd(nodes: Nodes, at: number): number | undefined {
  const end = operandEnd(nodes, isSymbol(nodes[at], '-') ? at + 1 : at);
  return end === undefined ? undefined : behindCasts(nodes, end);
}

/** True within a sum that has been examined from its beginning. */
export function isWithinSum(nodes: Nodes, at: number): boolean {
  if (isSymbol(nodes[at], '-') && isValueBefore(nodes, at)) return true;
  return isSymbol(nodes[at - 1], '::') || isArithmetic(nodes[at - 1]);
}
