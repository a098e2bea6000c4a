const DAY_MS = 86_400_000;

/** @param day in UTC, as `2026-11-25` @returns microseconds since the epoch, of the next day's beginning; NaN for what is no day */
export const dayEnd = (day: string): number => (Date.parse(day) + DAY_MS) * 1000;
