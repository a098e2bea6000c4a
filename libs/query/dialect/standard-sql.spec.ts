import { MillraceError } from '@app/platform';
import { authorTokens } from './author-tokens.js';
import { readableText } from './author-text.js';
import type { TableDescription } from '../catalog.js';
import { inEngineWords, type Surroundings } from './standard-sql.js';
import { exactOfUnknown } from './numbers/exact-sums.js';
import { WrittenLength } from './written-length.js';
import { growth, processorMs } from '../../../test/processor-time.js';

const COLUMNS: Readonly<Record<string, string>> = {
  n: 'Nullable(Int64)',
  u: 'Nullable(UInt64)',
  s: 'Nullable(String)',
  d: 'Nullable(Decimal(15, 2))',
  day: 'Nullable(Date32)',
  at: "Nullable(DateTime64(6, 'UTC'))",
  cores: 'Array(Tuple(core Nullable(String), `a b` Nullable(Tuple(k Array(Tuple(z Int64))))))',
  maps: 'Array(Map(String, Int64))',
  bytes: 'Nullable(SimpleAggregateFunction(any, String))',
  four: 'Nullable(SimpleAggregateFunction(any, FixedString(8)))',
  many: 'Array(Nullable(SimpleAggregateFunction(any, String)))',
};
const SPELLINGS: Readonly<Record<string, string>> = { tostring: 'toString' };

const SURROUNDINGS: Surroundings = {
  typeOfColumn: (name) => COLUMNS[name],
  spelling: (name) => SPELLINGS[name.toLowerCase()],
  table: () => undefined,
  session: () => undefined,
};
const written = (canonical: string): string => inEngineWords(canonical, SURROUNDINGS);

