const DAY_SECONDS = 86_400;
const [MINUTE, HOUR] = [60, 3600];
const DAY_LENGTH = 10;
/** The numbers of a clock as texts of two digits. */
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** The day whose text was made last. Times that stand together are mostly of one day. */
let lastDay = 0;
let lastText = '1970-01-01';

/**
 * Writes seconds since the epoch as `YYYY-MM-DD hh:mm:ss`. To have `Date` write each takes four
 * times as long.
 */
export function textOfSecond(seconds: number): string {
  const day = Math.floor(seconds / DAY_SECONDS);
  if (day !== lastDay) {
    lastText = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, DAY_LENGTH);
    lastDay = day;
  }
  const within = seconds - day * DAY_SECONDS;
  const [hour, minute] = [Math.floor(within / HOUR), Math.floor(within / MINUTE) % MINUTE];
  return `${lastText} ${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[within % MINUTE]}`;
}
