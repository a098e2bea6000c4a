import fc from 'fast-check';
import { rounds } from '../../../../test/rounds.js';
import { narrowFloats } from './narrow-floats.js';
import { AS_IT_STANDS } from './value-reader.js';

const isTaken = (text: string): boolean =>
  narrowFloats(Buffer.from(`[${text}]`), 1, text.length + 1, false) === AS_IT_STANDS;

/** The shortest text that stands for a float of 32 bits, by trying. */
function shortest(float: number): string {
  for (let digits = 1; digits < 9; digits += 1)
    if (Math.fround(Number(float.toPrecision(digits))) === float) return float.toPrecision(digits);
  return float.toPrecision(9);
}

function isKept(text: string): boolean {
  const value = Number(text);
  const float = Math.fround(value);
  if (/^-?\d{1,6}$/.test(text) || (Number.isFinite(float) && Number(shortest(float)) === value))
    return true;
  return float === value && !Number.isInteger(value);
}

const digits = (most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0012345678999'), { minLength: 1, maxLength: most })
    .map((all) => all.join(''));
const float = fc.float({ noNaN: true, noDefaultInfinity: true });
const texts = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '-'), fc.oneof(fc.constant('0'), digits(9)), digits(11))
    .map(([sign, whole, fraction]) => `${sign}${whole.replace(/^0+(?=\d)/, '')}.${fraction}`),
  float.map(String),
  float.map(shortest),
  fc
    .tuple(
      fc.float({ min: Math.fround(-1e6), max: Math.fround(1e6), noNaN: true }),
      fc.integer({ min: 1, max: 12 }),
    )
    .map(([value, count]) => value.toPrecision(count)),
  fc
    .tuple(fc.integer({ min: -40, max: 40 }), fc.integer({ min: 6, max: 10 }))
    .map(([power, count]) => (2 ** power).toPrecision(count)),
  digits(12).map((all) => all.replace(/^0+(?=\d)/, '')),
);

describe('numbers for floats of 32 bits', () => {
  it('are those that are the shortest text of one, or its exact value', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect([text, isTaken(text)]).toEqual([text, isKept(text)]);
      }),
      { numRuns: rounds(20_000, 2_000_000) },
    );
  });
});
