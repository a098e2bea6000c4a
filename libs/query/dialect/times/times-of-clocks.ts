import { quoteText } from '@app/warehouse';
import { checkMoment } from './casts-to-moment.js';
import { isList, isSymbol, isWord, itemsOf, type Node, type Nodes } from '../source-tree.js';
import type { Rewritten } from '../notations/rewriting.js';

const LOCAL = /^(?:TIMESTAMP|DATETIME)$/i;
export const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/i;

interface Wall {
  readonly text: Node;
  /** The index after it. */
  readonly end: number;
}

/**
 * A time that is written out, with a zone: the moment at which the clocks of the zone show it.
 * `'…'::timestamp AT TIME ZONE 'zone'`, `CAST('…' AS TIMESTAMP) AT TIME ZONE 'zone'` and
 * `timezone('zone', TIMESTAMP '…')` are what `TIMESTAMP '…' AT TIME ZONE 'zone'` is.
 */
export function wallTime(nodes: Nodes, at: number, source: string): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (isWord(word, 'TIMEZONE') && isList(list) && !isSymbol(nodes[at - 1], '.')) {
    const [[zone, more] = [], given = [], other] = itemsOf(list.nodes);
    const wall = wallAt(given, 0);
    const isAlone = zone?.kind === 'text' && !more && !other && wall?.end === given.length;
    return wall && isAlone ? momentIn(zone, wall.text, source, at + 2) : undefined;
  }
  const wall = wallAt(nodes, at);
  if (!wall || !['AT', 'TIME', 'ZONE'].every((each, index) => isWord(nodes[wall.end + index], each))) return undefined; // prettier-ignore
  const zone = nodes[wall.end + 3];
  return zone?.kind === 'text' ? momentIn(zone, wall.text, source, wall.end + 4) : undefined;
}

function wallAt(nodes: Nodes, at: number): Wall | undefined {
  const [first, second, third] = nodes.slice(at, at + 3);
  if (isList(first) && first.nodes.length > 1 && !isList(first.nodes[0])) {
    const within = wallAt(first.nodes, 0);
    return within?.end === first.nodes.length ? { ...within, end: at + 1 } : undefined;
  }
  const isLocal = (node: Node | undefined): boolean => node?.kind === 'word' && LOCAL.test(node.text); // prettier-ignore
  if (isLocal(first) && second?.kind === 'text') return wallOf(second, at + 2);
  if (first?.kind === 'text' && isSymbol(second, '::') && isLocal(third)) {
    const behind = nodes[at + 3];
    const goesOn = isSymbol(behind, '::') || isList(behind) || isWord(behind, 'WITH') || isWord(behind, 'WITHOUT'); // prettier-ignore
    return goesOn ? undefined : wallOf(first, at + 3);
  }
  if (!isWord(first, 'CAST') || !isList(second)) return undefined;
  const [text, as, type, more] = second.nodes;
  return isWord(as, 'AS') && isLocal(type) && !more ? wallOf(text, at + 2) : undefined;
}

const wallOf = (text: Node | undefined, end: number): Wall | undefined =>
  text?.kind === 'text' && !ZONED.test(text.value) ? { text, end } : undefined;

function momentIn(zone: Node, text: Node, source: string, end: number): Rewritten {
  if (text.kind === 'text') checkMoment(text.value);
  const quoted = source.slice(text.start, text.end);
  const name = zone.kind === 'text' ? quoteText(zone.value) : '';
  return { text: `toDateTime64(${quoted}, 6, ${name})`, end };
}
