/** Year, month and day, or hour, minute and second. */
export type Three = readonly [number, number, number];

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTE_MS = 60_000;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Tells whether the calendar has the day. @param month from 0 */
export function isDay(year: number, month: number, day: number): boolean {
  if (day < 1 || day > (DAYS[month] ?? 0)) return false;
  return month !== 1 || day < 29 || isLeap(year);
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
  const time = Date.UTC(year, month, day, hour, minute, second);
  if (zone === 'Z') return time;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return undefined;
  const offset = (hours * 60 + minutes) * MINUTE_MS;
  return time - (zone.startsWith('-') ? -offset : offset);
}
