import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { hasType, type Known } from '../casts/known-type.js';

const HOURS_AND_MINUTES = '\\\\s*([01]?[0-9]|2[0-3]):[0-5][0-9]';
const TIME = `^${HOURS_AND_MINUTES}(:[0-5][0-9]([.][0-9]+)?)?\\\\s*$`;
/** The engine would take it for minutes and seconds. */
const WITHOUT_SECONDS = `^${HOURS_AND_MINUTES}\\\\s*$`;
const NO_TIME = 'is no time of day: 10:30 and 10:30:00.5 are';

/** Writes the text with its seconds. */
const withSeconds = (text: string): string =>
  `if(match(${text}, '${WITHOUT_SECONDS}'), concat(trimBoth(${text}), ':00'), ${text})`;

/**
 * `CAST(x AS TIME)` of a text, of which the engine would take 10:30 for ten minutes, and 25:61:00
 * for a time.
 * @param target as the engine has the type
 */
export function timeOfDay(value: string, { kind }: Known, target: string): string {
  const text = `toString(${value})`;
  const isNone = `throwIf(ifNull(NOT match(${text}, '${TIME}'), 0), ${quoteText(`a text ${NO_TIME}`)})`;
  const read = `if(${isNone} = 0, CAST(${withSeconds(text)}, ${quoteText(target)}), NULL)`;
  return kind === 'text' ? read : `if(${hasType(value, 'String')}, ${read}, CAST(${value}, ${quoteText(target)}))`; // prettier-ignore
}

/** Reads a time of day from a text that is written out in the statement. */
export function writtenTimeOfDay(text: string, target: string): string {
  const [, hours, seconds] = /^\s*((?:[01]?\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d+)?)?\s*$/.exec(text) ?? []; // prettier-ignore
  if (hours === undefined)
    throw new MillraceError('INVALID_SQL', `${JSON.stringify(text.slice(0, 40))} ${NO_TIME}`); // prettier-ignore
  return `CAST(${quoteText(hours + (seconds ?? ':00'))}, ${quoteText(target)})`;
}

/** `TRY_CAST(x AS TIME)`. */
export function triedTimeOfDay(value: string, target: string): string {
  const text = `ifNull(toString(${value}), '')`;
  const cast = (from: string): string => `accurateCastOrNull(${from}, ${quoteText(target)})`;
  const read = `if(match(${text}, '${TIME}'), ${cast(withSeconds(text))}, NULL)`;
  return `if(${hasType(value, 'String')}, ${read}, ${cast(value)})`;
}
