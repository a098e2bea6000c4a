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
    [
      'SELECT l[1:2] FROM t WHERE id = ? AND l[1:2] = ?',
      'SELECT l[1:2] FROM t WHERE id = {p1:Int64} AND l[1:2] = {p2:Int64}',
    ],
    ['SELECT ?, lambda x: x, ?', 'SELECT {p1:Int64}, lambda x: x, {p2:Int64}'],
    ['SELECT l[?:2], m[? : ?]', 'SELECT l[{p1:Int64}:2], m[{p2:Int64} : {p3:Int64}]'],
    ['SELECT a ? (b) : c, ?, ?', 'SELECT a ? (b) : c, {p1:Int64}, {p2:Int64}'],
    ['SELECT f(a ? b : ?), x = ?', 'SELECT f(a ? b : {p1:Int64}), x = {p2:Int64}'],
    [
      'SELECT 1 WHERE a IN ? AND NOT ? AND l[1:2]',
      'SELECT 1 WHERE a IN {p1:Int64} AND NOT {p2:Int64} AND l[1:2]',
    ],
  ])('are found in %s', (statement, sql) => {
    const wanted = valuesWanted(placesOf(statement));
    const texts = Array.from({ length: wanted }, (_, at) => String(at + 1));
    const bound = bindPlaces(statement, texts.map(value));
    expect(bound).toEqual({
      sql,
      values: Object.fromEntries(texts.map((text) => [`p${text}`, text])),
    });
  });

  it.each([
    'SELECT a ? b : c',
    "SELECT 'a' ? 'b' : 'c'",
    'SELECT f(a) ? (b ? c : d) : e',
    'SELECT a ? l[1:2] : c',
    'SELECT a ? b ? c : d : e',
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
    for (const piece of ['(a ? ', 'a ? ', '? : ', "'\\", "'", '"\\', '`', '/*', '{a:', '?', '$1 '])
      placesOf(piece.repeat(Math.ceil(200_000 / piece.length)));
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
