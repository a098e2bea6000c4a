/** A number as its digits say it: ± `digits` × 10 ^ `exponent`; zero has no digits, others neither begin nor end with one. */
export interface PlainDecimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const ZERO = '0';

/** @returns undefined where it is no number of JSON's grammar */
export function plainDecimal(text: string): PlainDecimal | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`;
  let [from, to] = [0, digits.length];
  while (from < to && digits[from] === ZERO) from += 1;
  while (to > from && digits[to - 1] === ZERO) to -= 1;
  return {
    isNegative: sign === '-',
    digits: digits.slice(from, to),
    exponent: from === to ? 0 : Number(exponent) - fraction.length + digits.length - to,
  };
}

/** Digits before the point; none or fewer than none where it is below one. */
export const wholeDigits = ({ digits, exponent }: PlainDecimal): number => digits.length + exponent;

/** Digits behind the point. */
export const fractionDigits = ({ exponent }: PlainDecimal): number => Math.max(0, -exponent);
