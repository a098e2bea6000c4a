import { FirstTexts } from './first-texts.js';

const lost = (...texts: readonly string[]): number | undefined => {
  const first = new FirstTexts();
  for (const [at, text] of texts.entries())
    first.take({ text, isQuoted: false, isPadded: false, isTorn: false }, at + 1);
  return first.paddedText?.line;
};

describe('blanks before the first values of short records', () => {
  it.each([
    [' y'],
    [' 2 apples'],
    [' infant'],
    [' 007'],
    [' +5'],
    [' 1e400'],
    [' 12345678901234567890'],
    [' 2020-13-01'],
    [' 10:20:30'],
    [' 1850-01-01'],
    [' true'],
    [' -'],
    [' .'],
    [' 12', 'x'],
    [' 12', '2020-01-01'],
    [' 9007199254740993', '1.5'],
  ])('are lost in %j', (...texts) => {
    expect(lost(...texts)).toBe(1);
    expect(lost('x', ...texts)).toBe(2);
  });

  it.each([
    ['y', ''],
    [' 1', '  -2 ', '\t3', ''],
    [' 1', ' .5', ' 5.', ' 1e5', ' nan', ' -inf', ' Infinity'],
    [' 9007199254740993', '1'],
    [' 2020-01-01', '2020/02/29'],
    [' 2020-01-01 10:00:00', ' 2020-01-01T10:00:00.5+01:00', '2020-01-01T10:00Z'],
    [' 2020-01-01', '2020-01-02 10:00:00'],
    [' 9223372036854775807', '-9223372036854775808'],
  ])('are no matter in %j', (...texts) => {
    expect(lost(...texts)).toBeUndefined();
  });

  it('are no matter within quotes', () => {
    const first = new FirstTexts();
    first.take({ text: ' y', isQuoted: true, isPadded: false, isTorn: false }, 1);
    expect(first.paddedText).toBeUndefined();
  });
});
