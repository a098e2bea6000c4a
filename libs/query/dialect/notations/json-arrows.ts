import { isKeyword, operandEnd } from '../operands.js';
import type { Rewritten, Write } from './rewriting.js';
import { isSymbol, type Nodes } from '../source-tree.js';

/** Functions that take lambdas, in which `x -> 'a'` answers a text. */
export const TAKES_LAMBDA = /^(?:array|map|list)/i;

/**
 * `j -> 'a' ->> 'b'` of Postgres and DuckDB. It binds more than a comparison does, as in Postgres.
 * @returns undefined where no such operand begins there
 */
export function jsonArrow(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const first = nodes[at];
  if (first?.kind === 'word' && isKeyword(first.text)) return undefined;
  const begun = operandEnd(nodes, at);
  if (begun === undefined) return undefined;
  let end = behindCast(nodes, begun);
  let steps: string[] = [];
  let text = '';
  for (;;) {
    const isText = isSymbol(nodes[end], '->>');
    const key = isText || isSymbol(nodes[end], '->') ? keyAt(nodes, end + 1) : undefined;
    if (!key) break;
    steps.push(key.text);
    end = key.end;
    text ||= write(nodes.slice(at, begun));
    if (!isText && keyAt(nodes, end + 1) && /^->>?$/.test(nodes[end]?.text ?? '')) continue;
    text = `json_extract${isText ? '_string' : ''}(${[text, ...steps].join(', ')})`;
    steps = [];
  }
  return text === '' ? undefined : { text, end };
}

/** `j::json -> 'a'`: the cast changes nothing of what is read. */
const behindCast = (nodes: Nodes, at: number): number =>
  isSymbol(nodes[at], '::') && /^jsonb?$/i.test(nodes[at + 1]?.text ?? '') && /^->>?$/.test(nodes[at + 2]?.text ?? '') ? at + 2 : at; // prettier-ignore

function keyAt(nodes: Nodes, at: number): Rewritten | undefined {
  const [key, number] = [nodes[at], nodes[at + 1]];
  if (key?.kind === 'text') return { text: `'${key.value}'`, end: at + 1 };
  if (key?.kind === 'number' && /^\d+$/.test(key.text)) return { text: key.text, end: at + 1 };
  const isNegative = isSymbol(key, '-') && /^\d+$/.test(number?.text ?? '');
  return isNegative ? { text: `-${number?.text}`, end: at + 2 } : undefined;
}
