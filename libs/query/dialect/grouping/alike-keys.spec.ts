import { inEngineWords, type Surroundings } from '../standard-sql.js';

const SURROUNDINGS: Surroundings = {
  typeOfColumn: (name) => (name === 'k' || name === 'n' ? 'Nullable(Int64)' : undefined),
  spelling: () => undefined,
  table: () => undefined,
  session: () => undefined,
};
const written = (canonical: string): string => inEngineWords(canonical, SURROUNDINGS);
const FROM = 'FROM t AS a CROSS JOIN t AS b';

describe('keys of ROLLUP, CUBE and GROUPING SETS', () => {
  it.each([
    [
      `SELECT a.k AS x, b.k AS y, count() AS n ${FROM} GROUP BY a.k, b.k WITH CUBE`,
      `SELECT a.k AS x, identity(b.k) AS y, count() AS n ${FROM} GROUP BY a.k, identity(b.k) WITH CUBE`,
    ],
    [
      `SELECT a.k AS x, b.k AS y, count() AS n ${FROM} GROUP BY x, y WITH ROLLUP`,
      `SELECT a.k AS x, identity(b.k) AS y, count() AS n ${FROM} GROUP BY x, y WITH ROLLUP`,
    ],
    [
      `SELECT upper(a.k) AS x, count() AS n ${FROM} GROUP BY GROUPING SETS ((upper(a.k)), (upper(b.k)))`,
      `SELECT upper(a.k) AS x, count() AS n ${FROM} GROUP BY GROUPING SETS ((upper(a.k)), (identity(upper(b.k))))`,
    ],
    [
      `SELECT a.k AS x, count() AS n ${FROM} GROUP BY a.k, b.k`,
      `SELECT a.k AS x, count() AS n ${FROM} GROUP BY a.k, b.k`,
    ],
    [
      `SELECT a.k AS x, count() AS n ${FROM} GROUP BY a.k, b.n, a.k WITH ROLLUP`,
      `SELECT a.k AS x, count() AS n ${FROM} GROUP BY a.k, b.n, a.k WITH ROLLUP`,
    ],
  ])('differ where their tables alone do: %s', (canonical, expected) => {
    expect(written(canonical)).toBe(expected);
  });

  it.each([
    `SELECT a.k + 1 AS x, count() AS n ${FROM} GROUP BY a.k = 1, b.k = 1 WITH ROLLUP`,
    `SELECT (SELECT 1) AS x, count() AS n ${FROM} GROUP BY a.k, b.k WITH ROLLUP`,
  ])('are refused where they cannot be told apart: %s', (canonical) => {
    expect(() => written(canonical)).toThrow(/give them names in a subquery/);
  });

  const SETS = 'GROUP BY GROUPING SETS ((k), ())';
  const ANY = 'NOT ignore(count())';
  it.each([
    [`SELECT k FROM t ${SETS}`, `SELECT k FROM t ${SETS} HAVING ${ANY}`],
    [
      `SELECT k FROM t ${SETS} HAVING grouping(k) = 1 ORDER BY k`,
      `SELECT k FROM t ${SETS} HAVING (grouping(k) = 1) AND ${ANY} ORDER BY k`,
    ],
    [`SELECT k, count() AS n FROM t ${SETS}`, `SELECT k, count() AS n FROM t ${SETS}`],
    [
      'SELECT k FROM t GROUP BY GROUPING SETS ((k), (n))',
      'SELECT k FROM t GROUP BY GROUPING SETS ((k), (n))',
    ],
  ])('have a row of the empty set: %s', (canonical, expected) => {
    expect(written(canonical)).toBe(expected);
  });
});
