import { countSelect, withCount } from './count-view.js';

const tables = new Map<string, { count: string | undefined }>([
  ['t', { count: 'SELECT 1' }],
  ['t-1', { count: 'SELECT 1' }],
  ['csv', { count: undefined }],
]);
const sqlOf = (sql: string): string => withCount({ sql, format: 'json' }, tables).sql;

describe('a count of all rows', () => {
  it.each([
    ['SELECT count() FROM t', 'SELECT n AS `count()` FROM `count(t)`'],
    ['SELECT COUNT(*) FROM t', 'SELECT n AS `COUNT()` FROM `count(t)`'],
    ['SELECT count(1) FROM t', 'SELECT n AS `count(1)` FROM `count(t)`'],
    ['SELECT count() AS n FROM `t-1`', 'SELECT n AS n FROM `count(t-1)`'],
    ['SELECT count() AS `a b` FROM t', 'SELECT n AS `a b` FROM `count(t)`'],
  ])('%s is asked of the view that tells', (sql, expected) => {
    expect(sqlOf(sql)).toBe(expected);
  });

  it.each([
    'SELECT count() FROM csv',
    'SELECT count() FROM none',
    'SELECT count(a) FROM t',
    'SELECT count(*) FROM t WHERE a = 1',
    'SELECT count() FROM t AS u',
    'SELECT count() FROM t, t AS u',
    'SELECT count(), 1 FROM t',
    'SELECT count() FROM d.t',
    'EXPLAIN SELECT count() FROM t',
    'SELECT 1',
  ])('%s is left as it is', (sql) => {
    expect(sqlOf(sql)).toBe(sql);
  });

  it('looks at the files each time', () => {
    expect(countSelect("file('a')", { x: '1' })).toBe(
      "SELECT count() AS n FROM file('a') SETTINGS x = 1, use_cache_for_count_from_files = 0",
    );
  });
});
