/** Beyond it a timer of the runtime overflows, and fires at once. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** Tells how long a timer is set for seconds of an interval: 24.8 days at most. */
export function timerMilliseconds(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_MILLISECONDS);
}
