import { MillraceError } from '@app/platform';
import { readTime } from '../../plan/read-time.js';

/** No record of a log is older than this. */
const FIRST_YEAR = 1980;
/** Nines alone are meant for an end behind all times, and are read as 2001 at most. */
const NINES = /^9+$/;
const LAST_YEAR_OF_NINES = 2002;
/** From here on a number is read in a shorter unit than seconds. */
const SECONDS_MAX = 31_536_000_000;

/**
 * Checks a number that a time must be less than. `99999999999` is meant for an end that no time
 * reaches, and is read as milliseconds of 1973: nothing would be found.
 * @throws {MillraceError} INVALID_SQL for such a number
 */
export function checkFarEnd(digits: string): void {
  if (!/^\d{11,19}$/.test(digits) || Number(digits) <= SECONDS_MAX) return;
  const time = readTime(digits);
  const isEarly = Number(time?.slice(0, 4)) < (NINES.test(digits) ? LAST_YEAR_OF_NINES : FIRST_YEAR); // prettier-ignore
  if (time === undefined || !isEarly) return;
  throw new MillraceError('INVALID_SQL', `${digits} is read by its size as ${time.slice(0, 10)}, and no time would be before it: write the end out, as '2200-01-01', or leave it away`); // prettier-ignore
}
