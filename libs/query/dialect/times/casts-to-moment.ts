import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { hasType, type Known } from '../casts/known-type.js';

const DAY = '(?:\\d{4}[^\\d\\s:]\\d{1,2}[^\\d\\s:]\\d{1,2}|\\d{8})';
const CLOCK =
  '(?:(?:[01]?\\d|2[0-3]):[0-5]?\\d(?::[0-5]?\\d(?:[.]\\d*)?)?(?:\\s*[AP]M)?|24:00(?::00(?:[.]0*)?)?|(?:[01]\\d|2[0-3])[0-5]\\d[0-5]\\d)';
const ZONE = '(?:\\s*(?:Z|UTC|GMT|[-+]\\d\\d(?::?\\d\\d)?))?';
const NUMBERS = `\\s*${DAY}(?:(?:\\s*T|\\s+)${CLOCK}${ZONE})?\\s*`;
const MONTH = '(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*';
/** `Mon, 01 Jan 2024 10:00:00 GMT`, `Jan 1, 2024`. */
const NAMED = `(?:[^\\d]*\\d{1,2}[- ]+${MONTH}[-, ]+\\d{4}|[^\\d]*${MONTH} +\\d{1,2},? +\\d{4})(?:\\D.*)?`;
/**
 * A text that is a day, or a day and a time of day. The engine reads also what leaves some of it out:
 * `12` is the 12th of this month, and `1.5` the first of May.
 */
const MOMENT = `^(?:${NUMBERS}|${NAMED})$`;
const PATTERN = quoteText(`(?i)${MOMENT}`);
const NO_MOMENT =
  'is no time: 2024-01-31 10:30:00 is one; to_timestamp(n) reads seconds since 1970';

const isNoText = (value: string, { kind }: Known): string =>
  kind === 'text' ? '' : `NOT ${hasType(value, 'String')} OR `;

/** The condition that a value can be cast to a time. */
export const isMoment = (value: string, type: Known): string =>
  `ifNull(${isNoText(value, type)}match(toString(${value}), ${PATTERN}), 1)`;

export const NO_MOMENT_OF_TEXT = `a text ${NO_MOMENT}`;

/** @throws {MillraceError} INVALID_SQL for a text that is no time */
export function checkMoment(text: string): void {
  if (new RegExp(MOMENT, 'i').test(text)) return;
  throw new MillraceError('INVALID_SQL', `${JSON.stringify(text.slice(0, 40))} ${NO_MOMENT}`);
}
