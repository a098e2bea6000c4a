import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MillraceError, type RequestOrganization } from '@app/platform';
import {
  Catalog,
  Guard,
  OrganizationQueries,
  QueryPipeline,
  type TableDescription,
} from '@app/query';
import type { Warehouse } from '@app/warehouse';
import { openChdb } from '../../libs/warehouse/chdb/open-chdb.js';

const OWN: RequestOrganization = { id: 'A', name: 'a', database: `o_${'a'.repeat(32)}` };
const OTHER = `o_${'b'.repeat(32)}`;
const CANARY = 'CANARY-9d1c';
const COLUMNS = [
  { name: 'id', type: 'Nullable(Int64)' },
  { name: 'name', type: 'Nullable(String)' },
  { name: 'v', type: 'Nullable(Float64)' },
  { name: 'tags', type: 'Array(Nullable(String))' },
  { name: 'doc', type: 'JSON' },
];
const NAMES = ['t', 'u', 'web-1.access', 'system.tables'];

class FixedCatalog extends Catalog {
  tables(): readonly TableDescription[] {
    return NAMES.map((name) => ({ name, columns: COLUMNS }));
  }
  table(_organization: RequestOrganization, name: string): TableDescription | undefined {
    return this.tables().find((table) => table.name === name);
  }
}

interface Hostile {
  readonly id: string;
  readonly sql: string;
}