describe('standard SQL in the words of the engine', () => {
  it.each([
    ["(cores[1])['core']", "tupleElement(cores[1], 'core')"],
    ["(t.cores[n + 1])['core']", "tupleElement(t.cores[n + 1], 'core')"],
    ["((cores[1])['a b'])['k']", "tupleElement(tupleElement(cores[1], 'a b'), 'k')"],
    [
      "((((cores[1])['a b'])['k'])[2])['z']",
      "tupleElement(tupleElement(tupleElement(cores[1], 'a b'), 'k')[2], 'z')",
    ],
    ["(cores[1])['nope']", "(cores[1])['nope']"],
    ["(maps[1])['core']", "(maps[1])['core']"],
    ["arrayMap(cores -> ((cores[1])['core']), x)", "arrayMap(cores -> ((cores[1])['core']), x)"],
  ])('writes the field of a struct in a list: %s', (canonical, expected) => {
    expect(written(`SELECT ${canonical} AS v FROM t`)).toBe(`SELECT ${expected} AS v FROM t`);
  });

  it.each([
    'SELECT a, b FROM t WHERE (a = 1) AND (b > 2) ORDER BY a ASC',
    'SELECT count() FROM t',
    'SELECT * FROM t LIMIT 5',
    'SELECT t.* EXCEPT a FROM t',
    "SELECT 'sum(n) + 1 FROM x' AS q",
    'SELECT `sum(n)` FROM t',
    'SELECT {p:Int64} AS v FROM t WHERE a IN ({q:String})',
    'SELECT a FROM t WHERE _timestamp > (now() - 3600)',
    'DROP TABLE t',
    'SELECT (1',
  ])('leaves %s as it is', (statement) => {
    expect(written(statement)).toBe(statement);
  });

  it.each([
    [
      'SELECT sum(n) AS x FROM t',
      "SELECT accurateCast(sum(toInt128(n)), 'Nullable(Int64)') AS x FROM t",
    ],
    [
      'SELECT sum(u) AS x FROM t',
      "SELECT accurateCast(sum(toInt128(u)), 'Nullable(UInt64)') AS x FROM t",
    ],
    ['SELECT sum(s) AS x FROM t', 'SELECT sum(s) AS x FROM t'],
    ['SELECT avgIf(n, a) AS x FROM t', 'SELECT avgIf(toInt128(n), a) AS x FROM t'],
    [
      'SELECT a FROM t WHERE (n * u) > 5',
      "SELECT a FROM t WHERE (accurateCast(toInt128(n) * u, 'Nullable(Int64)')) > 5",
    ],
    ['SELECT nvl(nvl(a, b), c) AS x FROM t', 'SELECT ifNull(ifNull(a, b), c) AS x FROM t'],
    ['SELECT TOSTRING(a) AS x FROM t', 'SELECT toString(a) AS x FROM t'],
    ['SELECT max(a) AS a FROM t ORDER BY a ASC', 'SELECT max(a) AS a FROM t ORDER BY 1 ASC'],
    [
      'SELECT *, max(a) AS a FROM t ORDER BY a ASC',
      'SELECT *, max(a) AS a FROM t ORDER BY (max(a)) ASC',
    ],
    [
      'SELECT max(a) AS a FROM t ORDER BY lower(a) ASC',
      'SELECT max(a) AS a FROM t ORDER BY lower(a) ASC',
    ],
    ['SELECT COUNT(*) FROM t', 'SELECT COUNT(*) AS `COUNT(*)` FROM t'],
    ['SELECT a = 1 AS x FROM t', "SELECT CAST(a = 1, 'Bool') AS x FROM t"],
    [
      'SELECT max(_timestamp) - 5 AS x FROM t',
      'SELECT (max(_timestamp) - toIntervalMicrosecond(5)) AS x FROM t',
    ],
    [
      'SELECT a FROM t WHERE (a >= (0.06 - 0.01)) AND (a <= (0.06 + 0.01))',
      'SELECT a FROM t WHERE (a >= (0.05)) AND (a <= (0.07))',
    ],
    [
      'SELECT d * (1 - 0.06) AS x, (d * (1 - (0.06 * 2))) + 0.5 AS y FROM t',
      "SELECT d * CAST('0.94', 'Decimal(2, 2)') AS x, (d * CAST('0.88', 'Decimal(2, 2)')) + CAST('0.5', 'Decimal(2, 1)') AS y FROM t",
    ],
    [
      'SELECT n IN (0.5, 0.5 * 0.123456789012345678) AS x, d > 31.909 AS y FROM t',
      "SELECT CAST(n IN (0.5, 0.061728394506172839), 'Bool') AS x, CAST(d > CAST('31.909', 'Decimal(5, 3)'), 'Bool') AS y FROM t",
    ],
    [
      'SELECT f * (1 - 0.06) AS x, (0.1 + 0.2) * 3 AS y, 1 - (0.5 - 1.5) AS z FROM t',
      'SELECT f * (0.94) AS x, 0.9 AS y, 2.0 AS z FROM t',
    ],
    [
      'SELECT d * (1. - 1e-2) AS x, (0.1, 0.2) AS y FROM t',
      'SELECT d * (1. - 1e-2) AS x, (0.1, 0.2) AS y FROM t',
    ],
    [
      'SELECT _timestamp + -60 AS x FROM t WHERE a = (-60 + _timestamp)',
      'SELECT (_timestamp + toIntervalMicrosecond(-60)) AS x FROM t WHERE a = ((_timestamp + toIntervalMicrosecond(-60)))',
    ],
    [
      'SELECT -3 + n AS x, -0.06 + 0.01 AS y FROM t',
      "SELECT accurateCast(toInt128(-3) + n, 'Nullable(Int64)') AS x, -0.05 AS y FROM t",
    ],
    [
      'SELECT u * -1 AS x FROM t WHERE a = (-3 - n)',
      "SELECT accurateCast(toInt128(u) * -1, 'Nullable(Int64)') AS x FROM t WHERE a = (accurateCast(toInt128(-3) - n, 'Nullable(Int64)'))",
    ],
    [
      'SELECT d % -1.5 AS x FROM t',
      "SELECT (CAST(d, 'Decimal(76, 2)') - (CAST(CAST('-1.5', 'Decimal(2, 1)'), 'Decimal(76, 2)') * CAST(truncate(CAST(d, 'Decimal(76, 2)') / CAST(CAST('-1.5', 'Decimal(2, 1)'), 'Decimal(76, 2)')), 'Decimal(76, 0)'))) AS x FROM t",
    ],
    [
      'SELECT coalesce(u, -1) AS x FROM t',
      "SELECT coalesce(CAST(u, 'Decimal(20, 0)'), CAST('-1', 'Decimal(20, 0)')) AS x FROM t",
    ],
    [
      'SELECT coalesce(n, 9223372036854775808) AS x, coalesce(n, 9223372036854775807) AS y FROM t',
      "SELECT coalesce(CAST(n, 'Decimal(20, 0)'), CAST('9223372036854775808', 'Decimal(20, 0)')) AS x, coalesce(n, 9223372036854775807) AS y FROM t",
    ],
    [
      'SELECT if(a, 9007199254740993, 0.5) AS x, if(a, 7, 0.5) AS y FROM t',
      "SELECT if(a, CAST('9007199254740993', 'Float64'), CAST('0.5', 'Float64')) AS x, if(a, 7, 0.5) AS y FROM t",
    ],
    [
      "SELECT sumIf(n + 1, s = '1') AS x FROM t",
      "SELECT accurateCast(sumIf(toInt128(if(s = '1', accurateCast(toInt128(n) + 1, 'Nullable(Int64)'), NULL)), s = '1'), 'Nullable(Int64)') AS x FROM t",
    ],
    // Names that are not columns do not have the columns' types.
    [
      'SELECT arrayMap(n -> (n * 2), [1.5]) AS x FROM t',
      'SELECT arrayMap(n -> (n * 2), [1.5]) AS x FROM t',
    ],
    [
      'SELECT arrayMap((n, u) -> (n * u), [1.5], [2.5]) AS x FROM t',
      'SELECT arrayMap((n, u) -> (n * u), [1.5], [2.5]) AS x FROM t',
    ],
    [
      'WITH v(n) AS (SELECT s FROM t) SELECT n + 1 AS x FROM v',
      'WITH v(n) AS (SELECT s FROM t) SELECT n + 1 AS x FROM v',
    ],
    [
      'SELECT n + 1 AS x FROM (SELECT s FROM t) AS v(n)',
      'SELECT n + 1 AS x FROM (SELECT s FROM t) AS v(n)',
    ],
    [
      'SELECT if(a, x, d) AS y, 0.29 AS x FROM t',
      "SELECT if(a, x, CAST(d, 'Float64')) AS y, 0.29 AS x FROM t",
    ],
    [
      'SELECT if(a, (0.29), d) AS y FROM t',
      "SELECT if(a, CAST('0.29', 'Decimal(15, 2)'), d) AS y FROM t",
    ],
    // A column of several SELECTs has a type for all; in a table it has its own.
    [
      'SELECT sum(n) AS x FROM (SELECT n FROM t WHERE n = 1 UNION ALL SELECT 0.5)',
      `SELECT ${exactOfUnknown(
        'sum',
        (name) => `${name}(n)`,
        (name) => `${name}(toFloat64(n))`,
      )} AS x FROM (SELECT CAST(n, 'Float64') AS \`n\` FROM t WHERE n = 1 UNION ALL SELECT CAST('0.5', 'Float64') AS \`0.5\`)`,
    ],
    ['EXPLAIN SELECT nvl(a, 1) AS x', 'EXPLAIN SELECT ifNull(a, 1) AS x'],
  ])('%s becomes %s', (statement, expected) => {
    expect(written(statement)).toBe(expected);
  });

  it.each([
    [
      'select a from t union select b from u order by a limit 1',
      'SELECT * FROM (select a from t union select b from u) order by a limit 1',
    ],
    [
      '(select a) union all (select b) order by a',
      'SELECT * FROM ((select a) union all (select b)) order by a',
    ],
    [
      'select a union all (select b order by b limit 1)',
      'select a union all (SELECT * FROM (select b order by b limit 1))',
    ],
    [
      "select a -- union order by\nfrom t where x = 'union' order by a",
      "select a -- union order by\nfrom t where x = 'union' order by a",
    ],
    ['select * except (a) from t order by b', 'select * except (a) from t order by b'],
    ['values (1), (2)', 'SELECT * FROM (values (1), (2))'],
    ['select try_cast(a as decimal(10, 2))', "select try_cast(a, 'decimal(10, 2)')"],
    [
      "select extract(epoch from a), date_part('epoch', a)",
      "select (toUnixTimestamp64Micro(toDateTime64(a, 6, 'UTC')) / 1000000), (toUnixTimestamp64Micro(toDateTime64(a, 6, 'UTC')) / 1000000)",
    ],
    [
      "select extract(epoch, 'x'), date_part(epoch, a)",
      "select extract(epoch, 'x'), date_part(epoch, a)",
    ],
    ["select a !~ 'x' from t", "select (NOT match(a, 'x')) from t"],
    [
      'select array_agg(a order by b desc) from t',
      'select arrayMap(p -> p.1, arrayReverseSort(p -> p.2, groupArrayIf((a, b), (a) IS NOT NULL))) from t',
    ],
  ])('the text %s is read as %s', (text, expected) => {
    expect(readableText(text)).toBe(expected);
  });

  it('is bounded, however functions stand within one another', () => {
    const nested = (name: string, depth: number): string =>
      `SELECT ${`${name}(`.repeat(depth)}a${')'.repeat(depth)} AS x FROM t`;
    expect(() => written(nested('to_timestamp', 200))).toThrow(/too long when its functions/);
    expect(() => written(nested('sum', 200))).toThrow(/too long when its functions/);
    expect(written(nested('', 900))).toBe(nested('', 900));
    const long = `SELECT concat('${'x'.repeat(60_000)}', a) AS v FROM t GROUP BY a ORDER BY ${'(v + '.repeat(20)}1${')'.repeat(20)} ASC`;
    expect(() => written(long)).toThrow(/too long when its functions/);
  });

  it.each(['(', '-(', 'f(', 'x IN (', '[', 'CASE WHEN ('])(
    'answers or says that it is nested too deeply: %s',
    (open) => {
      const close = open === '[' ? ']' : open.startsWith('CASE') ? ') THEN 1 END' : ')';
      const deep = `SELECT ${open.repeat(990)}a${close.repeat(990)} AS x FROM t`;
      let said = '';
      try {
        written(deep);
      } catch (error) {
        said = error instanceof MillraceError ? '' : String(error);
      }
      expect(said).toBe('');
    },
  );

  it.each([
    ["CAST(a, 'String')", (x: string) => `CAST(${x}, 'String')`],
    ['sum(1.5)', (x: string) => `sum(${x} / 2)`],
    ['avgIf(a, b)', (x: string) => `avgIf(${x}, b)`],
  ])('writes %s within itself in time that grows as the text does', (_, around) => {
    let nested = 'a';
    for (let depth = 0; depth < 40; depth += 1) nested = around(nested);
    const begun = processorMs();
    try {
      written(`SELECT ${nested} AS x FROM t`);
    } catch (error) {
      expect(String(error)).toMatch(/too long when its functions/);
    }
    expect(processorMs() - begun).toBeLessThan(5000);
  });

  it.each([
    ['SELECT upper(bytes)', 'SELECT upper(toString(bytes))'],
    ['SELECT reverse(max(t.bytes))', 'SELECT reverse(toString(max(t.bytes)))'],
    ["SELECT translate(b, 'a', 'b') FROM (SELECT bytes AS b)", undefined],
    ["SELECT lower(if(n, '', bytes))", "SELECT lower(toString(if(n, '', bytes)))"],
    ["SELECT lower(if(n, 'x', bytes))", "SELECT lower(if(n, 'x', CAST(bytes, 'String')))"],
    [
      'SELECT coalesce(bytes, concat(s, s))',
      "SELECT coalesce(CAST(bytes, 'String'), concat(s, s))",
    ],
    ["SELECT lag(four, 1, 'x') OVER w", "SELECT lag(CAST(four, 'String'), 1, 'x') OVER w"],
    [
      'SELECT coalesce(bytes, NULL), greatest(bytes, bytes)',
      'SELECT coalesce(bytes, NULL), greatest(bytes, bytes)',
    ],
    [
      'SELECT bytes AS x UNION ALL SELECT s',
      "SELECT CAST(bytes, 'String') AS `x` UNION ALL SELECT s",
    ],
    [
      'SELECT arrayMap(x -> upper(x), many)',
      "SELECT arrayMap(x -> upper(toString(x)), CAST(many, 'Array(Nullable(String))'))",
    ],
    [
      'SELECT arrayMap(x -> x, many) AS a, arrayFilter(x -> (x > s), many) AS b',
      'SELECT arrayMap(x -> x, many) AS a, arrayFilter(x -> (x > s), many) AS b',
    ],
    [
      'SELECT upper(s), max(bytes), reverse([bytes])',
      'SELECT upper(s), max(bytes), reverse([bytes])',
    ],
  ])('makes text of bytes where a function makes another text of it: %s', (canonical, expected) => {
    expect(written(canonical)).toContain(expected ?? 'translate(toString(b)');
  });

  it('looks for bytes of a fixed length as text in a list', () => {
    const found = written("SELECT four NOT IN ('a', 'b'), bytes IN ('a')");
    expect(found).toContain("CAST(toString(four) NOT IN ('a', 'b')");
    expect(found).toContain("CAST(bytes IN ('a')");
    expect(written("SELECT 1 WHERE (n, four) IN ((1, 'a'))")).toContain(
      "(n, toString(four)) IN ((1, 'a'))",
    );
  });

  it('finds the types of names that stand for one another in a short time', () => {
    const names = Array.from({ length: 9 }, (_, at) => {
      const next = Array(8)
        .fill(`a${at + 1}`)
        .join(', ');
      return `coalesce(${next}) AS a${at}`;
    });
    const begun = processorMs();
    written(`SELECT 1 AS b, ${names.join(', ')}, n AS a9, sum(a0) AS x FROM t`);
    expect(processorMs() - begun).toBeLessThan(1000);
  });

  it.each(['toIntervalNanosecond(2.5)', 'toIntervalMicrosecond(0.1)', 'toIntervalMonth(1.5)'])(
    'leaves no fraction of a length of time out: %s',
    (length) => {
      expect(() => written(`SELECT (at + ${length}) AS x FROM t`)).toThrow(/write whole ones/);
    },
  );

  it('counts no fraction of a decimal off in a length of months', () => {
    expect(written('SELECT (at + (d * toIntervalMonth(1))) AS x FROM t')).toContain(
      "accurateCast(toFloat64((d) * (1)), 'Nullable(Int64)')",
    );
  });

  it('refuses what divides elsewhere, and would be a comment here', () => {
    expect(() => readableText('SELECT 7 // 2, 1')).toThrow(/div\(a, b\)/);
    expect(readableText("SELECT 'http://a', 6 / 3 -- a // b")).toBe(
      "SELECT 'http://a', 6 / 3 -- a // b",
    );
  });

  it('bounds ordered lists within one another before they are read', () => {
    const nested = `SELECT ${'array_agg('.repeat(24)}a${' ORDER BY b)'.repeat(24)} FROM t`;
    expect(() => readableText(nested)).toThrow(/too long when its functions/);
  });

  it('reads a text of any brackets and quotes in a short time', () => {
    const begun = processorMs();
    for (const piece of ['/*', '(', ')', "'", '"', 'union ', '((select ', 'a ~ ', 'order by '])
      readableText(`select 1 union ${piece.repeat(100_000 / piece.length)}`);
    expect(processorMs() - begun).toBeLessThan(20_000);
    expect(authorTokens("select 'open")).toBeUndefined();
  });

  it('writes a count of fields within itself once', () => {
    const nested = (depth: number): string =>
      `SELECT ${'count(a.b['.repeat(depth)}1${'])'.repeat(depth)} AS x FROM t`;
    expect(written(nested(1))).toBe('SELECT countIf(a.b[1] IS NOT NULL) AS x FROM t');
    // If each level were written twice, the text would be a hundred times as long.
    expect(growth(written, nested, 5)).toBeLessThan(10);
  });

  it('bounds the values that are compared with each item of a list', () => {
    const wide = `SELECT (concat('${'x'.repeat(2_000)}', a)) IN (${'a, '.repeat(1000)}a) AS v FROM t`;
    expect(() => written(wide)).toThrow(/too long when its functions/);
    const nested = `SELECT ${'('.repeat(40)}a${' IN (1, b))'.repeat(40)} AS v FROM t`;
    expect(() => written(nested)).toThrow(/too long when its functions/);
  });

  it('bounds what ORDER BY has names for', () => {
    const many = `SELECT *, (a${' + b'.repeat(1000)}) AS v FROM t ORDER BY ${'v, '.repeat(1000)}v`;
    expect(() => written(many)).toThrow(/too long when its functions/);
  });

  it.each([
    [
      'names of one name',
      (size: number) => `SELECT ${'1 AS v, (v = 1), '.repeat(size)}1 FROM t`,
      200,
    ],
    // The stack holds 500 brackets before the code is compiled, and four times the size is tried.
    [
      'sums within one another',
      (size: number) => `SELECT ${'('.repeat(size)}s${' + s)'.repeat(size)} AS v FROM t`,
      100,
    ],
    [
      'names of the columns of a query',
      (size: number) =>
        `WITH v(${'a, '.repeat(size)}b) AS (SELECT ${'1, '.repeat(size)}2) SELECT b FROM v`,
      400,
    ],
    [
      'names of columns of a UNION',
      (size: number) =>
        `SELECT ${'n = 1, '.repeat(size)}1 FROM (${'SELECT n FROM t UNION ALL '.repeat(20)}SELECT 0.5)`,
      400,
    ],
    [
      'sums of what is known only to the engine',
      (size: number) => `SELECT ${'gcd(n, 2) + 1, '.repeat(size)}1 FROM t`,
      100,
    ],
    [
      'lambdas in a call',
      (size: number) => `SELECT arrayMap(${'a -> 1, '.repeat(size)}b -> 1, x)`,
      800,
    ],
  ])('writes twice as many %s in twice the time', (_, many, size) => {
    expect(growth(written, many, size)).toBeLessThan(3.5);
  });

  it('bounds the names of subqueries within one another', () => {
    const nested = (depth: number): string =>
      `SELECT ${`(SELECT length('${'a'.repeat(1000)}') + sum(n) + `.repeat(depth)}1${')'.repeat(depth)} FROM t`;
    expect(written(nested(5))).toContain('FROM t');
    expect(() => written(nested(100))).toThrow(/too long when its functions/);
  });

  it('bounds what is searched in calls within one another', () => {
    const nested = `SELECT ${'minIf('.repeat(300)}'${'a'.repeat(120_000)}'${', n)'.repeat(300)} FROM t`;
    expect(() => written(nested)).toThrow(/too much within one another/);
  });

  it('looks a long path up, and many names in many tables, in a short time or not at all', () => {
    const table = (name: string): TableDescription => ({
      name,
      columns: [{ name: 'doc', type: 'JSON' }],
    });
    const over = (statement: string): string =>
      inEngineWords(statement, { ...SURROUNDINGS, table });
    const path = (size: number): string => `SELECT x${'.a'.repeat(size)} FROM t`;
    expect(growth(over, path, 2000)).toBeLessThan(3.5);
    const tables = Array.from({ length: 10_000 }, (_, at) => `t AS a${at}`).join(', ');
    expect(() => over(`SELECT ${'b, '.repeat(10_000)}b FROM ${tables}`)).toThrow(
      /too many columns/,
    );
  });

  it('writes no piece many times, whatever would ask for it', () => {
    const length = new WrittenLength(100);
    for (let node = 0; node < 4200; node += 1) length.node();
    expect(() => length.node()).toThrow(/too much within one another/);
  });
});
