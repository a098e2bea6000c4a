/**
 * Writes a time in UTC, to the second.
 * @param microseconds since the epoch
 */
export const timeText = (microseconds: number): string =>
  new Date(microseconds / 1000).toISOString().slice(0, 19).replace('T', ' ');

/** Writes a time in UTC to the millisecond, of digits as the server writes them. */
export const preciseTime = (digits: string): string =>
  new Date(Number(digits) / 1000).toISOString().slice(0, 23).replace('T', ' ');
