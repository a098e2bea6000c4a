import { constantOf, textOf, type Constant } from './constants.js';
import { exactNumber } from './exact-literals.js';
import type { Node, Nodes } from '../source-tree.js';

const PLACES_MAX = 76;

/**
 * `round(2.25, 1)` of a number that is written in the statement, which is a decimal in the standard:
 * half goes away from zero. For the engine it is a float, of which half goes to the even digit.
 * @param places the second argument, if there is one
 * @returns undefined for a whole number, and for anything that is not written out
 */
export function roundedConstant(value: Nodes, places: Nodes): string | undefined {
  const constant = constantOf(value.map(withFraction));
  const count = places.length === 0 ? { value: 0n, scale: 0 } : constantOf(places);
  if (!constant || count?.scale !== 0 || constant.scale === 0) return undefined;
  if (count.value > PLACES_MAX || count.value < -PLACES_MAX) return undefined;
  return written(rounded(constant, Number(count.value)));
}

/** The engine prints 1250.0 as `1250.`, which is a decimal, too. */
const withFraction = (node: Node): Node =>
  node.kind === 'group'
    ? { ...node, nodes: node.nodes.map(withFraction) }
    : { ...node, text: node.text.replace(/^(\d+)\.$/, '$1.0') };

function rounded({ value, scale }: Constant, places: number): Constant {
  if (places >= scale) return { value, scale };
  const unit = 10n ** BigInt(scale - places);
  const size = value < 0n ? -value : value;
  const units = ((size + unit / 2n) / unit) * (value < 0n ? -1n : 1n);
  return { value: places < 0 ? units * 10n ** BigInt(-places) : units, scale: Math.max(places, 0) };
}

/** With a sign it is in brackets: a second sign before it would begin a comment. */
const written = (constant: Constant): string =>
  constant.value < 0n ? `(${exactNumber(textOf(constant))})` : exactNumber(textOf(constant));
