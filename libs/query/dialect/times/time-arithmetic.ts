import { isExact, type Known } from '../casts/known-type.js';
import type { Side } from '../numbers/decimal-arithmetic.js';
import { checkFarEnd } from './far-ends.js';
import { isSymbol, isWord, type Node, type Nodes } from '../source-tree.js';

/**
 * A number with so many digits is a time since 1970 and not a duration: 1973 in microseconds has as
 * many.
 */
const EPOCH_DIGITS = 15;

/** Larger numbers are in the next smaller unit, as for uploads: see `read-time.ts`. */
const SECONDS_MAX = 31_536_000_000;
const UNITS: readonly (readonly [most: number, unit: string])[] = [
  [SECONDS_MAX * 1000, 'Milli'],
  [SECONDS_MAX * 1_000_000, 'Micro'],
  [Infinity, 'Nano'],
];

const isTimeName = (node: Node): boolean =>
  (node.kind === 'word' || node.kind === 'name') && node.value === '_timestamp';

const isNumber = (node: Node | undefined): boolean =>
  node?.kind === 'number' && /^\d+$/.test(node.text);

/** The result of these functions is still such a time. Nothing is certain about others. */
const KEEPS_TIME =
  /^(?:min|max|any|anyLast|minIf|maxIf|first_value|last_value|lag|lead|assumeNotNull)$/i;

/** True for `_timestamp`, `l._timestamp`, and calls such as `max(_timestamp)`. */
export function isTime(nodes: Nodes): boolean {
  const [first, list] = nodes;
  if (nodes.length === 1 && first?.kind === 'group') return isTime(first.nodes);
  if (list?.kind === 'group') {
    const isKept = first?.kind === 'word' && KEEPS_TIME.test(first.text);
    return isKept && isOneCall(nodes) && isTime(list.nodes.slice(0, firstItem(list.nodes)));
  }
  const isName = nodes.length === 1 || (nodes.length === 3 && isSymbol(list, '.'));
  return isName && nodes.some(isTimeName);
}

/** True for a call alone, with its FILTER and its OVER, and nothing that is computed of it. */
const isOneCall = (nodes: Nodes): boolean =>
  nodes.every(({ kind }, at) => kind === 'group' || isWordOfCall(nodes, at));

function isWordOfCall(nodes: Nodes, at: number): boolean {
  if (at === 0 || /^(?:FILTER|OVER|IGNORE|RESPECT|NULLS)$/i.test(nodes[at]?.text ?? ''))
    return true;
  return isWord(nodes[at - 1], 'OVER') && at === nodes.length - 1;
}

function firstItem(nodes: Nodes): number {
  const comma = nodes.findIndex((node) => isSymbol(node, ','));
  return comma === -1 ? nodes.length : comma;
}

/** Functions and parameters that are a number of milli-, micro- or nanoseconds, or of seconds. */
const COUNTS_SINCE_1970 = /^(?:toUnixTimestamp(?:64(?:Milli|Micro|Nano))?|epoch_[mun]s)$/i;

/** True for a value from outside, for a time as a number, and where a number is added to one. */
function isCount(nodes: Nodes): boolean {
  const [first, list, operator, number] = nodes;
  if (nodes.length === 1 && first?.kind === 'group')
    return first.text === '{'
      ? /^U?Int64$/.test(first.nodes.at(-1)?.text ?? '')
      : isCount(first.nodes);
  const isCall = list?.kind === 'group' && COUNTS_SINCE_1970.test(first?.text ?? '');
  return isCall && (nodes.length === 2 || (nodes.length === 4 && /^[-+]$/.test(operator?.text ?? '') && isNumber(number))); // prettier-ignore
}

/**
 * The time of a number that is compared with a time; undefined for seconds that are written out,
 * which the engine reads, and for what is no number.
 */
function timeSince1970({ nodes, written }: Side, time: Known): string | undefined {
  const [number, more] = nodes;
  if (isNumber(number) && more === undefined) {
    const unit = UNITS.find(([most]) => Number(number?.text) <= most)?.[1] ?? '';
    return Number(number?.text) <= SECONDS_MAX ? undefined : `fromUnixTimestamp64${unit}(${written}, 'UTC')`; // prettier-ignore
  }
  if (time.kind !== 'moment' || !isCount(nodes)) return undefined;
  const n = `toInt64(${written})`;
  const [millis, micros] = UNITS.map(([most]) => `${n} <= ${most}`);
  return `fromUnixTimestamp64Micro(multiIf(${n} <= ${SECONDS_MAX}, ${n} * 1000000, ${millis ?? ''}, ${n} * 1000, ${micros ?? ''}, ${n}, intDiv(${n}, 1000)), 'UTC')`;
}

/** The end of a time that is written out. */
function checkEnd({ nodes: [only, more] }: Side): void {
  if (!more && only?.kind === 'number') checkFarEnd(only.text);
  if (!more && only?.kind === 'text') checkFarEnd(only.value.trim());
}

/** True for the time of a record; files of others, and subqueries, have numbers of that name. */
export const isTimeOf = (nodes: Nodes, type: Known): boolean =>
  isTime(nodes) && type.kind !== 'float' && !isExact(type);

/**
 * `_timestamp` counts microseconds, as in OpenObserve. So a number that is added to it is in
 * microseconds, and so is the difference of two.
 */
export function timeArithmetic(operator: string, left: Side, right: Side): string | undefined {
  const [a, b] = [left.written, right.written];
  const [leftTime, rightTime] = [left, right].map(({ nodes, type }) => isTimeOf(nodes, type));
  if (/^[/%]$/.test(operator)) {
    const isShared = leftTime && !rightTime && left.type.kind === 'moment';
    return isShared ? `toUnixTimestamp64Micro(${a}) ${operator} ${b}` : undefined;
  }
  if (operator === '*') return undefined;
  if (!/^[-+]$/.test(operator)) {
    if (leftTime === rightTime) return undefined;
    if ((leftTime ? /^<=?$/ : /^>=?$/).test(operator)) checkEnd(leftTime ? right : left);
    const time = leftTime ? timeSince1970(right, left.type) : timeSince1970(left, right.type);
    // A text is compared as it is beside any other time.
    if (time === undefined) return undefined;
    return leftTime ? `${a} ${operator} ${time}` : `${time} ${operator} ${b}`;
  }
  if (leftTime && rightTime && operator === '-')
    return `(toUnixTimestamp64Micro(${a}) - toUnixTimestamp64Micro(${b}))`;
  const number = leftTime ? right.nodes : left.nodes;
  const isNegative = number.length === 2 && isSymbol(number[0], '-');
  if (leftTime === rightTime || (number.length !== 1 && !isNegative)) return undefined;
  if (!isNumber(number.at(-1))) return undefined;
  const isEpoch = (number[0]?.end ?? 0) - (number[0]?.start ?? 0) >= EPOCH_DIGITS;
  if (isEpoch && operator === '-') {
    const micros = `toUnixTimestamp64Micro(${leftTime ? a : b})`;
    return leftTime ? `(${micros} - ${b})` : `(${a} - ${micros})`;
  }
  if (operator === '-' && rightTime) return undefined;
  return leftTime
    ? `(${a} ${operator} toIntervalMicrosecond(${b}))`
    : `(${b} + toIntervalMicrosecond(${a}))`;
}
