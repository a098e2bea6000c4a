import { describedSelect } from './described-select.js';

describe('describedSelect', () => {
  it.each([
    ['DESCRIBE SELECT 1 AS n', 'SELECT 1 AS n'],
    ['desc select "a;b" from t ;', 'select "a;b" from t'],
    ['DESCRIBE TABLE (SELECT 1)', 'SELECT * FROM (SELECT 1)'],
    [' DESCRIBE (SELECT 1) -- end', 'SELECT * FROM (SELECT 1)'],
    ['DESCRIBE WITH a AS (SELECT 1) SELECT * FROM a', 'WITH a AS (SELECT 1) SELECT * FROM a'],
  ])('finds the statement of %s', (text, inner) => {
    expect(describedSelect(text)).toBe(inner);
  });

  it.each([
    'DESCRIBE t',
    'DESCRIBE TABLE t',
    'DESC "select"',
    'DESCRIBE values;',
    'DESCRIBE TABLE values',
    'SELECT 1',
    'EXPLAIN SELECT 1',
    'DESCRIBE',
  ])('finds none in %s', (text) => {
    expect(describedSelect(text)).toBeUndefined();
  });
});
