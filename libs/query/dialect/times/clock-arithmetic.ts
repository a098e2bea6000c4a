import type { Side } from '../numbers/decimal-arithmetic.js';
import { isList, type Nodes } from '../source-tree.js';

const LENGTH_OF_TIME = /^\(*toInterval/;

/** True for a length of time, and for what is computed with one. */
export const hasLength = (nodes: Nodes): boolean =>
  nodes.some((node) =>
    node.kind === 'word' ? /^toInterval/.test(node.text) : isList(node) && hasLength(node.nodes),
  );

const isLength = ({ written }: Side): boolean => LENGTH_OF_TIME.test(written);

/**
 * A time of day and a length of time, which is a time of day again: 22:00 and three hours are 01:00.
 * The engine would count on, to 25:00.
 * @returns undefined for anything else
 */
export function clockArithmetic(operator: string, left: Side, right: Side): string | undefined {
  const [time, length] = left.type.kind === 'time' ? [left, right] : [right, left];
  if (time.type.kind !== 'time' || !isLength(length)) return undefined;
  if (operator === '-' && time === right) return undefined;
  const digits = time.type.precision;
  // Under a null the engine has a text that is no time.
  const text = `concat('2000-01-01 ', ifNull(toString(${time.written}), '00:00:00'))`;
  const moment = `(toDateTime64(${text}, ${digits}, 'UTC') ${operator} ${length.written})`;
  return `if(isNull(${time.written}), NULL, CAST(${moment}, '${digits === 0 ? 'Time' : `Time64(${digits})`}'))`;
}
