/** The microseconds of the units of time that always have the same length, the longest first. */
export const UNIT_LENGTHS = {
  Week: 604_800_000_000,
  Day: 86_400_000_000,
  Hour: 3_600_000_000,
  Minute: 60_000_000,
  Second: 1_000_000,
  Millisecond: 1000,
  Microsecond: 1,
} as const;
