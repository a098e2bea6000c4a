/** Year, month and day, or hour, minute and second. */
export type Three = readonly [number, number, number];

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Tells whether the calendar has the day. @param month from 0 */
export function isDay(year: number, month: number, day: number): boolean {
  if (day < 1 || day > (DAYS[month] ?? 0)) return false;
  return month !== 1 || day < 29 || isLeap(year);
}

/** Days from the first of March of the year 0 to the epoch. */
const EPOCH = 719_468;

/** Days from the epoch to a day that the calendar has. `Date.UTC` takes six times as long. */
function daysTo(year: number, month: number, day: number): number {
  // The year begins in March, so that a leap day is the last of its year.
  const isNext = month < 2;
  const years = isNext ? year - 1 : year;
  const months = isNext ? month + 10 : month - 2;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leaps + Math.floor((months * 153 + 2) / 5) + day - 1 - EPOCH;
}

/**
 * Gives the moment in milliseconds since the epoch.
 * @param month from 0
 * @param zone `Z`, or the offset as ISO 8601 writes it: `+hh:mm`, `+hhmm`, `+hh`
 * @returns undefined when the calendar or the clock has no such moment, or it is long before all that can be stored
 */
export function instant(
  [year, month, day]: Three,
  [hour, minute, second]: Three,
  zone: string,
): number | undefined {
  if (year < 100 || hour > 23 || !isDay(year, month, day)) return undefined;
  const time = daysTo(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
  if (zone === 'Z') return time;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return undefined;
  const offset = (hours * 60 + minutes) * MINUTE_MS;
  return time - (zone.startsWith('-') ? -offset : offset);
}
