import { withOuterRows } from './outer-rows.js';

const TABLES = { t: ['id', 'k', 'n'], u: ['k', 'n', 'v'] };

const written = (canonical: string): string =>
  withOuterRows(canonical, {
    typeOfColumn: (name) => (name === 'id' ? 'Int64' : 'Nullable(Int64)'),
    table: (name) => {
      const columns = Object.entries(TABLES).find(([table]) => table === name)?.[1];
      return (
        columns && { name, columns: columns.map((column) => ({ name: column, type: 'Int64' })) }
      );
    },
  });

const NULL = "CAST(NULL, 'Nullable(Int64)')";

describe('subqueries that look at the outer row', () => {
  it.each([
    [
      'exists((SELECT 1 FROM u WHERE (u.k = t.k) AND ((t.n IS NULL) OR (u.n = t.n))))',
      `((isNull(t.n) AND exists((SELECT 1 FROM u WHERE (u.k = t.k) AND ((${NULL} IS NULL) OR (u.n = ${NULL}))))) OR exists((SELECT 1 FROM u WHERE (u.k = t.k) AND ((t.n IS NULL) OR (u.n = t.n)))))`,
    ],
    [
      '((SELECT v FROM u WHERE (u.k = t.k) AND (coalesce(t.n, 0) < u.n)) = 1)',
      `(if(isNull(t.n), (SELECT v FROM u WHERE (u.k = t.k) AND (coalesce(${NULL}, 0) < u.n)), (SELECT v FROM u WHERE (u.k = t.k) AND (coalesce(t.n, 0) < u.n))) = 1)`,
    ],
  ])('are asked again with NULL for a column that may be null: %s', (condition, expected) => {
    expect(written(`SELECT id FROM t WHERE ${condition}`)).toBe(
      `SELECT id FROM t WHERE ${expected}`,
    );
  });

  it('are given values once each where they do not compare by = alone', () => {
    expect(
      written('SELECT id, (SELECT count() FROM u WHERE u.v > id) AS c FROM t WHERE t.k = 1'),
    ).toBe(
      'SELECT id, tupleElement(tuple((SELECT count() FROM u CROSS JOIN (SELECT DISTINCT id AS outer_11_0 FROM t WHERE (t.k = 1)) AS outer_rows_11 WHERE (u.v > outer_rows_11.outer_11_0) AND (outer_rows_11.outer_11_0 = id)), id), 1) AS c FROM t WHERE t.k = 1',
    );
  });

  it('keep the name of a column that has none of its own', () => {
    expect(written('SELECT (SELECT count() FROM u WHERE u.v > id) FROM t')).toContain(
      ' AS `(SELECT count() FROM u WHERE u.v > id)` FROM t',
    );
  });

  it.each([
    'SELECT id FROM t WHERE exists((SELECT 1 FROM u WHERE (u.k = t.k) AND (u.v > (t.n + 1))))',
    'SELECT id, (SELECT sum(v) FROM u WHERE u.k = t.k) AS s FROM t',
    'SELECT id, (SELECT max(v) FROM u WHERE u.v IN (1, 2)) AS s FROM t',
    'SELECT id FROM t WHERE k IN (SELECT k FROM u)',
    'SELECT id, (SELECT max(c) FROM (SELECT count() AS c FROM u WHERE u.k = t.k GROUP BY v)) AS m FROM t',
    'SELECT id, (SELECT count() FROM u WHERE u.k = t.k) AS c FROM t LEFT JOIN (u AS x) USING (k)',
    `SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT k FROM t WHERE k IN (${'12345678, '.repeat(12_000)}1))))`,
    '(SELECT k FROM t) EXCEPT ALL (SELECT k FROM u)',
    'SELECT k FROM (SELECT k FROM t UNION ALL SELECT k FROM u) AS x',
    'SELECT arrayMap(n -> n + 1, [1]) AS a, (SELECT max(arrayExists(n -> n IS NULL, [1])) FROM u) AS b FROM t',
  ])('stay as they are: %s', (sql) => {
    expect(written(sql)).toBe(sql);
  });

  it.each([
    'SELECT id, (SELECT count() FROM (SELECT v FROM u WHERE u.v > id)) AS c FROM t',
    'SELECT id, (SELECT count() FROM u WHERE u.v > id ORDER BY v ASC LIMIT 1) AS c FROM t',
    'SELECT id, (SELECT count() FROM u WHERE u.v > x.id) AS c FROM (SELECT id FROM t LIMIT 10) AS x',
    'WITH x AS (SELECT id FROM t LIMIT 10) SELECT id, (SELECT count() FROM u WHERE u.v > x.id) AS c FROM x',
  ])('are refused where their rows would count several times: %s', (sql) => {
    expect(() => written(sql)).toThrow('join a grouped subquery by its keys');
  });

  it.each([
    ['SELECT n + 1 AS m, (SELECT count() FROM u WHERE u.v > m) AS c FROM t', 'cannot look at m'],
    [
      'SELECT id FROM t WHERE exists((SELECT 1 FROM (SELECT count() AS n FROM u WHERE u.k = t.k) WHERE n = 0))',
      'behind HAVING',
    ],
    [
      'SELECT id, (SELECT max(n) FROM (SELECT count() AS n FROM u WHERE u.k = t.k)) AS m FROM t',
      'behind HAVING',
    ],
    [
      'SELECT id FROM t WHERE (SELECT m + 1 FROM (SELECT n + 1 AS m FROM (SELECT count() AS n FROM u WHERE u.k = t.k HAVING n = 0))) = 2',
      'behind HAVING',
    ],
  ])('are refused where the engine would find other rows: %s', (sql, problem) => {
    expect(() => written(sql)).toThrow(problem);
  });

  it.each([
    'SELECT 3 AS m, (SELECT count() FROM u WHERE u.v > m) AS c FROM t',
    'SELECT n + 1 AS m, (SELECT sum(v) AS m FROM u WHERE u.k = t.k HAVING m > 0) AS c FROM t',
    'SELECT id, (SELECT n + 1 FROM (SELECT count() AS n FROM u WHERE u.k = t.k)) AS m FROM t',
  ])('look at constants, at names of their own, and at one aggregate: %s', (sql) => {
    expect(written(sql)).toBe(sql);
  });

  it('are refused beyond three columns that may be null', () => {
    const four = ['k', 'n', 't.k', 't.n'].map((name) => `(${name} IS NULL)`).join(' OR ');
    expect(() => written(`SELECT 1 FROM t WHERE exists((SELECT 1 FROM v WHERE ${four}))`)).not.toThrow(); // prettier-ignore
    const columns = ['t.a', 't.b', 't.c', 't.d'].map((name) => `(${name} IS NULL)`).join(' OR ');
    expect(() => written(`SELECT 1 FROM t WHERE exists((SELECT 1 FROM u WHERE ${columns}))`)).toThrow('may look at 3 columns'); // prettier-ignore
  });
});
