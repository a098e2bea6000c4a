import { join } from 'node:path';
import type pg from 'pg';
import { startEdge, type Edge } from '../../server/start-edge.js';
import { message, postgresClient, rawConnection } from '../../server/postgres-client.js';

const TABLES = [
  ...['--addr-postgres', '127.0.0.1:0', '-t', 'cities=uk_cities_with_headers.csv'],
  ...['-t', 'blogs=blogs.parquet,format=parquet'],
  ...['-t', `within=${join(import.meta.dirname, '../../fixtures/parquet/times-within.parquet')}`],
];

/** SQLSTATE and place of what fails. */
const failure = (error: unknown) => {
  const { code, position } = error as { code?: string; position?: string };
  return position === undefined ? { code } : { code, position };
};

describe('a client of PostgreSQL', () => {
  let edge: Edge;
  let client: pg.Client;
  beforeAll(async () => {
    edge = await startEdge(TABLES);
    client = await postgresClient(edge);
  }, 120_000);
  afterAll(async () => {
    await client.end();
    await edge.stop();
  });

  it.each<readonly [text: string, values: unknown[], rows: unknown[]]>([
    ['SELECT count(*)::int AS n FROM cities', [], [{ n: 37 }]],
    ['SELECT count(*)::int AS n FROM public."cities" WHERE LAT > $1', [57], [{ n: 3 }]],
    ['SELECT count(*)::int AS n FROM "shop"."public"."cities"', [], [{ n: 37 }]],
    ['SELECT city FROM cities WHERE lat BETWEEN $1 AND $2 LIMIT $3', ['57.6', 57.7, 1], [{ city: 'Elgin, Scotland, the UK' }]], // prettier-ignore
    ['SELECT count(*)::int AS n FROM cities WHERE city = ANY($1)', [['Elgin, Scotland, the UK', 'a"b']], [{ n: 1 }]], // prettier-ignore
    ['SELECT 2 = ANY($1::int[]) AS a, 1.5 = ANY($2::float8[]) AS b, true = ANY($3::bool[]) AS c, 7 = ANY($1::int[]) AS d', [[1, 2], [1.5, -2], [true]], [{ a: true, b: true, c: true, d: false }]], // prettier-ignore
    ['SELECT $1::int + 1 AS n, $2 AS t', ['41', "it's a \\ and a\nline"], [{ n: '42', t: "it's a \\ and a\nline" }]], // prettier-ignore
    ['SELECT $1::text IS NULL AS n', [null], [{ n: true }]],
    [String.raw`SELECT E'a\nb' AS a, 'a\nb' AS b, $$it's$$ AS c /* x /* y */ z */`, [], [{ a: 'a\nb', b: String.raw`a\nb`, c: "it's" }]], // prettier-ignore
    ["SELECT (DATE '2026-01-02' + $1::interval)::text AS d, (TIMESTAMP '2026-01-02 00:00:00' - $2::interval)::text AS t", ['1 day', '00:30:00'], [{ d: '2026-01-03', t: '2026-01-01 23:30:00.000000' }]], // prettier-ignore
    [`SELECT '{"a":{"b":[7,8]}}'::json -> $1 -> 'b' ->> $2::int AS n, '{"a":1}'::json ->> $1::text AS a`, ['a', 1], [{ n: '8', a: '1' }]], // prettier-ignore
    [`SELECT count(*)::int AS n FROM cities WHERE city = ANY('{}') OR lat = ANY('{1,2}')`, [], [{ n: 0 }]], // prettier-ignore
    ['SELECT $1::int + 1', [1], [{ '$1 + 1': '2' }]],
    ['SELECT count(*)::int AS n FROM cities WHERE lat=any($1::"float8"[])', [[1.5]], [{ n: 0 }]],
    ['SELECT ARRAY[1, 2] @> $1::int[] AS a, l && $2::int[] AS b FROM (SELECT [1, 2] AS l) AS t', [[2], [3]], [{ a: true, b: false }]], // prettier-ignore
    ["SELECT '[]' = ANY(l) AS a, 'a' = ANY(l) AS b, 'a' <> ALL(l) AS c FROM (SELECT ['a'] AS l UNION ALL SELECT []) AS t ORDER BY b", [], [{ a: false, b: false, c: true }, { a: false, b: true, c: false }]], // prettier-ignore
    [`SELECT l @> '{1}'::int[] AS a, '{"x,y",NULL}'::text[] AS b FROM (SELECT [1, 2] AS l) AS t`, [], [{ a: true, b: ['x,y', null] }]], // prettier-ignore
    ['SELECT statement_timestamp() > clock_timestamp() - $1::interval AS a, transaction_timestamp()::date = current_date AS b', ['1 hour'], [{ a: true, b: true }]], // prettier-ignore
    ["SELECT count(*)::int AS n FROM (SELECT * FROM cities LIMIT '5' OFFSET '1') AS t", [], [{ n: 5 }]], // prettier-ignore
    [String.raw`SELECT count(*)::int AS n FROM cities WHERE city LIKE $1 ESCAPE '\' OR city LIKE $2 ESCAPE '!'`, ['Elgin%', '%!%%'], [{ n: 1 }]], // prettier-ignore
    ["SELECT (date_trunc($1, TIMESTAMP '2026-01-02 03:04:05'))::text AS d, date_part($2, DATE '2026-01-02')::int AS m", ['hour', 'month'], [{ d: '2026-01-02 03:00:00', m: 1 }]], // prettier-ignore
    ['SELECT sum(CASE WHEN lat > $1 THEN $2 ELSE 0 END)::int AS n FROM cities WHERE lat IS DISTINCT FROM $3', [57, 2, 0], [{ n: 6 }]], // prettier-ignore
    ['SHOW server_encoding', [], [{ server_encoding: 'UTF8' }]],
    [
      'SHOW TABLES',
      [],
      [{ table_name: 'blogs' }, { table_name: 'cities' }, { table_name: 'within' }],
    ],
    ['SELECT city FROM cities WHERE false', [], []],
  ])('asks %s with %j', async (text, values, rows) => {
    expect((await client.query(text, values)).rows).toEqual(rows);
  });

  it('reads objects as they are in JSON: times without a zone have none, and keys that are objects are JSON', async () => {
    const [wall, moment] = ['2024-05-06T07:08:09.000123', '2024-05-06T07:08:09.000123Z'];
    const one = { wall, moment, day: '10:20:30.000005' };
    const text = 'SELECT object, list, by_wall, by_object, object.wall AS wall FROM within ORDER BY id'; // prettier-ignore
    const { rows } = await client.query<Record<string, unknown>>(text);
    expect(rows).toEqual([
      { object: one, list: [one], by_wall: { [wall]: 1 }, by_object: { [JSON.stringify(one)]: 1 }, wall: new Date(wall) }, // prettier-ignore
      { object: null, list: [], by_wall: {}, by_object: {}, wall: null },
    ]);
  });

  it('is told the types of PostgreSQL', async () => {
    const text = `SELECT 1::int2 AS a, -2::int AS b, 3::bigint AS c, 18446744073709551615 AS d,
      1.50::numeric(10, 2) AS e, CAST(0.1 AS Float32) AS f, 1e300 AS g, true AS h, 'é' AS i,
      DATE '1969-12-31' AS j, TIMESTAMP '2026-01-02 03:04:05.25' AS k,
      toDateTime64('1969-12-31 23:59:59.5', 6, 'UTC') AS l, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS m,
      [1, NULL, 3] AS n, ['a,"b"', '', 'null'] AS o, map('k', 9007199254740993) AS p,
      toFixedString(unhex('00ff0a'), 3) AS q, CAST('01:02:03.5' AS time) AS r, NULL AS s,
      -0.00012345::numeric(20, 8) AS t, toFloat64('inf') AS u`;
    const { fields } = await client.query(text);
    expect(fields.map(({ dataTypeID }) => dataTypeID)).toEqual([
      ...[21, 23, 20, 1700, 1700, 700, 701, 16, 25, 1082, 1114],
      ...[1184, 2950, 1005, 1009, 3802, 17, 1083, 25, 1700, 701],
    ]);
  });

  it.each([
    ['SELECT nope FROM cities', { code: '42703', position: '8' }],
    ["SELECT E'\\n', nope FROM cities WHERE city = 'é'", { code: '42703', position: '15' }],
    ['SELECT 1;\nSELECT * FROM nope', { code: '42P01', position: '25' }],
    ["SELECT 'open", { code: '42601', position: '8' }],
    ['SELECT 1 +', { code: '42601' }],
    ['INSERT INTO cities VALUES (1)', { code: '25006', position: '1' }],
    ['DROP TABLE cities', { code: '25006', position: '1' }],
    ['DELETE FROM cities', { code: '25006', position: '1' }],
    ["SELECT * FROM file('/etc/passwd')", { code: '42501', position: '15' }],
    ['SELECT * FROM system.tables', { code: '42501' }],
    ["COPY cities TO '/tmp/x'", { code: '25006', position: '1' }],
    ["SET client_encoding = 'LATIN1'", { code: '22023' }],
    ['SELECT count(*) FROM cities, pg_class', { code: '0A000' }],
    ["SELECT pg_read_file('/etc/passwd')", { code: '42501' }],
    ['CREATE TABLE pg_temp.x (a int)', { code: '25006', position: '1' }],
    ['SELECT city FROM cities FOR UPDATE SKIP LOCKED', { code: '25006', position: '25' }],
    ["SELECT json_build_object('a', city) FROM cities", { code: '42601', position: '8' }],
  ])(
    'is told the state and the place of what is wrong in %s',
    async (text, told) => {
      expect(failure(await client.query(text).catch((error: unknown) => error))).toMatchObject(
        told,
      );
      expect((await client.query('SELECT 1::int AS n')).rows).toEqual([{ n: 1 }]);
    },
    240_000,
  );

  it('has transactions, which read', async () => {
    await client.query('BEGIN');
    await expect(client.query('SELECT nope')).rejects.toMatchObject({ code: '42703' });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    expect((await client.query('COMMIT')).command).toBe('ROLLBACK');
    await client.query('START TRANSACTION READ ONLY');
    await client.query('SAVEPOINT a');
    await expect(client.query('SELECT nope')).rejects.toMatchObject({ code: '42703' });
    await client.query('ROLLBACK TO SAVEPOINT a');
    expect((await client.query('SELECT 1::int AS n')).rows).toEqual([{ n: 1 }]);
    expect((await client.query('COMMIT')).command).toBe('COMMIT');
    expect((await client.query('DISCARD ALL')).command).toBe('DISCARD');
  });

  it('has cursors that stay when their transaction ends, as Django asks for', async () => {
    const text = 'NO SCROLL CURSOR WITH HOLD FOR SELECT number::int AS n FROM numbers(5)';
    await client.query(`DECLARE held ${text}`);
    await client.query('BEGIN');
    await client.query('DECLARE own CURSOR FOR SELECT 1');
    expect((await client.query('FETCH FORWARD 2 FROM held')).rows).toEqual([{ n: 0 }, { n: 1 }]);
    await client.query('COMMIT');
    expect((await client.query('FETCH ALL FROM held')).rows).toHaveLength(3);
    await expect(client.query('FETCH own')).rejects.toMatchObject({ code: '34000' });
    await client.query('CLOSE held');
    await expect(client.query('FETCH held')).rejects.toMatchObject({ code: '34000' });
  });

  it('prepares a statement once and runs it with other values', async () => {
    for (const least of [57, 50]) {
      const text = 'SELECT count(*)::int AS n FROM cities WHERE lat > $1';
      const { rows } = await client.query({ name: 'by-lat', text, values: [least] });
      expect(rows).toEqual([{ n: least === 57 ? 3 : 37 }]);
    }
  });

  it('reads more rows than one block has, each once', async () => {
    const { rows } = await client.query<{ n: string }>('SELECT number AS n FROM numbers(200000)');
    expect(rows).toHaveLength(200_000);
    expect(new Set(rows.map(({ n }) => n)).size).toBe(200_000);
    expect(rows.at(-1)).toEqual({ n: '199999' });
  });

  it('is told of a plan that it has nothing within, as the macros of sqlx ask', async () => {
    await client.query({ name: 'planned', text: 'SELECT city FROM cities WHERE lat > $1', values: [57] }); // prettier-ignore
    const plan = 'EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE';
    for (const asked of [`${plan} planned(NULL)`, { name: 'plan', text: `${plan} planned(NULL)` }])
      expect((await client.query(asked)).rows).toEqual([
        { 'QUERY PLAN': [{ Plan: { 'Node Type': 'Result' } }] },
      ]);
    await expect(client.query(`${plan} nobody`)).rejects.toMatchObject({ code: '26000' });
  });

  it('cancels what it has begun, and goes on', async () => {
    const slow = (await postgresClient(edge)) as pg.Client & { processID: number; secretKey: number }; // prettier-ignore
    const asked = slow
      .query('SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))')
      .catch((error: unknown) => error);
    // The cancellation is sent again, since one that comes before the statement ends nothing.
    const sent: Promise<void>[] = [];
    const send = (): void => void sent.push(cancel(edge, slow.processID, slow.secretKey));
    const again = setInterval(send, 200);
    expect(failure(await asked)).toEqual({ code: '57014' });
    clearInterval(again);
    await Promise.all(sent);
    expect((await slow.query('SELECT 1::int AS n')).rows).toEqual([{ n: 1 }]);
    await slow.end();
  }, 120_000);

  it('is shown the tables by the catalog of PostgreSQL', async () => {
    const columns = await client.query(
      "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position",
      ['cities'],
    );
    expect(columns.rows).toEqual([
      { column_name: 'city', data_type: 'text' },
      { column_name: 'lat', data_type: 'double precision' },
      { column_name: 'lng', data_type: 'double precision' },
    ]);
    // dbt names the database, too.
    const named =
      'SELECT count(*)::int AS n FROM "shop".INFORMATION_SCHEMA.columns WHERE table_name = \'cities\'';
    expect((await client.query(named)).rows).toEqual([{ n: 3 }]);
    const { rows } = await client.query(
      "SELECT current_database() AS d, pg_catalog.format_type(atttypid, atttypmod) AS t FROM pg_attribute WHERE attrelid = 'blogs'::regclass AND attnum > 0 ORDER BY attnum",
    );
    expect(rows).toEqual([{ d: 'shop', t: 'jsonb' }, { d: 'shop', t: 'bigint' }]); // prettier-ignore
    const version = await client.query<{ server_version: string }>('SELECT current_setting($1) AS server_version', ['server_version']); // prettier-ignore
    expect(version.rows[0]?.server_version).toBe((await client.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version); // prettier-ignore
  }, 240_000);
});

async function cancel(edge: Edge, process: number, secret: number): Promise<void> {
  const { socket, ended } = await rawConnection(edge);
  socket.end(message('', 80_877_102, process, secret));
  await ended();
}

describe('a client of PostgreSQL where a token is asked for', () => {
  let edge: Edge;
  beforeAll(async () => (edge = await startEdge([...TABLES, '--token', 'sésame'])), 120_000);
  afterAll(() => edge.stop());

  it('shows it as its password', async () => {
    const client = await postgresClient(edge, { password: 'sésame' });
    expect((await client.query('SELECT 1::int AS n')).rows).toEqual([{ n: 1 }]);
    await client.end();
  });

  it('is let in by no other', async () => {
    await expect(postgresClient(edge, { password: 'sesame' })).rejects.toMatchObject({ code: '28P01' }); // prettier-ignore
    await expect(postgresClient(edge, { password: '' })).rejects.toThrow();
  });
});
