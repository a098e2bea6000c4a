import { startEdge, type Edge } from '../server/start-edge.js';
import { CAMPAIGN } from '../rounds.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { COLUMN_WORDS, FREE_WORDS, RESERVED_WORDS, TYPE_WORDS } from '../fixtures/sql-words.js';

const AT_ONCE = 4;
const TIMEOUT_MS = 180_000;
/** Functions without brackets, of the engine or of the standard: columns of that name are written `t.user`. */
const CALLED = new Set(['database', 'schema', 'user']);
/** Words that begin a clause where such a name would stand: there they want quotes. */
const OF_GROUP_BY = new Set(['cube', 'rollup']);
const OF_WITH = new Set(['recursive']);
/** Each fourth, and those that are common; the campaign takes all. */
const COMMON = /^(?:date|interval|materialized|name|range|returns|time|timestamp|type|value|year)$/;
const some = (words: readonly string[]): readonly string[] =>
  words.filter((word, at) => CAMPAIGN || at % 4 === 0 || COMMON.test(word));
const FREE = some(FREE_WORDS);
const NAMES = [...FREE, ...some(COLUMN_WORDS)];

/** People call columns `returns`, `date` or `RANGE`; in other databases nearly every word may be a name. */
describe('words of SQL as names', () => {
  let server: BorrowedServer;
  let edge: Edge;
  beforeAll(async () => {
    [server, edge] = await Promise.all([
      borrowServer(),
      startEdge(['--table', 'cities=uk_cities_with_headers.csv']),
    ]);
  });
  afterAll(() => Promise.all([server.giveBack(), edge.stop()]));

  /** @returns statements that answer something else, with what they answer */
  async function failing(
    asked: readonly (readonly [sql: string, rows: readonly object[]])[],
    ask: (sql: string) => Promise<string>,
  ): Promise<readonly string[]> {
    const failed: string[] = [];
    const rest = asked.values();
    const one = async (): Promise<void> => {
      for (const [sql, rows] of rest) {
        const said = await ask(sql);
        const isRows = said.startsWith('[');
        if (!isRows || JSON.stringify(JSON.parse(said)) !== JSON.stringify(rows))
          failed.push(`${sql}: ${said.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return failed.sort();
  }
  const hosted = async (sql: string): Promise<string> =>
    (await server.client.call('sql', { body: sql })).bytes.toString();
  const inCases = (all: readonly string[]): readonly string[] =>
    all.flatMap((word) => [word, word.toUpperCase()]);

  it(
    'may stand behind AS, every one',
    async () => {
      const all = inCases([...NAMES, ...some(TYPE_WORDS), ...some(RESERVED_WORDS)]);
      const asked = all.map((word) => [`SELECT 1 AS ${word}`, [{ [word]: 1 }]] as const);
      expect(await failing(asked, hosted)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'name columns of a SELECT in FROM, in each other case',
    async () => {
      const asked = NAMES.filter((word) => !CALLED.has(word)).flatMap((lower) => {
        const upper = lower.toUpperCase();
        const rows = [{ [lower]: 3 }];
        const inner = `(SELECT 1 AS ${upper} UNION ALL SELECT 2 AS ${lower})`;
        return [
          [`SELECT ${lower} FROM (SELECT 3 AS ${lower}) t`, rows],
          [`SELECT sum(${lower}) AS ${lower} FROM ${inner} t WHERE ${upper} > 0 ORDER BY ${lower}`, rows], // prettier-ignore
          [`WITH t AS ${inner} SELECT sum(t.${lower}) AS n FROM t GROUP BY t.${upper} HAVING max(t.${lower}) = 2`, [{ n: 2 }]], // prettier-ignore
        ] as const;
      });
      expect(await failing(asked, hosted)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'name tables of FROM and of WITH',
    async () => {
      const asked = FREE.filter((word) => !OF_WITH.has(word)).flatMap((lower) => {
        const upper = lower.toUpperCase();
        return [
          [`SELECT ${lower}.a FROM (SELECT 1 AS a) AS ${lower}`, [{ a: 1 }]],
          [`WITH ${upper} AS (SELECT 1 AS a) SELECT ${lower}.a FROM ${lower}`, [{ a: 1 }]],
        ] as const;
      });
      expect(await failing(asked, hosted)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'name columns of a stream',
    async () => {
      await server.client.upload('words', [Object.fromEntries(NAMES.map((word, n) => [word, n]))]);
      const asked = NAMES.flatMap((word, n) => [
        [`SELECT ${word} FROM words WHERE ${word} = ${n} ORDER BY ${word}`, [{ [word]: n }]] as const, // prettier-ignore
        [`SELECT max(w.${word.toUpperCase()}) AS n FROM words w GROUP BY ${OF_GROUP_BY.has(word) ? `w.${word}` : word}`, [{ n }]] as const, // prettier-ignore
      ]);
      expect(await failing(asked, hosted)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'mean the same in the edge program',
    async () => {
      const asked = FREE.filter((word) => !CALLED.has(word)).map((word) => {
        const inner = `(SELECT 1 AS ${word.toUpperCase()})`;
        return [`SELECT ${word} + 1 AS ${word} FROM ${inner} t`, [{ [word]: 2 }]] as const;
      });
      const ask = async (sql: string): Promise<string> => (await edge.sql(sql)).text;
      expect(await failing(asked, ask)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  /** Words of which the engine's print leaves the quotes out, and then reads something else. */
  it('name columns in quotes, also where the engine has a value of that name', async () => {
    const names = ['true', 'FALSE', 'not', 'nan', 'Inf', 'infinity', 'null', 'top', 'on', 'as'];
    const record = Object.fromEntries(names.map((name) => [name, `is ${name}`]));
    await server.client.upload('printed', [record]);
    const asked = names.flatMap((name) => {
      const value = `is ${name}`;
      return [
        [`SELECT "${name}" FROM printed`, [{ [name]: value }]],
        [`SELECT DISTINCT "${name}", upper("${name}") AS u FROM printed`, [{ [name]: value, u: value.toUpperCase() }]], // prettier-ignore
        [`SELECT count(*) AS n FROM printed p WHERE "${name}" = '${value}' GROUP BY "${name}" HAVING max(p."${name}") <> ''`, [{ n: 1 }]], // prettier-ignore
        [
          `SELECT "${name}"::text AS a FROM printed ORDER BY \`${name}\` DESC LIMIT 1`,
          [{ a: value }],
        ],
        [`WITH "${name}" AS (SELECT "${name}" FROM printed) SELECT "${name}" FROM "${name}"`, [{ [name]: value }]], // prettier-ignore
        [`SELECT 1 AS "${name}", "${name}" + 1 AS two`, [{ [name]: 1, two: 2 }]],
      ] as const;
    });
    await server.client.upload('within', [{ l: [{ nan: 1 }], o: { true: { inf: 2 } } }]);
    const within = [
      ['SELECT CAST(l[1]."nan" AS int) AS n, CAST(o."true"."inf" AS int) AS i FROM within', [{ n: 1, i: 2 }]], // prettier-ignore
      ['SELECT "nan".a FROM (SELECT 1 AS a) AS "nan"', [{ a: 1 }]],
      [`SELECT '"nan"' AS a, 1 AS "nan" /* "true" */ -- "inf"`, [{ a: '"nan"', nan: 1 }]],
    ] as const;
    expect(await failing([...asked, ...within], hosted)).toEqual([]);
    for (const name of names) {
      const rows = await server.client.call(`tables/printed?columns=${name}&sort=-${name}&filter[${name}]=is ${name}`); // prettier-ignore
      expect(rows.json()).toEqual([{ [name]: `is ${name}` }]);
      const sql = `SELECT "${name}" FROM printed WHERE "${name}" = 'is ${name}'`;
      const found = await server.client.call('_search', {
        body: JSON.stringify({ query: { sql } }),
      });
      expect(found.json<{ hits: unknown }>().hits).toEqual([{ [name]: `is ${name}` }]);
    }
  });

  it('read a column top behind SELECT, and TOP with a number as it is', async () => {
    await server.client.upload('boxes', [{ top: 1, left: 2 }]);
    const asked = [
      ['SELECT top FROM boxes', [{ top: 1 }]],
      ['SELECT DISTINCT top + 1 AS n FROM boxes', [{ n: 2 }]],
      ['SELECT top, "left" FROM boxes', [{ top: 1, left: 2 }]],
      ['SELECT TOP 1 "left" FROM boxes', [{ left: 2 }]],
    ] as const;
    expect(await failing(asked, hosted)).toEqual([]);
  });

  it('are no keys where the engine would index a value of that name', async () => {
    await server.client.upload('keyed', [{ nan: 'a', true: 'b', top: 'c' }]);
    const set = (settings: object) =>
      server.client.call('streams/keyed/settings', {
        method: 'PUT',
        body: JSON.stringify(settings),
      });
    for (const keys of [{ partition_keys: ['nan'] }, { full_text_search_keys: ['true'] }]) {
      const refused = await set(keys);
      expect(refused.status).toBe(400);
      expect(refused.bytes.toString()).toContain('can have no index');
    }
    expect((await set({ partition_keys: ['top'] })).status).toBe(200);
    expect(await server.client.upload('keyed', [{ nan: 'd' }])).toMatchObject({ failed: 0 });
  });
});
