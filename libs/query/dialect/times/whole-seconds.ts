import type { Known } from '../casts/known-type.js';

/**
 * Functions that truncate a time to whole seconds or more, each with the index of the argument that
 * is the time.
 */
const TRUNCATES = /^date_?trunc$/i;
/** A unit as Postgres and DuckDB read it, too. */
const SEVERAL = /^'(second|minute|hour|day|week|month|quarter|year)s'$/i;
const CUTS: readonly (readonly [RegExp, number])[] = [
  [TRUNCATES, 1],
  [/^toStartOf(?:Minute|FiveMinutes?|TenMinutes|FifteenMinutes|Hour|Day|Week|Month|Quarter|Year|ISOYear|Interval)$/, 0], // prettier-ignore
  [/^(?:toMonday|toDate)$/, 0],
];
const PARTS_OF_A_SECOND = /milli|micro|nano/i;
const OF_A_DAY = /^'(?:hour|minute|second)s?'$/i;
/** A unit is a word or a short call; longer text is not searched. */
const UNIT_MAX = 256;

export const wholeSeconds = (time: string): string => `toStartOfSecond(${time})`;

/** Tells whether an interval, or a unit, consists of whole seconds. */
export const isOfSeconds = (unit: string): boolean =>
  unit.length <= UNIT_MAX && !PARTS_OF_A_SECOND.test(unit);

/**
 * The engine truncates fractions of a second towards 1970. So before 1970, the last second of a
 * year would belong to the next year. Here such a time is first rounded down to whole seconds.
 * @param typeAt of an argument
 */
export function cutTime(
  name: string,
  given: readonly string[],
  typeAt: (at: number) => Known,
): readonly string[] {
  const args = TRUNCATES.test(name) ? given.map((arg) => arg.replace(SEVERAL, "'$1'")) : given;
  const at = CUTS.find(([pattern]) => pattern.test(name))?.[1];
  // If the time is missing, the engine itself says which arguments it needs.
  if (at === undefined || at >= args.length) return args;
  if (!args.every((arg, index) => index === at || isOfSeconds(arg))) return args;
  const { kind, precision } = typeAt(at);
  // The engine's function takes no days for them.
  const [unit = ''] = args;
  if (kind === 'date' && at === 1 && OF_A_DAY.test(unit))
    return args.map((arg, index) => (index === at ? `CAST(${arg}, 'DateTime64(6)')` : arg));
  if (kind !== 'moment' || precision === 0) return args;
  return args.map((arg, index) => (index === at ? wholeSeconds(arg) : arg));
}
