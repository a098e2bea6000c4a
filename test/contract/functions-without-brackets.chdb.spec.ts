import { MillraceError } from '@app/platform';
import { openGuardedEngine, PEOPLE, type GuardedEngine } from './guarded-engine.js';

/** A table `people` has the column, and `t` has not. */
const OF_A_COLUMN = (word: string): readonly string[] => [
  `SELECT ${word} FROM people`,
  `SELECT ${word} AS ${word} FROM people`,
  `SELECT lower(${word}) AS ${word} FROM people WHERE ${word} = 'own' GROUP BY ${word} ORDER BY ${word}`,
  `SELECT p.${word} FROM people AS p`,
  `SELECT ${word} FROM people AS p JOIN t ON p.id = t.id AND ${word} = 'own'`,
  `SELECT ${word} FROM t LEFT JOIN people AS p USING (id) WHERE ${word} != ''`,
  `SELECT p.id AS id, ${word} AS k FROM people AS p JOIN t USING (id)`,
  `SELECT ${word} FROM (SELECT ${word} FROM people)`,
  `SELECT ${word} FROM (SELECT * FROM people)`,
  `SELECT ${word} FROM (SELECT * EXCEPT (id) FROM people)`,
  `SELECT ${word} FROM (SELECT p.* FROM people AS p JOIN t USING (id))`,
  `SELECT ${word} FROM (SELECT p.${word}, t.id FROM people AS p JOIN t USING (id))`,
  `SELECT ${word} FROM (SELECT p.${word} FROM people AS p)`,
  `SELECT ${word} FROM (SELECT people.${word} FROM people)`,
  `SELECT ${word} FROM (SELECT name AS ${word} FROM t)`,
  `SELECT ${word} FROM (SELECT name FROM t) AS d(${word})`,
  `SELECT ${word} FROM (SELECT ${word} FROM people UNION ALL SELECT name FROM t)`,
  `WITH c AS (SELECT ${word} FROM people) SELECT ${word} FROM c`,
  `WITH c AS (SELECT name AS ${word} FROM t) SELECT c.id, ${word} FROM t AS c, c AS e`,
  `WITH c(${word}) AS (SELECT name FROM t) SELECT ${word} FROM c`,
  `WITH c AS (SELECT ${word} AS ${word} FROM people) SELECT name AS ${word} FROM t ORDER BY ${word}`,
  `WITH c AS (SELECT name FROM t) SELECT ${word} FROM c AS d(${word})`,
  `SELECT ${word} FROM (SELECT t.* FROM t AS x JOIN people AS t ON x.id = t.id)`,
  `SELECT ${word} FROM people UNION ALL SELECT ${word} FROM people AS p`,
  `SELECT name AS ${word}, concat(${word}, 'x') AS k FROM t WHERE ${word} = 'own' ORDER BY ${word}`,
  `SELECT ${word} FROM t ARRAY JOIN tags AS ${word}`,
  `SELECT arrayMap(${word} -> concat(${word}, 'x'), ['a']) AS k FROM t`,
  `SELECT arrayMap(x -> concat(${word}, x), ['a']) AS k FROM people`,
  `SELECT count() OVER (PARTITION BY ${word}) AS k FROM people`,
  `WITH ${word} AS x SELECT x FROM people`,
  `WITH 'a' AS ${word} SELECT ${word} FROM t`,
  `WITH name AS x, x AS ${word} SELECT ${word} FROM t`,
  `SELECT t.name AS ${word} FROM t JOIN u ON t.id = u.id GROUP BY ${word} ORDER BY ${word}`,
  `SELECT count() AS k FROM t WHERE EXISTS (SELECT 1 FROM people AS p WHERE ${word} = 'own' AND p.id = t.id)`,
];

