import { MillraceError } from '@app/platform';
import type { ValueTypes } from '../casts/value-types.js';
import { isList, isQuery, isSymbol, isWord, type Node, type Nodes } from '../source-tree.js';

/** Without brackets they are functions in the standard, which would tell a name of the engine's. */
const WORDS = /^(?:user|current_user|session_user)$/i;

/** The time of day, in a word of the standard that the engine takes for a column. */
const TIMES = /^(?:current_time|localtime)$/i;
const MOMENTS = /^localtimestamp$/i;

const CLOCKS = new WeakMap<Node, string>();

/** The SQL of a word that tells the time; undefined for any other node. */
export const clockOf = (node: Node): string | undefined => CLOCKS.get(node);

/** The time of day, with so many digits of a second. */
export const timeOfDayNow = (digits = '6'): string =>
  `CAST(now64(${digits}, 'UTC'), 'Time64(${digits})')`;

/**
 * Finds `CURRENT_TIME`, and refuses `user` where it is no column and nothing in the statement.
 * @param isFrom true where tables stand, which may have any name
 * @throws {MillraceError} UNKNOWN_COLUMN
 */
export function findSessionWords(nodes: Nodes, isFrom: boolean, types: ValueTypes): void {
  for (const [at, node] of nodes.entries()) {
    const [before, next] = [nodes[at - 1], nodes[at + 1]];
    if (node.kind === 'group') {
      if (node.text !== '{' && !isQuery(node.nodes)) findSessionWords(node.nodes, isFrom, types);
      continue;
    }
    const isClock = node.kind === 'word' && (TIMES.test(node.text) || MOMENTS.test(node.text));
    if (!isClock && (node.kind !== 'word' || !WORDS.test(node.text))) continue;
    if (types.isGiven(node.value)) continue;
    if (isSymbol(before, '.') || isWord(before, 'AS') || isWord(before, 'OVER')) continue;
    if (isSymbol(next, '.') || next?.kind === 'group') continue;
    // `WITH user AS (SELECT …)` and `WINDOW user AS (…)` give the name to something else.
    if (isWord(next, 'AS') && isList(nodes[at + 2])) continue;
    const isTable = isFrom && (at === 0 || isSymbol(before, ',') || isWord(before, 'JOIN'));
    if (isTable) continue;
    if (isClock) CLOCKS.set(node, TIMES.test(node.text) ? timeOfDayNow() : "now64(6, 'UTC')");
    else
      throw new MillraceError('UNKNOWN_COLUMN', `there is no column ${JSON.stringify(node.value)}, and a statement does not tell who asks it`); // prettier-ignore
  }
}
