import { bytesTogether, withBytes } from './byte-leaves.js';

const ANY = 'SimpleAggregateFunction(min, String)';
const FOUR = 'SimpleAggregateFunction(min, FixedString(4))';

describe('the types of columns with bytes', () => {
  it.each([
    ['Nullable(String)', ['any'], `Nullable(${ANY})`],
    ['FixedString(4)', ['fixed'], FOUR],
    ['Array(Nullable(String))', ['any'], `Array(Nullable(${ANY}))`],
    ['LowCardinality(Nullable(String))', ['any'], `Nullable(${ANY})`],
    ['LowCardinality(String)', ['none'], 'LowCardinality(String)'],
    ['Map(String, Nullable(FixedString(4)))', ['none', 'fixed'], `Map(String, Nullable(${FOUR}))`],
    [
      'Nullable(Tuple(`a b` Nullable(String), n Int8, t String))',
      ['any', 'none', 'none'],
      `Nullable(Tuple(\`a b\` Nullable(${ANY}), n Int8, t String))`,
    ],
    ['UUID', ['fixed'], 'UUID'],
    ['Tuple(a String)', ['any', 'any'], 'Tuple(a String)'],
  ] as const)('%s', (type, leaves, wanted) => {
    const all = bytesTogether([new Map([['c', leaves]])]);
    expect(withBytes({ name: 'c', type }, all)).toEqual({ name: 'c', type: wanted });
    expect(withBytes({ name: 'd', type }, all)).toEqual({ name: 'd', type });
  });

  it('are bytes where one of several files has bytes', () => {
    const all = bytesTogether([
      new Map([['c', ['none', 'any'] as const]]),
      new Map([['c', ['any', 'none'] as const]]),
      new Map([['c', ['any'] as const]]),
    ]);
    const { type } = withBytes({ name: 'c', type: 'Tuple(a String, b String)' }, all);
    expect(type).toBe(`Tuple(a ${ANY}, b ${ANY})`);
  });

  it('are refused where bytes of one length would lose the zeros at their ends', () => {
    const all = bytesTogether([new Map([['c', ['fixed'] as const]])]);
    expect(() => withBytes({ name: 'c', type: 'Nullable(String)' }, all)).toThrow(
      'column "c" has bytes of one length in one file',
    );
  });
});
