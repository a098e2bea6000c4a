import { itemAt, itemsOf, type Group } from '../source-tree.js';
import type { ValueTypes } from '../casts/value-types.js';
import type { WrittenLength } from '../written-length.js';

const FILTERED = /^(?!(?:null|multi|throw)If$).+If$/i;
const THROWS = /\b(?:throwIf|accurateCast|CAST)\(/;
/** These kinds cannot be null. */
const WITHOUT_NULLS = /^(?:other|unknown)$/;

interface Filtered {
  readonly name: string;
  /** The arguments, the condition last. */
  readonly list: Group;
  readonly types: ValueTypes;
}

/**
 * FILTER becomes `sumIf(x, condition)`, which computes x for all rows. So an expression that may
 * throw becomes null where the condition is false.
 * @param written the arguments in the engine's SQL.
 * @returns the same for any other call.
 */
export function filteredArguments(
  { name, list, types }: Filtered,
  written: readonly string[],
  length: WrittenLength,
): readonly string[] {
  const condition = written.at(-1);
  if (condition === undefined || !FILTERED.test(name)) return written;
  const items = itemsOf(list.nodes);
  return written.map((item, at) => {
    if (at === written.length - 1 || !length.searched(item, THROWS)) return item;
    if (WITHOUT_NULLS.test(types.of(itemAt(items, at)).kind)) return item;
    return length.add(`if(${condition}, ${item}, NULL)`);
  });
}
