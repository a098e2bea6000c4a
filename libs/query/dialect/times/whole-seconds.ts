import type { Known } from '../casts/known-type.js';

/**
 * These functions cut a time off at whole seconds or more; the number says which argument that time
 * is.
 */
const CUTS: readonly (readonly [RegExp, number])[] = [
  [/^date_?trunc$/i, 1],
  [/^toStartOf(?:Minute|FiveMinutes?|TenMinutes|FifteenMinutes|Hour|Day|Week|Month|Quarter|Year|ISOYear|Interval)$/, 0], // prettier-ignore
  [/^(?:toMonday|toDate)$/, 0],
];
const PARTS_OF_A_SECOND = /milli|micro|nano/i;
/** A unit is a word or a short call; longer text is none, and is not searched. */
const UNIT_MAX = 256;

export const wholeSeconds = (time: string): string => `toStartOfSecond(${time})`;

/** Tells whether an interval, or a unit, is made of whole seconds. */
export const isOfSeconds = (unit: string): boolean =>
  unit.length <= UNIT_MAX && !PARTS_OF_A_SECOND.test(unit);

/**
 * The engine cuts fractions of a second off towards 1970, so that the second before it begins would be
 * one of the year that follows. What is cut off at whole seconds first is not.
 * @param typeAt of an argument
 */
export function cutTime(
  name: string,
  args: readonly string[],
  typeAt: (at: number) => Known,
): readonly string[] {
  const at = CUTS.find(([pattern]) => pattern.test(name))?.[1];
  // The engine says itself what it wants where the time is not given.
  if (at === undefined || at >= args.length) return args;
  if (!args.every((arg, index) => index === at || isOfSeconds(arg))) return args;
  const { kind, precision } = typeAt(at);
  if (kind !== 'moment' || precision === 0) return args;
  return args.map((arg, index) => (index === at ? wholeSeconds(arg) : arg));
}
