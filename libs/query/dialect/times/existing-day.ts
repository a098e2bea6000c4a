/**
 * Tells whether a text that looks like a date is that day. The engine reads 30 February as 1 March,
 * and days beyond its range as the first or the last of them. Any sign may separate year, month and
 * day, or none: `20240230`.
 * @param date the date as the engine reads the text.
 */
export function existingDay(value: string, date: string): string {
  const text = `ifNull(toString(${value}), '')`;
  const isDate = `match(${text}, '^\\\\d{4}(?:\\\\D\\\\d\\\\d?\\\\D\\\\d|\\\\d{4}$)')`;
  const field = (pattern: string): string => `toUInt16OrZero(extract(${text}, '${pattern}'))`;
  const year = field('^(\\\\d{4})');
  const day = field('^(?:\\\\d{6}|\\\\d{4}\\\\D\\\\d\\\\d?\\\\D)(\\\\d\\\\d?)');
  return `ifNull(NOT ${isDate} OR ((toYear(${date}) = ${year}) AND (toDayOfMonth(${date}) = ${day})), 1)`;
}
