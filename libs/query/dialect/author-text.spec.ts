import { readableText } from './author-text.js';
import { growth } from '../../../test/processor-time.js';

/**
 * The time limit on a machine with much other work. Code whose time grows with the square of the
 * length takes minutes.
 */
const QUICK_MS = 30_000;

describe('text as its author wrote it', () => {
  it.each([
    ["SELECT j -> 'a' ->> 'b' FROM t", "SELECT json_extract_string(j, 'a', 'b') FROM t"],
    ["SELECT j ->> 'a' -> 0", "SELECT json_extract(json_extract_string(j, 'a'), 0)"],
    ['SELECT j::jsonb -> -1', 'SELECT json_extract(j, -1)'],
    ["SELECT arrayMap(x -> 'a', l)", "SELECT arrayMap(x -> 'a', l)"],
    ['SELECT list_transform(l, x -> x + 1)', 'SELECT list_transform(l, (x) -> x + 1)'],
    ['SELECT f(l, lambda a, b: a + b)', 'SELECT f(l, (a, b) -> a + b)'],
    ['SELECT t.l[2:n + 1], l[:-2]', 'SELECT array_slice(t.l, 2, n + 1), array_slice(l, 1, -2)'],
    ['SELECT l[a ? 1 : 2], k.:Int64, x::Int8[1]', 'SELECT l[a ? 1 : 2], k.:Int64, x::Int8[1]'],
    ['SELECT ARRAY[1, 2], array[1]', 'SELECT [1, 2], array[1]'],
    [
      'SELECT a = ANY(l), a = ANY(SELECT 1)',
      "SELECT if(isNull(a), NULL, CAST(has(l, a), 'Bool')), a = ANY(SELECT 1)",
    ],
    ["SELECT a LIKE 'x\\%' ESCAPE '\\', 1", "SELECT a LIKE 'x\\%', 1"],
    ["SELECT a LIKE '#%#_##' ESCAPE '#'", "SELECT a LIKE '\\\\%\\\\_#'"],
    [
      'SELECT a + 1 & b | c << 2 = 4',
      "SELECT accurateCast(accurateCast(bitOr(bitAnd(a + 1, b), c), 'Nullable(Int256)') * bitShiftLeft(toInt256(1), least(2, 128)), 'Nullable(Int64)') = 4",
    ],
    ['SELECT u.x FROM t, UNNEST(l) AS u(x) WHERE 1', 'SELECT x FROM t ARRAY JOIN l AS x WHERE 1'],
    ['SELECT 1 FROM t LEFT JOIN UNNEST(l) u(x) ON true', 'SELECT 1 FROM t  LEFT ARRAY JOIN l AS x'],
    // One side of an operator contains everything that binds more strongly.
    ['SELECT id - 1 = ANY(l), NOT -a * 2 = ANY(l)', "SELECT if(isNull(id - 1), NULL, CAST(has(l, id - 1), 'Bool')), NOT if(isNull(-a * 2), NULL, CAST(has(l, -a * 2), 'Bool'))"], // prettier-ignore
    ['SELECT a || b = ANY(l), a::Int8 = ANY(l)', "SELECT if(isNull(a || b), NULL, CAST(has(l, a || b), 'Bool')), if(isNull(a::Int8), NULL, CAST(has(l, a::Int8), 'Bool'))"], // prettier-ignore
    ["SELECT a & 1 = ANY(l), j ->> 'a' = ANY(l)", "SELECT if(isNull(bitAnd(a, 1)), NULL, CAST(has(l, bitAnd(a, 1)), 'Bool')), if(isNull(json_extract_string(j, 'a')), NULL, CAST(has(l, json_extract_string(j, 'a')), 'Bool'))"], // prettier-ignore
    ['SELECT 1 < ANY(l), 2 <> ALL(l), a > ALL (SELECT 1)', "SELECT CAST(arrayExists(_each_2 -> (1) < _each_2, l), 'Bool'), CAST(arrayAll(_each_7 -> (2) <> _each_7, l), 'Bool'), a > ALL (SELECT 1)"], // prettier-ignore
    ["SELECT x ~~ 'a%' AND y !~~* b", "SELECT x LIKE 'a%' AND y NOT ILIKE b"],
    ['SELECT EXISTS (SELECT DISTINCT a FROM t LIMIT 3), EXISTS (SELECT DISTINCT ON (a) a FROM t LIMIT 0)', 'SELECT EXISTS (SELECT a FROM t), EXISTS (SELECT DISTINCT ON (a) a FROM t LIMIT 0)'], // prettier-ignore
    ['SELECT first_value(a)OVER w FROM generate_series(-1, 2)', 'SELECT first_value(a) RESPECT NULLS OVER w FROM (SELECT arrayJoin(range(-1, (2) + 1, 1)) AS generate_series)'], // prettier-ignore
    ["SELECT arrayFilter(x -> 'a' = ANY(l), k)", "SELECT arrayFilter(x -> CAST(has(l, 'a'), 'Bool'), k)"], // prettier-ignore
    ['SELECT flags::int & 4, a | b::UInt8', 'SELECT bitAnd(flags::int, 4), bitOr(a, b::UInt8)'], // prettier-ignore
    ['SELECT a::double precision - 1 & b::Decimal(9, 2)', 'SELECT bitAnd(a::double precision - 1, b::Decimal(9, 2))'], // prettier-ignore
    ['SELECT 7 MOD 4 & 2, 7 DIV 2 | 1', 'SELECT bitAnd(7 MOD 4, 2), bitOr(7 DIV 2, 1)'], // prettier-ignore
    ["SELECT j::text -> 'a', s::text ~ 'x'", "SELECT json_extract(j::text, 'a'), (match(s::text, 'x') = 1)"], // prettier-ignore
    // Powers bind more strongly than `*`, and are computed from the left.
    ['SELECT 2 ** 3 ** n, -a.b ^ 2 * 3', 'SELECT pow(pow(2, 3), n), pow(-a.b, 2) * 3'],
    ['SELECT a - -b**2, x::int ^ f(2 ** 2)', 'SELECT a - pow(-b, 2), pow(x::int, f(pow(2, 2)))'],
    ['SELECT 1 + 2 ** 3 & 4, a ** 2 = ANY(l)', "SELECT bitAnd(1 + pow(2, 3), 4), if(isNull(pow(a, 2)), NULL, CAST(has(l, pow(a, 2)), 'Bool'))"], // prettier-ignore
    ['SELECT *, count(*) * 2, t.*, a.^b, a.b.^c', 'SELECT *, count(*) * 2, t.*, a.^b, a.b.^c'],
    ["SELECT a SIMILAR TO '(b|c)_[%_.]+%'", "SELECT a REGEXP '^(?s:(b|c).[%_.]+.*)$'"],
    ["SELECT a SIMILAR TO '[^]x][[:alpha:]]{2}'", "SELECT a REGEXP '^(?s:[^]x][[:alpha:]]{2})$'"],
    ["SELECT a NOT SIMILAR TO '%'", "SELECT a REGEXP '^(?s:.*)$' = 0"],
    ["SELECT EXTRACT('year' FROM a ** 2), EXTRACT(a, 'b')", "SELECT EXTRACT(year FROM pow(a, 2)), EXTRACT(a, 'b')"], // prettier-ignore
    ['SELECT ~5, ~a + 1 & 3, 6 & ~(2)', 'SELECT bitNot(toInt64(5)), bitAnd(bitNot(a + 1), 3), bitAnd(6, bitNot(toInt64((2))))'], // prettier-ignore
    ['SELECT -9223372036854775809, 18446744073709551616, 1_000', "SELECT -CAST('9223372036854775809', 'Decimal(19, 0)'), CAST('18446744073709551616', 'Decimal(20, 0)'), 1000"], // prettier-ignore
    ["SELECT 'a'\n 'b''c', U&'\\0041''\\\\', TEXT 'x'", "SELECT 'ab''c', 'A\\'\\\\', CAST('x' AS TEXT)"], // prettier-ignore
    ['SELECT 1 OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY', 'SELECT 1 LIMIT 3 OFFSET 2'],
    ['SELECT 1 ORDER BY a FETCH FIRST 3 ROWS WITH TIES', 'SELECT 1 ORDER BY a LIMIT 3 WITH TIES'],
    ['SELECT fetch, 1 FETCH FIRST ROW ONLY', 'SELECT fetch, 1 LIMIT 1'],
    ['SELECT EXTRACT(EPOCH FROM INTERVAL \'1 year 1 month 1 day\')', 'SELECT (34236000000000 / 1000000)'], // prettier-ignore
    ['SELECT CAST(1.50 AS VARCHAR), CAST(1.50 AS DOUBLE)', "SELECT CAST('1.50' AS VARCHAR), CAST(1.50 AS DOUBLE)"], // prettier-ignore
    ['select -2 ** 2, -a & b, ~5, .5', 'select pow(-2, 2), bitAnd(-a, b), bitNot(toInt64(5)), 0.5'],
    // The engine's own.
    ['SELECT l[j.:Int64], l[j.:Int64:2]', 'SELECT l[j.:Int64], array_slice(l, j.:Int64, 2)'], // prettier-ignore
    ["WITH x -> 'a' AS f, y -> 'b' AS g SELECT f(1), j -> 'a'", "WITH x -> 'a' AS f, y -> 'b' AS g SELECT f(1), json_extract(j, 'a')"], // prettier-ignore
    ["SELECT array_agg(j ->> 'a'), list(j -> 'a'), map('k', j ->> 'a')", "SELECT array_agg(json_extract_string(j, 'a')), list(json_extract(j, 'a')), map('k', json_extract_string(j, 'a'))"], // prettier-ignore
    ['SELECT a, UNNEST(l) FROM t', 'SELECT a, UNNEST(l) FROM t'],
    ["SELECT 'x -> ''a'' & [1:2] ESCAPE'", "SELECT 'x -> ''a'' & [1:2] ESCAPE'"],
  ])('reads %s', (text, written) => {
    expect(readableText(text)).toBe(written);
  });

  it.each([
    ["a SIMILAR TO 'x.*'", /"\." in a pattern/],
    ['a SIMILAR TO b', /written out/],
    ["a SIMILAR TO 'b' ESCAPE '!'", /no ESCAPE/],
    ['5 # 3', /bitXor/],
    ["U&'\\+110000'", /is no character/],
    ['2e308', /DOUBLE/],
  ])('says what to write instead of %s', (condition, message) => {
    expect(() => readableText(`SELECT ${condition}`)).toThrow(message);
  });

  it.each([
    'a & ',
    '~',
    "'a'\n",
    '1_',
    '-1',
    'fetch ',
    'a, ',
    'l[1:2], ',
    "j -> 'a', ",
    'lambda ',
    'unnest(a), ',
    'a.',
    '[1]',
    '[:',
    '1,',
    ' ',
    'a(1',
  ])('takes no time for a long text of %s', (piece) => {
    const begun = performance.now();
    readableText(`SELECT 1 & ${piece.repeat(200_000 / piece.length)} a`);
    expect(performance.now() - begun).toBeLessThan(QUICK_MS);
  });

  it.each(['1', '1 ', '1:00', ' ', 'ago '])('takes no time for a length of time of %s', (piece) => {
    const begun = performance.now();
    const text = `SELECT INTERVAL '1.5 ${piece.repeat(200_000 / piece.length)}'`;
    expect(() => readableText(text)).toThrow(/is no length of time/);
    expect(performance.now() - begun).toBeLessThan(QUICK_MS);
  });

  it.each([
    ['1.00000000000000000000001 seconds', /is finer than a microsecond/],
    ['0.333333333333333333333333 hours', /is finer than a microsecond/],
    ['1.9999999999999999999 months', /has a fraction of a month/],
    ['9007199254740993.0 months', /is longer than a length of time may be/],
  ])('rounds no length of time: %s', (length, problem) => {
    expect(() => readableText(`SELECT INTERVAL '${length}'`)).toThrow(problem);
  });

  it('adds fractions of lengths of time exactly', () => {
    const sum = "SELECT INTERVAL '1.5 months 0.5 mons 0.1 s 0.2 s -0.3 s 1:00:00.000001 ago'";
    expect(readableText(sum)).toBe("SELECT INTERVAL '-2 MONTH -3600000001 MICROSECOND'");
  });

  it.each([
    ['a::STRUCT<', /^SELECT 1/],
    ['[]', /more than 64 lists/],
    [' ARRAY', /more than 64 lists/],
    ['::LIST<', /^SELECT 1/],
  ])('takes no time for a type of %s', (piece, said) => {
    const begun = performance.now();
    const type = `SELECT 1 & 1, x::INT${piece.repeat(200_000 / piece.length)}`;
    const written = ((): string => {
      try {
        return readableText(type);
      } catch (error) {
        return String(error);
      }
    })();
    expect(written.replace('bitAnd(1, 1)', '1')).toMatch(said);
    expect(performance.now() - begun).toBeLessThan(QUICK_MS);
  });

  it('writes a key for many sets no longer than a statement may be', () => {
    const grouped = (key: string): string =>
      `SELECT 1 GROUP BY '${key}', CUBE(a, b, c, d, e, f, g, h)`;
    expect(readableText(grouped('x')).length).toBeLessThan(10_000);
    expect(() => readableText(grouped('x'.repeat(100_000)))).toThrow(/is too long/);
  });

  it.each([
    ['times', 'generate_series(', '[1], b, INTERVAL 1 DAY)'],
    ['months', 'generate_series(a, ', '[1], INTERVAL 1 MONTH)'],
    ['numbers', 'generate_series(1, 2, length(', '))'],
    ['first numbers', 'range(1, length(generate_series(', '[1], 2)))'],
  ])('refuses series of %s within one another', (_, before, behind) => {
    const nested = `SELECT ${before.repeat(40)}x${behind.repeat(40)}`;
    expect(() => readableText(nested)).toThrow(/use fewer of them within one another/);
  });

  it('refuses more lists beside one another than it may write for each of them', () => {
    const lists = (count: number): string =>
      `SELECT ${Array.from({ length: count }, (_, at) => `unnest([${at}])`).join(', ')}`;
    expect(readableText(lists(16))).toContain('arrayZipUnaligned');
    expect(() => readableText(lists(17))).toThrow(/up to 16 lists/);
  });

  it('writes a LEFT JOIN that it cannot write within itself once', () => {
    const nested = (depth: number): string =>
      `SELECT ${'x FROM t LEFT JOIN UNNEST((SELECT '.repeat(depth)}x${'))'.repeat(depth)}`;
    expect(readableText(nested(7))).toBe(nested(7));
    // If each level were written twice, the text would be a hundred times as long.
    expect(growth(readableText, nested, 5)).toBeLessThan(10);
  });

  it.each([
    '1-',
    '.1',
    '.:b',
    '::b',
    '[1]',
    'a = ',
    "->> 'a'",
    ' MOD 2',
    '/**/',
    'a || ',
    ' ** a',
    '-a ^ ',
    '*',
  ])('reads twice as many of %s in twice the time', (piece) => {
    const many = (size: number): string => `SELECT 1 & 1, '${piece.repeat(size)}' ESCAPE, a${piece.repeat(size)}`; // prettier-ignore
    expect(growth(readableText, many, 2000)).toBeLessThan(3.5);
  });

  it('finds names of lists within brackets in time that grows as their number', () => {
    const many = (size: number): string =>
      `SELECT ${Array.from({ length: size }, (_, at) => `(UNNEST(a) AS u${at}(x), `).join('')}1${')'.repeat(size)}`;
    expect(growth(readableText, many, 200)).toBeLessThan(3);
  });
});
