import { inEngineWords } from '../standard-sql.js';

const written = (canonical: string): string =>
  inEngineWords(canonical, {
    typeOfColumn: () => undefined,
    spelling: () => undefined,
    table: () => undefined,
    session: () => undefined,
  });

/** Subqueries of aggregates have a value where they find no rows, and the engine has none. */
describe('subqueries of aggregates', () => {
  it.each([
    [
      '(SELECT count() FROM u WHERE u.k = t.k)',
      'ifNull((SELECT count() FROM u WHERE u.k = t.k), 0)',
    ],
    [
      "(SELECT multiIf(count() = 0, 'none', 'some') FROM u WHERE u.k = t.k)",
      "arrayElement(arrayPushBack((SELECT [multiIf(count() = 0, 'none', 'some')] AS listed FROM u WHERE u.k = t.k), multiIf(0 = 0, 'none', 'some')), 1)",
    ],
    [
      '(SELECT max(v) IS NULL FROM u WHERE u.k = t.k)',
      "arrayElement(arrayPushBack((SELECT [CAST(max(v) IS NULL, 'Bool')] AS listed FROM u WHERE u.k = t.k), CAST(NULL IS NULL, 'Bool')), 1)",
    ],
    [
      '(SELECT count() AS n FROM u WHERE u.k = t.k HAVING n > 1)',
      'arrayElement(arrayPushBack((SELECT [if((count()) > 1, count(), NULL)] AS listed FROM u WHERE u.k = t.k), if((0) > 1, 0, NULL)), 1)',
    ],
    [
      'exists((SELECT 1 FROM u WHERE u.k = t.k HAVING count() = 0))',
      '(arrayElement(arrayPushBack(((SELECT [ifNull(count() = 0, 0)] AS listed FROM u WHERE u.k = t.k)), ifNull(0 = 0, 0)), 1) = 1)',
    ],
    [
      'exists((SELECT max(v) FROM u WHERE u.k = t.k))',
      '(arrayElement(arrayPushBack(((SELECT [count() >= 0] AS listed FROM u WHERE u.k = t.k)), 1), 1) = 1)',
    ],
    [
      '(SELECT n + 1 FROM (SELECT count() AS n FROM u WHERE u.k = t.k))',
      "arrayElement(arrayPushBack((SELECT [accurateCast(toInt128(n) + 1, 'Nullable(UInt64)')] AS listed FROM (SELECT count() AS n FROM u WHERE u.k = t.k)), accurateCast(toInt128((0)) + 1, 'Nullable(UInt64)')), 1)",
    ],
  ])('%s', (subquery, expected) => {
    expect(written(`SELECT a FROM t WHERE x = ${subquery}`)).toContain(`x = ${expected}`);
  });

  it.each([
    '(SELECT max(v) AS m FROM u WHERE u.k = t.k)',
    '(SELECT v FROM u WHERE u.k = t.k)',
    '(SELECT s.n FROM (SELECT count() AS n FROM u) AS s)',
    '(SELECT count() AS n FROM u GROUP BY k)',
  ])('leaves a subquery whose value is missing with its row: %s', (subquery) => {
    expect(written(`SELECT a FROM t WHERE x = ${subquery}`)).not.toContain('arrayPushBack');
  });
});
