import { itemsOf, type Nodes } from '../source-tree.js';

const CALL = /[A-Za-z]\w*\(/;
/** The engine takes none of these for a constant. */
const COMPUTED = /\b(?:throwIf|\w*rand\w*|generateUUIDv\d)\(/i;

/**
 * The rows of VALUES where some of them are computed, as `CAST(NULL AS INT)`: the engine takes
 * constants only.
 * @param args the rows in the engine's SQL
 * @returns undefined where all are constants
 */
export function computedRows(items: readonly Nodes[], args: readonly string[]): string | undefined {
  const [[only, more] = []] = items;
  const width = only?.kind === 'group' && !more ? itemsOf(only.nodes).length : 1;
  const isComputed = width === 1 ? CALL : COMPUTED;
  if (!args.some((arg) => isComputed.test(arg))) return undefined;
  const rows = args.map((arg) => (width === 1 ? `tuple(${arg})` : `tuple${arg}`));
  const names = Array.from({ length: width }, (_, at) => `tupleElement(_row, ${at + 1}) AS c${at + 1}`); // prettier-ignore
  return `(SELECT ${names.join(', ')} FROM (SELECT arrayJoin([${rows.join(', ')}]) AS _row))`;
}
