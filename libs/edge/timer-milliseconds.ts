/** With a longer time, a timer of the runtime overflows and fires at once. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** The milliseconds of a timer for an interval in seconds: 24.8 days at most. */
export function timerMilliseconds(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_MILLISECONDS);
}
