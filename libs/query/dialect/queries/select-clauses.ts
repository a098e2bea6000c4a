import { isList, isWord, type Node, type Nodes } from '../source-tree.js';

const KEYWORDS = [
  'WITH',
  'SELECT',
  'FROM',
  'PREWHERE',
  'WHERE',
  'GROUP',
  'HAVING',
  'WINDOW',
  'QUALIFY',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'SETTINGS',
  'FORMAT',
  'INTO',
] as const;
type ClauseWord = (typeof KEYWORDS)[number];

export interface Clause {
  readonly word: ClauseWord;
  /** The index of the keyword, and of the text after it. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

const SET_OPERATOR = /^(?:UNION|INTERSECT|EXCEPT)$/i;

/** Tells whether several SELECTs are combined there. `* EXCEPT a` does not count. */
export function isSetOperator(nodes: Nodes, at: number): boolean {
  const node = nodes[at];
  if (node?.kind !== 'word' || !SET_OPERATOR.test(node.text)) return false;
  const operand = nodes[behindOperator(nodes, at)];
  if (isWord(operand, 'SELECT') || isWord(operand, 'WITH')) return true;
  return isList(operand) && beginsQuery(operand.nodes);
}

/** The place of the query behind the set operator there. */
export function behindOperator(nodes: Nodes, at: number): number {
  let next = at + 1;
  while (/^(?:ALL|DISTINCT)$/i.test(nodes[next]?.text ?? '')) next += 1;
  return next;
}

function beginsQuery([first]: Nodes): boolean {
  if (isWord(first, 'SELECT') || isWord(first, 'WITH')) return true;
  return isList(first) && beginsQuery(first.nodes);
}

/** The clauses of one SELECT, in order. */
export function clausesOf(nodes: Nodes): readonly Clause[] {
  const starts: { readonly word: ClauseWord; readonly at: number; readonly from: number }[] = [];
  for (const [at, node] of nodes.entries()) {
    const word = clauseWordAt(node, nodes, at);
    if (word === undefined || !follows(word, starts.at(-1)?.word)) continue;
    // Elsewhere `by` may be a name.
    const isBy = word === 'GROUP' || word === 'ORDER';
    starts.push({ word, at, from: isBy ? at + 2 : at + 1 });
  }
  return starts.map((start, index) => ({ ...start, to: starts[index + 1]?.at ?? nodes.length }));
}

function clauseWordAt(node: Node, nodes: Nodes, at: number): ClauseWord | undefined {
  if (node.kind !== 'word') return undefined;
  const word = KEYWORDS.find((each) => node.text === each);
  if (word === undefined) return undefined;
  const before = nodes[at - 1];
  const after = nodes[at + 1];
  if (isWord(before, 'AS') || before?.text === '.' || after?.text === '.') return undefined;
  // `x IS DISTINCT FROM y`
  if (word === 'FROM' && isWord(before, 'DISTINCT')) return undefined;
  if ((word === 'GROUP' || word === 'ORDER') && !isWord(after, 'BY')) return undefined;
  return word;
}

function follows(word: ClauseWord, last: ClauseWord | undefined): boolean {
  if (word === 'WITH') return last === undefined;
  if (last === undefined) return word === 'SELECT';
  // A second LIMIT may follow LIMIT BY.
  return KEYWORDS.indexOf(word) > KEYWORDS.indexOf(last) || (word === 'LIMIT' && last === 'LIMIT');
}
