import { DAY_LENGTH, dayAt, endOfFraction, isBetween, isClockAt, significantDigits, TIME_LENGTH } from '../clock/iso-bytes.js'; // prettier-ignore
import type { SurveyedKind } from '../chunk/judge-job.js';
import { BOOL, DAY, FLOAT, INT, KIND_NAMES, MOMENT, MOMENT_NANOS, nameOfKind, NONE, TEXT, UINT, WALL_NANOS, WALL_TIME } from '../values/kinds.js'; // prettier-ignore
import { LAST_NANO_DAY, timestamps } from '../values/typed-times.js';

const [Z, COLON, COMMA] = [0x5a, 0x3a, 0x2c];
/** The length of `YYYY-MM-DD hh:mm`. */
const MINUTE_LENGTH = 16;
const MICRO_DIGITS = 6;
const [MICROS, NANOS] = [timestamps(6, true), timestamps(9, true)];

/**
 * Tells the kind of a text of CSV: a day, `YYYY-MM-DD`; a time, `YYYY-MM-DD hh:mm:ss` with T or a
 * space and up to nine digits of a second, or no seconds at all; a moment, which also has a zone;
 * or any text.
 */
export function kindOfText(bytes: Buffer, from: number, to: number): number {
  if (to - from < DAY_LENGTH || dayAt(bytes, from) < 0) return TEXT;
  const clock = from + DAY_LENGTH + 1;
  if (to - from === DAY_LENGTH) return DAY;
  if (!isBetween(bytes[clock - 1])) return TEXT;
  // A pattern judges a time without seconds.
  if (bytes[from + MINUTE_LENGTH] !== COLON || !isClockAt(bytes, clock))
    return MICROS(bytes, from, to, true) === undefined ? TEXT : to - from === MINUTE_LENGTH ? WALL_TIME : MOMENT; // prettier-ignore
  const point = from + TIME_LENGTH;
  const end = endOfFraction(bytes, point, to);
  if (end < 0) return TEXT;
  const isFine = significantDigits(bytes, point, end) > MICRO_DIGITS;
  if (end === to) return isFine ? WALL_NANOS : WALL_TIME;
  // Some programs write a fraction like this; it is no zone.
  if (bytes[end] === COMMA) return TEXT;
  const isMoment =
    (bytes[end] === Z && end === to - 1) ||
    (isFine ? NANOS : MICROS)(bytes, from, to, true) !== undefined;
  return isMoment ? (isFine ? MOMENT_NANOS : MOMENT) : TEXT;
}

/** Tells whether a column of nanoseconds can hold all times of the day in these bytes. */
export const isInNanos = (bytes: Buffer, from: number): boolean =>
  dayAt(bytes, from) < LAST_NANO_DAY;

/** The sorts of kinds. A column takes kinds of one sort only. */
const SORTS: readonly (readonly number[])[] = [
  [INT, UINT, FLOAT],
  [BOOL],
  [DAY, WALL_TIME, WALL_NANOS],
  [MOMENT, MOMENT_NANOS],
];
/**
 * Times with more digits than microseconds have. If a field has such a time, all of its times get
 * this kind, or the field is a text.
 */
const FINE: readonly number[] = [WALL_NANOS, MOMENT_NANOS];

/** Facts about the values of a field without a column that their kinds do not tell. */
interface FactsOfNew {
  /** See {@link isInNanos}. */
  readonly isAllInNanos: boolean;
  readonly hasNegative: boolean;
}

/**
 * Tells the kinds of a field without a column: the kind that all of its values have. It is text if
 * they are of several sorts, or if no column holds all of its times or numbers.
 */
export function kindsOfNew(
  field: string,
  kinds: readonly SurveyedKind[],
  { isAllInNanos, hasNegative }: FactsOfNew,
): readonly SurveyedKind[] {
  const told = kinds.filter(({ kind }) => kind !== KIND_NAMES[NONE]);
  if (told.length === 0) return kinds;
  const all = (kind: number): readonly SurveyedKind[] => [
    { field, kind: nameOfKind(kind), count: told.reduce((sum, { count }) => sum + count, 0), beyond: 0 }, // prettier-ignore
  ];
  const numbers = told.map(({ kind }) => KIND_NAMES.findIndex((name) => name === kind));
  const sort = SORTS.find((each) => numbers.every((kind) => each.includes(kind)));
  if (!sort) return all(TEXT);
  const isRounded = numbers.includes(FLOAT) && told.some(({ beyond }) => beyond > 0);
  if (isRounded || (numbers.includes(UINT) && hasNegative)) return all(TEXT);
  const fine = numbers.find((kind) => FINE.includes(kind));
  if (fine === undefined) return kinds;
  return all(isAllInNanos ? fine : TEXT);
}
