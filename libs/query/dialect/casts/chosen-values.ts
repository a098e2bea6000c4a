import { bridged, bridgesOf } from '../queries/common-columns.js';
import { itemAt, itemsOf, type Group } from '../source-tree.js';
import { choicesOf } from './choices.js';
import type { ValueTypes } from './value-types.js';

/** Values of which a call answers one are of one type. */
export function chosenValues(
  name: string,
  { nodes }: Group,
  items: readonly string[],
  types: ValueTypes,
): readonly string[] {
  const places = choicesOf(name, items.length);
  if (places.length === 0) return items;
  const values = itemsOf(nodes);
  const bridges = bridgesOf(places.map((at) => types.ofChoice(itemAt(values, at))));
  return items.map((item, at) => {
    const bridge = bridges[places.indexOf(at)];
    return bridge === undefined ? item : bridged(item, bridge, itemAt(values, at));
  });
}
