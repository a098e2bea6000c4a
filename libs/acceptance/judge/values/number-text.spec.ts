import fc from 'fast-check';
import { KIND_NAMES, BEYOND_FLOAT, LONG_INTEGER, NEGATIVE, ODDLY_WRITTEN } from './kinds.js';
import { tellDecimal } from './decimal-bytes.js';
import {
  BEYOND_64_BITS,
  integerOf,
  kindIn,
  marksIn,
  tellFraction,
  tellInteger,
  writtenPlainly,
} from './number-text.js';
import { hasBeyondFloat, integer, isPlain, isWithinLimits, slowKind } from '../../../../test/doubles/judge/slow-json.js'; // prettier-ignore
import { rounds } from '../../../../test/rounds.js';
import { processorMs } from '../../../../test/processor-time.js';

const digits = (least: number, most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0000123456789'), { minLength: least, maxLength: most })
    .map((all) => all.join(''));
const edges = [2n ** 53n, 2n ** 63n, 2n ** 64n].flatMap((edge) =>
  [-1n, 0n, 1n].flatMap((step) => [String(edge + step), String(-edge - step)]),
);
const whole = fc.oneof(
  digits(1, 24).map((text) => text.replace(/^0+(?=\d)/, '')),
  fc.constantFrom(...edges.map((text) => text.replace('-', ''))),
);
const plain = fc.tuple(fc.constantFrom('', '-'), whole).map((all) => all.join(''));
const odd = fc
  .tuple(
    plain,
    fc.option(digits(1, 22).map((text) => `.${text}`)),
    fc.option(
      fc
        .tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.oneof(digits(1, 2), digits(1, 3)))
        .map((all) => all.join('')),
    ),
  )
  .map(([number, fraction, exponent]) => `${number}${fraction ?? ''}${exponent ?? ''}`)
  .filter((text) => !isPlain(text));

const expected = (text: string): number => {
  const number = { is: 'number', text } as const;
  if (!isWithinLimits(number)) return BEYOND_64_BITS;
  const value = integer(text);
  const kind = slowKind(number);
  const beyond = hasBeyondFloat(number) ? BEYOND_FLOAT : 0;
  const isInteger = kind !== 'Float64';
  const marks =
    beyond |
    (isPlain(text) && beyond > 0 ? LONG_INTEGER : 0) |
    (isInteger && (!isPlain(text) || text === '-0') ? ODDLY_WRITTEN : 0) |
    (isInteger && (value ?? 0n) < 0n ? NEGATIVE : 0);
  return KIND_NAMES.findIndex((name) => name === kind) | (marks << 8);
};

describe('the kind of a number', () => {
  it('is right for integers', () => {
    fc.assert(
      fc.property(plain, (text) => {
        expect(tellInteger(text)).toBe(expected(text));
      }),
      { numRuns: rounds(1000, 200_000), examples: edges.map((text): [string] => [text]) },
    );
  });

  it('is right for numbers with a fraction or an exponent', () => {
    fc.assert(
      fc.property(odd, (text) => {
        expect(tellFraction(text)).toBe(expected(text));
        expect(tellDecimal(Buffer.from(`[${text}]`), 1, text.length + 1)).toBe(expected(text));
      }),
      {
        numRuns: rounds(1500, 500_000),
        examples: [
          ...edges.flatMap((text): [string][] => [[`${text}.0`], [`${text}e0`], [`${text}.1`]]),
          ...['0e999', '-0.0', '1e-324', '5e-324', '2e-324', '1e308', '2e308', '1e-400'].map(
            (text): [string] => [text],
          ),
          ...['0.0', '-0.0e5', '1.0', '-1.0', '10.0', '1.50e1', '1.50e2', '100e-2', '101e-2', '0.00e00009', '1e00000000001', '1e-00000000001'].map((text): [string] => [text]), // prettier-ignore
        ],
      },
    );
  });

  it('costs no more for vectors of 0.0 and 1.0 than a few times what other fractions do', () => {
    const bytes = Buffer.from('0.0,1.0,0.5,2e3,');
    const timeOf = (from: number, work: typeof tellDecimal): number => {
      const tries = Array.from({ length: 5 }, () => {
        const started = processorMs();
        for (let round = 0; round < 200_000; round += 1) work(bytes, from, from + 3);
        return processorMs() - started;
      });
      return Math.min(...tries);
    };
    const asText: typeof tellDecimal = (all, from, to) =>
      tellFraction(all.toString('latin1', from, to));
    const slow = timeOf(0, asText);
    for (const from of [0, 4, 8, 12]) expect(timeOf(from, tellDecimal)).toBeLessThan(slow / 2);
  });

  it('is read back from one number', () => {
    expect([kindIn(tellInteger('-5')), marksIn(tellInteger('-5'))]).toEqual([2, NEGATIVE]);
  });
});

describe('integerOf', () => {
  it('has every integer of 64 bits, however it is written', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const told = integerOf(text);
        const exact = integer(text);
        if (told === undefined) expect(exact === undefined || `${exact}`.length > 19).toBe(true);
        else expect(BigInt(told)).toBe(exact);
      }),
      { numRuns: rounds(1500, 500_000) },
    );
  });

  it.each([
    ['zeros before a digit', (n: number) => `1.${'0'.repeat(n)}1`],
    ['zeros within', (n: number) => `1${'0'.repeat(n)}1e5`],
    ['zeros behind', (n: number) => `1.${'0'.repeat(n)}`],
    ['zeros and an exponent', (n: number) => `1${'0'.repeat(n)}e-${n}`],
    ['zeros first', (n: number) => `0.${'0'.repeat(n)}1e${n}`],
    ['an exponent', (n: number) => `1e${'0'.repeat(n)}1`],
  ])('is quick with many digits: %s', (_, text) => {
    const started = processorMs();
    const long = text(1_000_000);
    tellFraction(long);
    integerOf(long);
    expect(processorMs() - started).toBeLessThan(5000);
  });
});

describe('writtenPlainly', () => {
  it('leaves all that is no number of that kind as it is', () => {
    expect(writtenPlainly('[1.0, -0,\t1e3 ,null,-1.5E1,7]')).toBe('[1, 0,\t1000 ,null,-15,7]');
    expect(writtenPlainly('1.8446744073709551615e19')).toBe('18446744073709551615');
    expect(writtenPlainly('-9223372036854775808.0')).toBe('-9223372036854775808');
    expect(writtenPlainly('[1.0,20.00,-0.0,-3.0,1.50e1,1.005e3,2]')).toBe('[1,20,0,-3,15,1005,2]');
  });
});
