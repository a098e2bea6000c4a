/**
 * Converts a number to a time. The number's size decides its unit, as OpenObserve's users know it:
 * above 31,536,000 × 10⁹ nanoseconds, × 10⁶ microseconds, × 10³ milliseconds, else seconds.
 */
const NANOSECONDS_ABOVE = '31536000000000000';
const MICROSECONDS_ABOVE = '31536000000000';
const MILLISECONDS_ABOVE = '31536000000';

/** SQL: microseconds since the epoch. @param fromNanoseconds SQL: a thousandth of `n` */
export function microsByMagnitude(n: string, fromNanoseconds = `intDiv(${n}, 1000)`): string {
  return `multiIf(abs(${n}) > ${NANOSECONDS_ABOVE}, ${fromNanoseconds}, abs(${n}) > ${MICROSECONDS_ABOVE}, ${n}, abs(${n}) > ${MILLISECONDS_ABOVE}, ${n} * 1000, ${n} * 1000000)`;
}
