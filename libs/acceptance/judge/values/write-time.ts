import type { Micros } from './time-text.js';

const ZERO = 0x30;
/**
 * Space for a time that is known only when the rest of its row has been written. The longest time
 * has 17 characters.
 */
export const TIME_ROOM = 17;
const HALF_DIGITS = 8;
const HALF = 10 ** HALF_DIGITS;

/** Writes microseconds, or null, as JSON has them, into {@link TIME_ROOM} bytes of blanks. */
export function writeTime(target: Buffer, from: number, micros: Micros | undefined): void {
  let at = from + TIME_ROOM;
  if (typeof micros === 'number' && micros >= 0) {
    // The number is split into two halves, because the division of small integers is faster.
    const high = Math.floor(micros / HALF);
    let rest = (micros - high * HALF) | 0;
    for (
      let digits = 0;
      digits < HALF_DIGITS && (rest > 0 || high > 0 || digits === 0);
      digits += 1
    ) {
      target[--at] = ZERO + (rest % 10);
      rest = (rest / 10) | 0;
    }
    for (rest = high | 0; rest > 0; rest = (rest / 10) | 0) target[--at] = ZERO + (rest % 10);
  } else {
    const text = micros === undefined ? 'null' : String(micros);
    at -= text.length;
    target.write(text, at, 'latin1');
  }
}
