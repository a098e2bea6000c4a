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
