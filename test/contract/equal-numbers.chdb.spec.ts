import { openGuardedEngine, type GuardedEngine } from './guarded-engine.js';

/** Only the integer and the float with id 1 are equal. All of the floats are even. */
const NUMBERS = `SELECT id, CAST(9007199254740993 + id AS BIGINT) AS i, CAST(9007199254740992 AS DOUBLE) + id * 2 AS f FROM t`;

describe('integers beside floats', () => {
  let engine: GuardedEngine;
  beforeAll(async () => {
    engine = await openGuardedEngine();
  });
  afterAll(() => engine.close());

  const answerTo = async (sql: string): Promise<unknown> => JSON.parse(await engine.run(sql));

  it('are equal where no digit differs', async () => {
    const same = 'i = f AS a, f = i AS b, i IS NOT DISTINCT FROM f AS c';
    const other = 'i != f AS d, i IS DISTINCT FROM f AS e';
    expect(await answerTo(`SELECT ${same}, ${other} FROM (${NUMBERS}) ORDER BY id`)).toEqual(
      [false, true, false].map((is) => ({ a: is, b: is, c: is, d: !is, e: !is })),
    );
  });

  it('are among each other where no digit differs', async () => {
    const rows = (column: string): string => `SELECT ${column} FROM (${NUMBERS})`;
    const columns = [
      `i IN (${rows('f')}) AS a`,
      `f IN (${rows('i')}) AS b`,
      `i NOT IN (${rows('f')}) AS c`,
      `f NOT IN (${rows('i')}) AS d`,
      `v / 3 + 0.5 IN (${rows('id')}) AS e`,
    ];
    const sql = `SELECT ${columns.join(', ')} FROM (SELECT *, 1.5 AS v FROM (${NUMBERS})) ORDER BY id`;
    expect(await answerTo(sql)).toEqual(
      [false, true, false].map((is) => ({ a: is, b: is, c: !is, d: !is, e: true })),
    );
    expect(await answerTo(`SELECT id FROM (${NUMBERS}) WHERE f IN (${rows('i')})`)).toEqual([{ id: 1 }]); // prettier-ignore
    expect(await answerTo(`SELECT id FROM (${NUMBERS}) WHERE i IN (${rows('f')})`)).toEqual([{ id: 1 }]); // prettier-ignore
  });

  it.each(['x.i = y.f', 'x.i IS NOT DISTINCT FROM y.f'])('are keys of a join: %s', async (on) => {
    const sql = `SELECT x.id AS a, y.id AS b FROM (${NUMBERS}) AS x JOIN (${NUMBERS}) AS y ON ${on}`;
    expect(await answerTo(sql)).toEqual([{ a: 1, b: 1 }]);
  });

  it('are compared with nulls, with what is no number, and with both zeros', async () => {
    const float = (text: string): string => `CAST(${text} AS DOUBLE)`;
    const columns = [
      `id = ${float('NULL')} AS a`,
      `id IS DISTINCT FROM ${float('NULL')} AS b`,
      `id = ${float("'NaN'")} AS c`,
      `id = ${float("'-Infinity'")} AS d`,
      'id = v * -0.0 AS e',
      'id = v AS f',
    ];
    expect(await answerTo(`SELECT ${columns.join(', ')} FROM t ORDER BY id`)).toEqual(
      [true, false, false].map((is) => ({ a: null, b: true, c: false, d: false, e: is, f: is })),
    );
  });
});
