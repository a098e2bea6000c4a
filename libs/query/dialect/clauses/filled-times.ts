import type { Known } from '../casts/known-type.js';
import { isWord, type Nodes } from '../source-tree.js';

const BEGINS = /^(?:FROM|TO|STEP|STALENESS|INTERPOLATE)$/;

/** The index at which `WITH FILL` begins in an item of ORDER BY; -1 where it does not. */
export const fillAt = (item: Nodes): number =>
  item.findIndex((node, at) => isWord(node, 'WITH') && isWord(item[at + 1], 'FILL'));

/** An item of ORDER BY before its direction. */
export function keyOf(item: Nodes): Nodes {
  const end = item.findIndex((node) => node.kind === 'word' && /^(?:ASC|DESC|NULLS|COLLATE)$/.test(node.text)); // prettier-ignore
  return end === -1 ? item : item.slice(0, end);
}

/**
 * `WITH FILL FROM toDateTime('…') TO '…' STEP 3600` behind a time: the engine wants both bounds of
 * the very type of the time. It takes a number of the step for seconds itself, with their fraction.
 * @param nodes from WITH on
 * @returns undefined where the type of the time is not known
 */
export function filledTimes(
  nodes: Nodes,
  { kind, precision, isLocal, isWide }: Known,
  write: (nodes: Nodes) => string,
): string | undefined {
  if (kind !== 'moment' || (precision === 0 && !isWide)) return undefined;
  const written = ['WITH FILL'];
  for (let at = 2; at < nodes.length;) {
    const next = nodes.findIndex((node, place) => place > at && node.kind === 'word' && BEGINS.test(node.text)); // prettier-ignore
    const end = next === -1 ? nodes.length : next;
    const [word, ...rest] = nodes.slice(at, end);
    if (isWord(word, 'FROM') || isWord(word, 'TO'))
      written.push(`${word?.text ?? ''} toDateTime64(${write(rest)}, ${precision}${isLocal ? '' : ", 'UTC'"})`); // prettier-ignore
    else written.push(write(nodes.slice(at, end)));
    at = end;
  }
  return written.join(' ');
}