describe('the guard, with a real engine and a second organization beside', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-guard-'));
  let warehouse: Warehouse;
  let queries: QueryPipeline;

  beforeAll(async () => {
    const limits = {
      timeoutSeconds: 3,
      memoryBytes: 1 << 29,
      readRows: 1e10,
      readBytes: 1e12,
      resultRows: 100_000,
      resultBytes: 1 << 28,
    };
    const opened = openChdb({
      directory: join(directory, 'engine'),
      limits,
      readers: 4,
      acceptors: 1,
    });
    warehouse = opened.warehouse;
    queries = new QueryPipeline(
      new Guard(warehouse, new FixedCatalog()),
      warehouse,
      new OrganizationQueries({
        running: 4,
        waiting: 100,
        waitSeconds: 10,
        seconds: 1e9,
        resultBytes: 1e15,
      }),
    );
    writeFileSync(join(directory, 'canary.txt'), CANARY);
    writeFileSync(join(directory, 'canary.csv'), `token\n${CANARY}\n`);
    mkdirSync(join(directory, 'out'));
    const fill = async (database: string, table: string, name: string): Promise<void> => {
      await warehouse.createDatabase(database);
      await warehouse.createTable({ database, table }, COLUMNS, '01S');
      const file = join(directory, 'batch.native');
      await opened.localEngine.run(
        `INSERT INTO FUNCTION file('${file}', Native) SELECT toDateTime64('2026-01-01 00:00:00', 6, 'UTC') AS _timestamp, number AS id, '${name}' AS name, number / 2 AS v, ['x', toString(number)] AS tags, '{"a":{"b":1}}'::JSON AS doc FROM numbers(3)`,
      );
      const columns = ['_timestamp', ...COLUMNS.map((column) => column.name)];
      await warehouse.insert({
        table: { database, table },
        streamId: '01S',
        columns,
        batches: [{ position: { partition: 0, offset: 1n }, file }],
      });
    };
    for (const table of NAMES) await fill(OWN.database, table, 'own');
    for (const table of ['secret', 't']) await fill(OTHER, table, CANARY);
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = async (sql: string): Promise<string> =>
    text(
      await queries.run({
        sql,
        organization: OWN,
        format: 'json',
        signal: AbortSignal.timeout(10_000),
      }),
    );

  const hostile = JSON.parse(
    readFileSync(join(import.meta.dirname, '../fixtures/hostile-sql.json'), 'utf8'),
  ) as readonly Hostile[];
  const ours = [
    `SELECT * FROM ${OTHER}.secret`,
    `SELECT * FROM \`${OTHER}\`.\`secret\``,
    'SELECT * FROM system.tables',
    'SELECT * FROM `system`.`tables`',
    `SELECT 1 FROM t WHERE name IN ${OTHER}.secret`,
    `SELECT name IN (SELECT name FROM ${OTHER}.secret) FROM t`,
    `SELECT (SELECT any(name) FROM ${OTHER}.secret)`,
    `SELECT name FROM t UNION ALL SELECT name FROM ${OTHER}.secret`,
    'SELECT currentDatabase()',
    "SELECT file('{dir}/canary.txt')",
    "SELECT * FROM file('{dir}/canary.csv', CSVWithNames)",
    'SELECT * FROM `{dir}/canary.csv`',
    "SELECT * APPLY (x -> file('{dir}/canary.txt')) FROM t",
    "SELECT arrayMap(x -> file('{dir}/canary.txt'), [1])",
    `SELECT * FROM merge('${OTHER}', '.*')`,
    `SELECT * FROM t; SELECT * FROM ${OTHER}.secret`,
    `SELECT * FROM t) UNION ALL (SELECT * FROM ${OTHER}.secret`,
    `SELECT 1) SETTINGS max_execution_time = 0, limit = 1 --`,
    'SELECT * FROM t SETTINGS max_execution_time = 100',
    'DROP TABLE t',
    'INSERT INTO t (id) VALUES (1)',
    'USE system',
    'SYSTEM SHUTDOWN',
    'EXPLAIN SELECT * FROM t',
    'SELECT sleep(3)',
    'SELECT sleepEachRow(1) FROM t',
    "SELECT getSetting('readonly')",
    'SELECT hostName(), serverUUID(), currentUser()',
    // An alias that looks like the print of an identifier, or like lines of a print.
    'SELECT name FROM system.databases AS "x, identifier: t, final: 0"',
    'SELECT name FROM system.databases AS "x, identifier: t\nCONSTANT id: 9"',
    `SELECT name FROM ${OTHER}.secret AS "x, identifier: t, final: 0"`,
    'SELECT 1 AS "a\nCONSTANT id: 1" IN system.one',
    "SELECT COLUMNS('a\\n      JOIN TREE') FROM system.databases",
    // A name that is printed without its quotes, and so becomes another statement.
    "SELECT * APPLY `id FROM t); SELECT 1 INTO OUTFILE '{dir}/out1.txt'; SELECT (1` FROM t",
    'SELECT * APPLY `id FROM t UNION ALL SELECT name FROM system.databases --` FROM t',
    // Common table expressions named like tables.
    'WITH "system.databases" AS (SELECT 1) SELECT * FROM system.databases',
    `WITH "${OTHER}.secret" AS (SELECT 1) SELECT * FROM ${OTHER}.secret`,
    'SELECT * FROM _audit, (WITH _audit AS (SELECT 1) SELECT * FROM _audit)',
    "SELECT ('a', 'b') IN _audit",
    'SELECT _database FROM t',
    'SELECT t._database FROM t',
    "SELECT finalizeAggregation(CAST(unhex('ff'), 'AggregateFunction(groupBitmap, UInt32)'))",
  ];

  it('knows enough hostile statements', () => {
    expect(hostile.length + ours.length).toBeGreaterThan(120);
  });

  it.each([...ours.map((sql, index) => ({ id: `own-${index}`, sql })), ...hostile])(
    '$id: $sql',
    async ({ sql }) => {
      const statement = sql
        .replaceAll('{dir}', directory)
        .replaceAll('{cluster}', 'default')
        .replace(/\borg_a\./g, `${OWN.database}.`)
        .replace(/\borg_b\b/g, OTHER);
      const answer = await run(statement).catch((error: unknown) => error as Error);
      if (typeof answer === 'string') {
        expect(answer).not.toContain(CANARY);
        expect(answer).not.toContain('o_');
        expect(answer).not.toContain('root:');
      } else {
        // Refused in words of ours, which give nothing away; or cut off in the middle by a limit.
        expect(['MillraceError', 'WarehouseError']).toContain(answer.name);
        const { message, detail = '' } = answer as MillraceError;
        expect(message + detail).not.toContain(CANARY);
        expect((message + detail).replaceAll(statement, '')).not.toMatch(
          /EXPLAIN QUERY TREE|formatQuerySingleLine/,
        );
      }
      expect(readdirSync(directory).sort()).toEqual([
        'batch.native',
        'canary.csv',
        'canary.txt',
        'engine',
        'out',
      ]);
      expect(existsSync(join(directory, 'out1.txt'))).toBe(false);
    },
    15_000,
  );

  it('has left everything as it was', async () => {
    expect(
      await warehouse.text({
        sql: 'SELECT count() FROM t',
        database: OWN.database,
        format: 'text',
      }),
    ).toBe('3\n');
    expect(
      await warehouse.text({ sql: 'SELECT count() FROM secret', database: OTHER, format: 'text' }),
    ).toBe('3\n');
  });

  it.each([
    ['SELECT count() AS n FROM t', [{ n: 3 }]],
    ['SELECT id FROM t ORDER BY id DESC LIMIT 1', [{ id: 2 }]],
    ['SELECT `id` FROM "web-1.access" WHERE id = 1', [{ id: 1 }]],
    ['SELECT sum(id) AS s, avg(v) AS a FROM t', [{ s: 3, a: 0.5 }]],
    ['SELECT sumIf(id, id > 1) AS s FROM t', [{ s: 2 }]],
    ['SELECT quantile(0.5)(v) AS q FROM t', [{ q: 0.5 }]],
    ['SELECT quantilesExact(0.5, 0.9)(id) AS q FROM t', [{ q: [1, 2] }]],
    ['SELECT uniqExact(name) AS n, countDistinct(id) AS d FROM t', [{ n: 1, d: 3 }]],
    ['SELECT groupArray(id) AS g FROM (SELECT id FROM t ORDER BY id)', [{ g: [0, 1, 2] }]],
    ['WITH c AS (SELECT id FROM t WHERE id > 0) SELECT count() AS n FROM c', [{ n: 2 }]],
    ['WITH 2 AS k SELECT id * k AS d FROM t WHERE id = 1', [{ d: 2 }]],
    ['SELECT a.id AS id FROM t AS a JOIN u AS b ON a.id = b.id WHERE a.id = 2', [{ id: 2 }]],
    ['SELECT count() AS n FROM t LEFT JOIN u USING (id)', [{ n: 3 }]],
    ['SELECT count() AS n FROM t, u', [{ n: 9 }]],
    ['SELECT id FROM t WHERE id IN (SELECT max(id) FROM u)', [{ id: 2 }]],
    ['SELECT id FROM t WHERE id IN (1, 5)', [{ id: 1 }]],
    ["SELECT id FROM t WHERE has(tags, '2')", [{ id: 2 }]],
    ['SELECT tag FROM t ARRAY JOIN tags AS tag WHERE id = 0', [{ tag: 'x' }, { tag: '0' }]],
    ["SELECT arrayMap(x -> concat(x, '!'), tags) AS m FROM t WHERE id = 0", [{ m: ['x!', '0!'] }]],
    ['SELECT doc.a.b AS b FROM t LIMIT 1', [{ b: 1 }]],
    ['SELECT id, row_number() OVER (ORDER BY id) AS r FROM t WHERE id = 0', [{ id: 0, r: 1 }]],
    [
      'SELECT sum(id) OVER w AS s FROM t WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) ORDER BY s',
      [{ s: 0 }, { s: 1 }, { s: 3 }],
    ],
    ['SELECT id FROM t ORDER BY id LIMIT 1 BY name', [{ id: 0 }]],
    [
      'SELECT id FROM (SELECT id FROM t WHERE id = 0 UNION ALL SELECT id FROM u WHERE id = 1) ORDER BY id',
      [{ id: 0 }, { id: 1 }],
    ],
    ['SELECT id FROM t EXCEPT SELECT id FROM u WHERE id < 2', [{ id: 2 }]],
    ['SELECT DISTINCT name FROM t', [{ name: 'own' }]],
    [
      "SELECT multiIf(id = 0, 'a', id = 1, 'b', 'c') AS x FROM t ORDER BY id",
      [{ x: 'a' }, { x: 'b' }, { x: 'c' }],
    ],
    [
      "SELECT CASE WHEN id = 0 THEN 'zero' ELSE 'more' END AS x FROM t ORDER BY id LIMIT 1",
      [{ x: 'zero' }],
    ],
    ['SELECT id::String AS s, CAST(v AS String) AS f FROM t WHERE id = 1', [{ s: '1', f: '0.5' }]],
    [
      'SELECT toStartOfHour(_timestamp) AS h, count() AS n FROM t GROUP BY h',
      [{ h: '2026-01-01T00:00:00Z', n: 3 }],
    ],
    [
      "SELECT id FROM t WHERE _timestamp >= '2026-01-01' AND name LIKE 'o%' AND id BETWEEN 1 AND 1",
      [{ id: 1 }],
    ],
    [
      "SELECT extract('a1b22', '[0-9]+') AS e, splitByChar(',', 'a,b') AS s",
      [{ e: '1', s: ['a', 'b'] }],
    ],
    ['SELECT number FROM numbers(2)', [{ number: 0 }, { number: 1 }]],
    ['SELECT count() AS n FROM t GROUP BY name HAVING n > 1', [{ n: 3 }]],
    [
      'SELECT name, count() AS n FROM t GROUP BY ROLLUP(name) ORDER BY name NULLS LAST LIMIT 1',
      [{ name: 'own', n: 3 }],
    ],
    ['SELECT EXISTS(SELECT 1 FROM u) AS e', [{ e: 1 }]],
    [
      'SELECT * EXCEPT (tags, doc, _timestamp) FROM t WHERE id = 1',
      [{ id: 1, name: 'own', v: 0.5 }],
    ],
    ["SELECT COLUMNS('^id$') FROM t WHERE id = 1", [{ id: 1 }]],
    ['SELECT n FROM (SELECT 1 AS n) ORDER BY n WITH FILL FROM 1 TO 3', [{ n: 1 }, { n: 2 }]],
    ['SELECT argMax(name, id) AS a, any(name) AS b FROM t', [{ a: 'own', b: 'own' }]],
    [
      'SELECT a.id AS id FROM t AS a ASOF JOIN u AS b ON a.name = b.name AND a.v >= b.v WHERE a.id = 2',
      [{ id: 2 }],
    ],
    ["SELECT 1 AS `weird name`, 'it''s' AS q -- comment\n;", [{ 'weird name': 1, q: "it's" }]],
  ])('admits %s', async (sql, rows) => {
    expect(JSON.parse(await run(sql))).toEqual(rows);
  });

  it.each([
    ['SELEC 1', 400, /line 1, column 7/],
    ['SELECT 1 +\n  FROM t WHERE', 400, /line \d/],
    ['SELECT nope FROM t', 400, /nope/],
    ['SELECT 1 FROM tt', 404, /no stream "tt".*did you mean "t"/],
    ['SELECT nofunction(1)', 403, /nofunction/],
    ['SELECT 1 FORMAT JSON', 403, /FORMAT/],
    ['INSERT INTO t VALUES (1)', 403, /only one SELECT/],
    ['SELECT 1; SELECT 2', 400, /./],
    ['', 400, /empty/],
    ['SELECT 1\u0000', 400, /control character/],
    ['('.repeat(20_000), 400, /./],
    ["SELECT repeat('x', 1000000) FROM numbers(1000)", 413, /./],
    ['SELECT count() FROM numbers(1000000000000) WHERE number % 2', 413, /rows/],
    [
      'SELECT count() FROM numbers(9000000000) WHERE cityHash64(number) = 1',
      408,
      /longer than it may/,
    ],
  ])(
    'answers %s with %s',
    async (sql, status, message) => {
      const answer = await run(sql).catch((error: unknown) => error);
      expect(answer).toBeInstanceOf(MillraceError);
      expect((answer as MillraceError).status).toBe(status);
      expect((answer as MillraceError).message).toMatch(message);
    },
    15_000,
  );
});
