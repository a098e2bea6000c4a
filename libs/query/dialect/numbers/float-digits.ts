const FRACTION = /^\d*\.\d+$/;
/** A float shows all fractions of so many digits as they are written. */
const SAFE_DIGITS = 15;

/** Tells whether the engine, which makes a float of the number, prints another one. */
export function losesDigits(number: string): boolean {
  if (number.length <= SAFE_DIGITS + 1 || !FRACTION.test(number)) return false;
  return significant(number) !== significant(Number(number).toExponential().replace(/e.*/, ''));
}

const significant = (number: string): string =>
  number.replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
