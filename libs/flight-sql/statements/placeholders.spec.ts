import { bindPlaces, placesOf, valuesWanted } from './placeholders.js';

const value = (text: string) => ({ type: 'Int64', text });

describe('places of values', () => {
  it.each([
    ['SELECT ? + ?', 'SELECT {p1:Int64} + {p2:Int64}'],
    ['SELECT $2, $1, $2', 'SELECT {p2:Int64}, {p1:Int64}, {p2:Int64}'],
    [
      "SELECT '?', '\\'?', 'it''s ?', ?, ?",
      "SELECT '?', '\\'?', 'it''s ?', {p1:Int64}, {p2:Int64}",
    ],
    ['SELECT ? AS "a?", `b?` -- ?\n, ? /* ? */', 'SELECT {p1:Int64} AS "a?", `b?` -- ?\n, {p2:Int64} /* ? */'], // prettier-ignore
    ["SELECT {'a': ?}['a'], j.a.:Int64, ?::Int32", "SELECT {'a': {p1:Int64}}['a'], j.a.:Int64, {p2:Int64}::Int32"], // prettier-ignore
  ])('are found in %s', (statement, sql) => {
    const bound = bindPlaces(statement, [value('1'), value('2')]);
    expect(bound).toEqual({ sql, values: { p1: '1', p2: '2' } });
  });

  it.each([
    'SELECT a ? b : c',
    'SELECT {n:Int64}',
    "SELECT 'open ?",
    "SELECT 'open \\",
    '-- ?',
    '/* ?',
    'SELECT a$1',
  ])('are not found in %s', (statement) => {
    expect(valuesWanted(placesOf(statement))).toBe(0);
  });

  it('are as many as values, and of one kind', () => {
    expect(() => bindPlaces('SELECT ?', [])).toThrow('wants 1 values, and 0 were bound');
    expect(() => bindPlaces('SELECT 1', [value('1')])).toThrow('wants 0 values, and 1 were bound');
    expect(() => placesOf('SELECT ?, $1')).toThrow('not as both');
  });

  it('have null written for them where there is no value', () => {
    expect(bindPlaces('SELECT ?', [undefined])).toEqual({ sql: 'SELECT NULL', values: {} });
  });

  it('are looked for in time in proportion to the statement', () => {
    const began = performance.now();
    for (const piece of ["'\\", "'", '"\\', '`', '/*', '{a:', '?', '$1 '])
      placesOf(piece.repeat(Math.ceil(200_000 / piece.length)));
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