/** The engine would call the function, at least for some rows. */
const OF_A_FUNCTION = (word: string): readonly string[] => [
  `SELECT ${word}`,
  `SELECT ${word} AS ${word} FROM t`,
  `SELECT name AS ${word} FROM t WHERE (${word} AS name) != ''`,
  `SELECT name AS ${word}, concat(${word}, '') AS name FROM t`,
  `SELECT (SELECT ${word}) AS ${word} FROM t`,
  `SELECT ${word} FROM people UNION ALL SELECT ${word} FROM t`,
  `WITH ${word} AS x SELECT x FROM people UNION ALL SELECT x FROM t`,
  `SELECT ${word} FROM t WHERE id IN (SELECT id FROM people WHERE ${word} = '')`,
  `SELECT ${word} FROM t WHERE EXISTS (SELECT ${word} FROM people)`,
  `SELECT id, ${word} FROM t AS people`,
  `SELECT ${word} FROM (SELECT id FROM people)`,
  `SELECT ${word} FROM (SELECT * EXCEPT (${word}) FROM people)`,
  `SELECT ${word} FROM (SELECT * APPLY (lower) FROM (SELECT ${word} FROM people))`,
  `SELECT ${word} FROM (SELECT ${word} FROM people) AS d(k)`,
  `WITH c(k) AS (SELECT ${word} FROM people) SELECT ${word} FROM c`,
  `WITH lower AS (SELECT name FROM t) SELECT lower(${word}) AS k FROM lower`,
  `SELECT ${word} FROM (SELECT name FROM t) AS e, numbers(3) AS e(${word})`,
  `SELECT ${word} FROM (SELECT * FROM t ARRAY JOIN tags AS ${word})`,
  `SELECT ${word} FROM t ARRAY JOIN [${word}] AS ${word}`,
  `SELECT ${word} FROM (SELECT untuple((1, 2)) AS ${word})`,
  `SELECT t.id FROM t JOIN u ON t.id = u.id AND ${word} != '' JOIN people AS p ON p.id = t.id`,
  `WITH ${word} AS x SELECT t.id FROM t JOIN u ON t.id = u.id AND x != '' JOIN people AS p ON p.id = t.id`,
  `WITH (x -> ${word}) AS f, c AS (SELECT f(1) AS k, id FROM t) SELECT k FROM c JOIN people AS p USING (id)`,
  `SELECT arrayMap(x -> (upper(x) AS ${word}), ['a']) AS k, ${word} FROM t`,
  `WITH (x -> x) AS ${word} SELECT ${word} FROM t`,
  `WITH (x -> x) AS f, f AS ${word} SELECT concat(${word}, '') AS k FROM t`,
  `WITH (x -> x) AS f, f AS g SELECT arrayMap(g AS ${word}, tags) AS k, ${word} FROM t`,
  `WITH c AS (SELECT 1 AS k), c AS ${word} SELECT ${word} FROM t`,
  `WITH c AS (SELECT 1) SELECT id IN (c AS ${word}) AS k, ${word} FROM t`,
  `WITH nothing AS ${word} SELECT ${word} FROM t`,
  `WITH t.nothing AS ${word} SELECT ${word} FROM t`,
  `WITH upper(nothing AS ${word}) AS k SELECT ${word} FROM t`,
  `WITH nothing AS k, k AS nothing, nothing AS ${word} SELECT ${word} FROM t`,
  `SELECT ${word} FROM t WINDOW w AS (PARTITION BY (nothing AS ${word}))`,
  `SELECT sum(id) OVER ${word} AS k, ${word} FROM t WINDOW ${word} AS (PARTITION BY name)`,
  `SELECT arrayMap(${word} -> ${word}, [${word}]) AS k FROM t`,
  `SELECT id, name FROM t ORDER BY id WITH FILL FROM -3 INTERPOLATE (name AS ${word})`,
  `SELECT * REPLACE (${word} AS name) FROM t`,
  `SELECT * APPLY (x -> ${word}) FROM t`,
  `SELECT sum(id) OVER (PARTITION BY ${word}) AS k FROM t`,
  `SELECT 'a' IN ${word} FROM t`,
  `WITH ${word} AS (SELECT 'a') SELECT 'a' IN ${word} FROM t`,
  `SELECT ${word} FROM t AS ${word}`,
];

describe('names that may be functions of the session', () => {
  let engine: GuardedEngine;
  beforeAll(async () => {
    engine = await openGuardedEngine();
  });
  afterAll(() => engine.close());

  const messageOf = async (sql: string): Promise<string> => {
    const answer: unknown = await engine.run(sql).catch((error: unknown) => error);
    if (typeof answer === 'string') return `answered ${answer}`;
    return answer instanceof MillraceError
      ? `${String(answer.status)} ${answer.message}`
      : String(answer);
  };

  describe.each(['user', 'schema', 'database', 'current_user', 'session_user'])('%s', (word) => {
    it.each(OF_A_COLUMN(word))('is a column in %s', async (sql) => {
      const answer = await engine.run(sql);
      expect(answer).not.toMatch(/o_[0-9a-f]{32}/);
      expect(JSON.parse(answer)).not.toEqual([]);
    });

    it.each(OF_A_FUNCTION(word))('tells nothing in %s', async (sql) => {
      expect(await messageOf(sql)).toMatch(
        /^(?:403 .*is not allowed|400 there is no (?:column|function untuple)|400 .*cannot look at)/,
      );
    });
  });

  it('names the way to the column', async () => {
    const sql = `SELECT user FROM (SELECT * EXCEPT ('x.*') FROM ${PEOPLE})`;
    expect(await messageOf(sql)).toMatch(/a column is named with its table's name, as t.user/);
    const named = `SELECT d.user FROM (SELECT * EXCEPT ('x.*') FROM ${PEOPLE}) AS d LIMIT 1`;
    expect(JSON.parse(await engine.run(named))).toEqual([{ user: 'own' }]);
  });
});
