import { DATE, moment, OTHER, UNKNOWN, type Known } from '../casts/known-type.js';
import { callAt } from '../operands.js';
import type { Nodes } from '../source-tree.js';
import { hasLength } from '../times/clock-arithmetic.js';
import { isNumberOfLength, MICROSECONDS, typeOfLengths } from './numbers-of-lengths.js';
import { isTimeOf } from '../times/time-arithmetic.js';

const SECONDS_OF_DAY = 86_400;

const isPoint = ({ kind }: Known): boolean => kind === 'moment' || kind === 'date';

/** A sum or a difference: its operands, and their types. */
interface Sum {
  readonly operator: string;
  readonly operands: readonly [Nodes, Nodes];
  readonly types: readonly [Known, Known];
}

/**
 * The type of a time to which a length is added, and of the difference of two times; undefined for
 * any other sum.
 */
export function typeOfTimes({ operator, operands, types: [left, right] }: Sum): Known | undefined {
  const [a, b] = operands;
  const isMoved = ({ kind }: Known): boolean => kind === 'time' || kind === 'moment';
  if (isMoved(left) && (hasLength(b) || isNumberOfLength(right))) return moved(left);
  if (isMoved(right) && (hasLength(a) || isNumberOfLength(left))) return moved(right);
  const length = typeOfLengths(operator, left, right);
  if (length || operator !== '-') return length;
  if (isTimeOf(a, left) && isTimeOf(b, right)) return { ...OTHER, perSecond: MICROSECONDS };
  const isOfDays = left.kind === 'date' && right.kind === 'date';
  if (isOfDays) return { ...OTHER, perSecond: 1 / SECONDS_OF_DAY };
  return isPoint(left) && isPoint(right) ? { ...OTHER, perSecond: 1 } : undefined;
}

/** A length may have more digits of a second than the time to which it is added. */
const moved = (time: Known): Known =>
  time.kind === 'time' ? time : { ...moment(), ...(time.isLocal && { isLocal: true }) };

/** Functions that cut a time to the beginning of its second, minute, hour or day. */
const KEEPS_KIND = /^toStartOf(?:Second|Minute|FiveMinutes?|TenMinutes|FifteenMinutes|Hour|Day)$/i;
/** Functions whose result is a day. */
const TO_DAYS = /^(?:toStartOf(?:Week|Month|Quarter|Year|ISOYear)|toMonday)$/i;
const BUCKETS = /^(?:time_bucket|date_bin)$/i;
const LONG_UNIT = /^(?:toInterval)?(?:week|month|quarter|year)s?$/i;

/**
 * The type of a time that is cut to its hour, day and the like; undefined for other functions, and
 * where the type of the time is not known, as that of one in another zone.
 */
export function typeOfCut(
  name: string,
  items: readonly Nodes[],
  typeOf: (nodes: Nodes) => Known,
): Known | undefined {
  const [first = [], second = []] = items;
  if (KEEPS_KIND.test(name) && items.length === 1) return onlyPoint(typeOf(first));
  if (TO_DAYS.test(name) && items.length === 1) return onlyPoint(typeOf(first)) && DATE;
  if (BUCKETS.test(name)) {
    const time = onlyPoint([first, second].map(typeOf).find(isPoint) ?? UNKNOWN);
    return (
      time && { ...moment(), ...((time.isLocal || time.kind === 'date') && { isLocal: true }) }
    );
  }
  if (items.length !== 2) return undefined;
  if (/^date_?trunc$/i.test(name) && first[0]?.kind === 'text')
    return cut(typeOf(second), first[0].value);
  if (/^toStartOfInterval$/i.test(name))
    return cut(typeOf(first), callAt(second, 0)?.name ?? 'week');
  return undefined;
}

function cut(time: Known, unit: string): Known | undefined {
  if (!onlyPoint(time)) return undefined;
  if (LONG_UNIT.test(unit)) return DATE;
  const isLocal = time.isLocal === true || time.kind === 'date';
  const isWide = time.precision > 0 || time.isWide === true || time.kind === 'date';
  return { ...moment(), ...(isLocal && { isLocal }), ...(isWide && { isWide }) };
}

const onlyPoint = (time: Known): Known | undefined => (isPoint(time) ? time : undefined);

/**
 * `EXTRACT(EPOCH FROM _timestamp - t)`, whose time the author's text makes of a number of seconds.
 * @param name in lower case
 * @returns undefined if the number is one of seconds, or the call another one
 */
export const timeOfDifference = (
  name: string,
  { perSecond }: Known,
  [difference = '']: readonly string[],
): string | undefined =>
  name === 'todatetime64' && perSecond === MICROSECONDS
    ? `fromUnixTimestamp64Micro(toInt64(${difference}), 'UTC')`
    : undefined;
