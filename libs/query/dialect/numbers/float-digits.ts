const FRACTION = /^\d*\.\d+$/;
/** A float shows all fractions of so many digits as they are written. */
const SAFE_DIGITS = 15;

/**
 * Tells whether the engine, which makes a float of the number, prints another one, or writes it with
 * an exponent (1e-7), with which no number is a decimal.
 */
export function losesDigits(number: string): boolean {
  if (!FRACTION.test(number)) return false;
  const shown = String(Number(number));
  if (shown.includes('e')) return true;
  return number.length > SAFE_DIGITS + 1 && significant(number) !== significant(shown);
}

const significant = (number: string): string =>
  number.replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
