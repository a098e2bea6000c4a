import { MillraceError } from '@app/platform';
import { isExact, type Known } from '../casts/known-type.js';
import type { Side } from '../numbers/decimal-arithmetic.js';
import { isTimeOf } from '../times/time-arithmetic.js';
import { lengthOf } from './lengths-of-time.js';
import { MICROSECONDS } from './numbers-of-lengths.js';

type Length = NonNullable<ReturnType<typeof lengthOf>>;

/**
 * Lengths of time that are compared: INTERVALs, and differences of two times, which are numbers. The
 * engine would compare the numbers of both, whatever their units are.
 * @returns undefined where no length is known, or the engine compares them rightly
 * @throws {MillraceError} INVALID_SQL for a number of months, which has no fixed length, and for an
 *   INTERVAL beside a value that is no length, or of which that is not known
 */
export function comparedLength(operator: string, left: Side, right: Side): string | undefined {
  const [a, b] = [lengthOf(left), lengthOf(right)];
  if (a && b) {
    const isOfMonths = a.microseconds === undefined && b.microseconds === undefined;
    return isOfMonths ? undefined : `${numberOf(a, MICROSECONDS)} ${operator} ${numberOf(b, MICROSECONDS)}`; // prettier-ignore
  }
  const own = a ? besideType(right.type, a) : b ? besideType(left.type, b) : undefined;
  if (own !== undefined)
    return a ? `${own} ${operator} ${right.written}` : `${left.written} ${operator} ${own}`;
  if (a || b) return undefined;
  if ((left.type.isLength && !isUnknown(right.type)) || (right.type.isLength && !isUnknown(left.type))) // prettier-ignore
    throw new MillraceError('INVALID_SQL', "an INTERVAL behind a name is compared: write it where it is compared, b - a > INTERVAL '1 hour'"); // prettier-ignore
  const scaled = inOneUnit(left, right);
  return scaled && scaled.join(` ${operator} `);
}

const isUnknown = ({ kind, perSecond }: Known): boolean =>
  kind === 'unknown' && perSecond === undefined;

/**
 * A difference of two times and an INTERVAL, a time and a difference of times, and two differences
 * of which one is in seconds: `+` and `-` of them.
 * @returns undefined for anything else
 */
export function summedLength(operator: string, left: Side, right: Side): string | undefined {
  const [p, q] = [left.type.perSecond, right.type.perSecond];
  const [a, b] = [lengthOf(left), lengthOf(right)];
  if (p !== undefined && b) return `(${left.written} ${operator} ${numberOf(b, p)})`;
  if (q !== undefined && a) return `(${numberOf(a, q)} ${operator} ${right.written})`;
  if (q !== undefined && isMoment(left))
    return `(${left.written} ${operator} ${intervalOf(right, q)})`;
  if (p !== undefined && isMoment(right) && operator === '+')
    return `(${right.written} + ${intervalOf(left, p)})`;
  const scaled = inOneUnit(left, right);
  return scaled && `(${scaled.join(` ${operator} `)})`;
}

const isMoment = ({ nodes, type }: Side): boolean =>
  type.kind === 'moment' || isTimeOf(nodes, type);

/** The engine would take the number for one of seconds. */
const intervalOf = ({ written }: Side, perSecond: number): string =>
  `toIntervalMicrosecond(accurateCast(round(${inMicroseconds(written, perSecond)}), 'Nullable(Int64)'))`;

/** The difference of two times, or an INTERVAL, as a multiple of an INTERVAL. */
export function dividedLength(left: Side, right: Side): string | undefined {
  const [a, b] = [lengthOf(left), lengthOf(right)];
  if (!b) return undefined;
  if (a) return `(${numberOf(a, MICROSECONDS)} / ${numberOf(b, MICROSECONDS)})`;
  const { perSecond } = left.type;
  return perSecond === undefined ? undefined : `((${left.written}) / ${numberOf(b, perSecond)})`;
}

function inOneUnit(left: Side, right: Side): readonly [string, string] | undefined {
  const [p, q] = [left.type.perSecond, right.type.perSecond];
  if (p === undefined || q === undefined || p === q) return undefined;
  return [inMicroseconds(left.written, p), inMicroseconds(right.written, q)];
}

/** A decimal of seconds has no room for as many digits. */
const inMicroseconds = (written: string, perSecond: number): string =>
  perSecond === MICROSECONDS
    ? written
    : `round(toFloat64(${written}) * ${MICROSECONDS / perSecond})`;

function besideType(type: Known, length: Length): string | undefined {
  if (type.perSecond !== undefined) return numberOf(length, type.perSecond);
  if (type.kind === 'float' || isExact(type))
    throw new MillraceError('INVALID_SQL', 'a number is compared with an INTERVAL: compare the difference of two times with it, or the number with one of seconds'); // prettier-ignore
  if (type.kind === 'unknown')
    throw new MillraceError('INVALID_SQL', "it is not known of a value whether it is a length of time, and it is compared with an INTERVAL: compare date_diff('second', a, b) with a number"); // prettier-ignore
  return undefined;
}

/** @throws {MillraceError} INVALID_SQL for a number of months */
function numberOf({ count, microseconds }: Length, perSecond: number): string {
  if (microseconds === undefined)
    throw new MillraceError('INVALID_SQL', "months and years have no fixed length beside the difference of two times: INTERVAL '30 days'"); // prettier-ignore
  return `((${count}) * ${(microseconds * perSecond) / MICROSECONDS})`;
}
