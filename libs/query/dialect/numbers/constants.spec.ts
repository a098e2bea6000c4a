import fc from 'fast-check';
import { authorTokens } from '../author-tokens.js';
import { constantOf, textOf } from './constants.js';
import { treeOf } from '../source-tree.js';

/** A text, and its value in units of ten to the power of minus 40. */
interface Term {
  readonly text: string;
  readonly units: bigint;
}

const UNIT = 10n ** 40n;
const constant = (text: string) => {
  const value = constantOf(treeOf(authorTokens(text) ?? []) ?? []);
  return value && textOf(value);
};

const number = fc
  .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 999 }))
  .map(([whole, behind]): Term => {
    const fraction = String(behind).padStart(3, '0');
    return { text: `${whole}.${fraction}`, units: BigInt(`${whole}${fraction}`) * 10n ** 37n };
  });
const { term } = fc.letrec<{ term: Term }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 4 },
    number,
    fc.tuple(tie('term'), fc.constantFrom('+', '-', '*'), tie('term')).map(([a, operator, b]) => {
      const units =
        operator === '*'
          ? (a.units * b.units) / UNIT
          : operator === '+'
            ? a.units + b.units
            : a.units - b.units;
      return { text: `(${a.text} ${operator} ${b.text})`, units };
    }),
    tie('term').map(({ text, units }) => ({ text: `-(${text})`, units: -units })),
  ),
}));

describe('constants', () => {
  it('are computed as decimals, whatever stands within what', () => {
    fc.assert(
      fc.property(term, ({ text, units }) => {
        const found = constant(text);
        // With more digits than this test compares, it may be left to the engine.
        if (found === undefined || (found.split('.')[1] ?? '').length > 40) return;
        const [whole = '', behind = ''] = found.replace('-', '').split('.');
        const value = BigInt(whole + behind.padEnd(40, '0')) * (found.startsWith('-') ? -1n : 1n);
        const places = (text.match(/\*/g) ?? []).length;
        if (places <= 8) expect(value).toBe(units);
      }),
    );
  });

  it.each([
    'a',
    '1 / 2',
    '(1, 2)',
    '1e2',
    'f(1)',
    '- a',
    '1 + a',
    "'1'",
    '()',
    '1 2',
    '9'.repeat(77),
  ])('are not: %s', (text) => expect(constant(text)).toBeUndefined());
});
