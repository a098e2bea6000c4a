import { behindCasts, isKeyword, operandEnd } from '../operands.js';
import { lastWordBefore } from './last-word.js';
import type { Rewritten, Write } from './rewriting.js';
import { isSymbol, isWord, type Nodes } from '../source-tree.js';

/** Functions that take lambdas, in which `x -> 'a'` answers a text. */
export const TAKES_LAMBDA = /^(?!(?:array_agg|list|listagg)$)(?:array|map|list)/i;

/**
 * `j -> 'a' ->> 'b'` of Postgres and DuckDB. It binds more strongly than a comparison, as in
 * Postgres.
 * @param isLambda whether `x -> …` would be a lambda there
 * @returns undefined if no such operand begins there
 */
export function jsonArrow(
  nodes: Nodes,
  at: number,
  isLambda: boolean,
  write: Write,
): Rewritten | undefined {
  const first = nodes[at];
  if (first?.kind === 'word' && isKeyword(first.text)) return undefined;
  const begun = operandEnd(nodes, at);
  if (begun === undefined) return undefined;
  const cast = behindCasts(nodes, begun);
  if (isSymbol(nodes[cast], '->') && (isLambda || isNamedLambda(nodes, at))) return undefined;
  // `j::json -> 'a'`: the cast does not change the result.
  const isPlain = cast === begun + 2 && /^jsonb?$/i.test(nodes[begun + 1]?.text ?? '');
  const value = nodes.slice(at, isPlain ? begun : cast);
  let end = cast;
  let steps: string[] = [];
  let text = '';
  for (;;) {
    const isText = isSymbol(nodes[end], '->>') || isSymbol(nodes[end], '#>>');
    const key = keyBehind(nodes, end);
    if (!key) break;
    steps.push(key.text);
    end = key.end;
    text ||= write(value);
    if (!isText && keyBehind(nodes, end)) continue;
    // The growing text is not joined in each step, because it would be copied each time.
    text = `json_extract${isText ? '_string' : ''}(${text}, ${steps.join(', ')})`;
    steps = [];
  }
  return text === '' ? undefined : { text, end };
}

const queryWordBefore = lastWordBefore(/^(?:WITH|SELECT)$/i);

/** `WITH x -> 'a' AS f` is a lambda of the engine. */
function isNamedLambda(nodes: Nodes, at: number): boolean {
  if (!isWord(nodes[0], 'WITH') && !isWord(nodes[0], 'EXPLAIN')) return false;
  if (!isWord(nodes[at - 1], 'WITH') && !isSymbol(nodes[at - 1], ',')) return false;
  return queryWordBefore(nodes, at) === 'WITH';
}

/** Index behind the arrows and keys that stand there. */
export function behindArrows(nodes: Nodes, at: number): number {
  let end = at;
  for (let key = keyBehind(nodes, end); key; key = keyBehind(nodes, end)) end = key.end;
  return end;
}

/** The key, or keys, behind the arrow that stands there. */
function keyBehind(nodes: Nodes, at: number): Rewritten | undefined {
  const arrow = nodes[at];
  if (isSymbol(arrow, '->') || isSymbol(arrow, '->>')) return keyAt(nodes, at + 1);
  return isSymbol(arrow, '#>') || isSymbol(arrow, '#>>') ? keysAt(nodes, at + 1) : undefined;
}

/** `'{a,b,0}'`, the keys of a path as Postgres writes them. */
function keysAt(nodes: Nodes, at: number): Rewritten | undefined {
  const path = nodes[at];
  const listed = path?.kind === 'text' ? /^\{([^{}"\\']+)\}$/.exec(path.value)?.[1] : undefined;
  const keys = listed?.split(',').map((key) => key.trim());
  if (!keys || keys.includes('')) return undefined;
  const text = keys.map((key) => (/^-?\d{1,9}$/.test(key) ? key : `'${key}'`)).join(', ');
  return { text, end: at + 1 };
}

function keyAt(nodes: Nodes, at: number): Rewritten | undefined {
  const [key, number] = [nodes[at], nodes[at + 1]];
  if (key?.kind === 'text') return { text: `'${key.value}'`, end: at + 1 };
  if (key?.kind === 'number' && /^\d+$/.test(key.text)) return { text: key.text, end: at + 1 };
  const isNegative = isSymbol(key, '-') && /^\d+$/.test(number?.text ?? '');
  return isNegative ? { text: `-${number?.text}`, end: at + 2 } : undefined;
}
