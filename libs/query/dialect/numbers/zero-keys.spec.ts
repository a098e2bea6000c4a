import { processorMs } from '../../../../test/processor-time.js';
import { inEngineWords, type Surroundings } from '../standard-sql.js';

const SURROUNDINGS: Surroundings = {
  typeOfColumn: (name) =>
    name === 'v' ? 'Nullable(Float64)' : name === 'n' ? 'Nullable(Int64)' : undefined,
  spelling: () => undefined,
  table: () => undefined,
  session: () => undefined,
};
const written = (canonical: string): string => inEngineWords(canonical, SURROUNDINGS);
const ONE = 'if((v) = 0, 0, v)';
const ONE_OF_T = 'if((t.v) = 0, 0, t.v)';

const many = (count: number, piece: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => piece(at)).join(', ');

describe('floats by which a SELECT groups', () => {
  it.each([
    ['SELECT v, n FROM t GROUP BY v, n', `SELECT ${ONE} AS \`v\`, n FROM t GROUP BY ${ONE}, n`],
    ['SELECT v AS w FROM t GROUP BY w', `SELECT ${ONE} AS w FROM t GROUP BY w`],
    ['SELECT v AS w FROM t GROUP BY 1', `SELECT ${ONE} AS w FROM t GROUP BY 1`],
    ['SELECT t.v AS v FROM t GROUP BY v', `SELECT ${ONE_OF_T} AS v FROM t GROUP BY ${ONE}`],
    ['SELECT v AS w FROM t GROUP BY t.v', `SELECT ${ONE} AS w FROM t GROUP BY ${ONE_OF_T}`],
    [
      'SELECT t.v AS v, n FROM t INNER JOIN u ON t.n = u.n GROUP BY v, n ORDER BY v',
      `SELECT ${ONE_OF_T} AS v, n FROM t INNER JOIN u ON t.n = u.n GROUP BY (${ONE_OF_T}), n ORDER BY 1`,
    ],
    ['SELECT DISTINCT v AS w FROM t', `SELECT DISTINCT ${ONE} AS w FROM t`],
    ['SELECT n FROM t WHERE v = 1 GROUP BY n', 'SELECT n FROM t WHERE v = 1 GROUP BY n'],
  ])('have one zero: %s', (canonical, expected) => {
    expect(written(canonical)).toBe(expected);
  });

  it.each([
    ['SELECT v IN (0) AS x FROM t', 'v IN (0, -0.0)'],
    ['SELECT v IN (0., 1) AS x FROM t', 'v IN (0., -0.0, 1)'],
    ['SELECT v IN (-0.) AS x FROM t', 'v IN (-0., 0)'],
    ['SELECT n IN (0) AS x FROM t', 'n IN (0)'],
  ])('are looked for with both zeros: %s', (canonical, expected) => {
    expect(written(canonical)).toContain(expected);
  });

  it.each([
    [
      'keys',
      `SELECT ${many(8000, (at) => `n + ${at}`)} FROM t GROUP BY ${many(8000, (at) => `v + ${at}`)}`,
    ],
    [
      'names',
      `SELECT ${many(8000, (at) => `v AS a${at}`)} FROM t GROUP BY ${many(8000, (at) => `a${at}`)}`,
    ],
    [
      'tables',
      `SELECT n FROM ${many(8000, (at) => `t AS t${at}`)} GROUP BY ${many(8000, () => 'v')}`,
    ],
  ])('are found quickly among many %s', (_, canonical) => {
    const begun = processorMs();
    try {
      written(canonical);
    } catch (error) {
      expect(String(error)).toMatch(/too long when its functions|too many columns of too many/);
    }
    expect(processorMs() - begun).toBeLessThan(3000);
  });
});
