import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  hasMariadb,
  PASSWORD,
  postgresPrograms,
  startMariadb,
  startPostgres,
  type DatabaseUnderTest,
} from '../../server/start-databases.js';
import { runEdge, startEdge, type Edge, type EdgeAnswer } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

const START_MS = 120_000;
const FETCH = 'apt-get install postgresql mariadb-server';

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (answer: EdgeAnswer): readonly Row[] => {
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json();
};

/** Names and types, as `GET /api/schema/<table>` tells them. */
async function typesOf(edge: Edge, table: string): Promise<Readonly<Record<string, unknown>>> {
  const { fields } = (await edge.get(`/api/schema/${table}`)).json<{
    fields: { name: string; data_type: unknown }[];
  }>();
  return Object.fromEntries(fields.map(({ name, data_type: type }) => [name, type]));
}

const POSTGRES_TABLES = `
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN euros AS numeric(12,2);
CREATE TABLE kinds (
  id int PRIMARY KEY, small smallint, big bigint NOT NULL, price numeric(38,10), free numeric,
  wide numeric(50,5), f4 real, f8 double precision, yes boolean, words text, padded char(4),
  short varchar(10), bytes bytea, day date, clock time, wall timestamp, seconds timestamp(0),
  moment timestamptz, span interval, uid uuid, doc json, docb jsonb, numbers int[], texts text[],
  prices numeric(10,2)[], flags boolean[], moments timestamptz[], grid int[][], feeling mood,
  cost euros, address inet, oid_ oid, "Quoted ""name""" int);
INSERT INTO kinds VALUES (1, -32768, 9223372036854775807,
  1234567890123456789012345678.0123456789, 3.14159265358979323846264338327950288,
  123456789012345678901234567890123456789012345.12345, 1.1, 2.2, true,
  E'ünï\\t\\n''"\\\\ 😀', 'ab', 'v', '\\x00ff10', '1900-01-01', '12:34:56.789',
  '0001-01-01 00:00:00.000001', '2024-02-29 23:59:59', '2024-03-31 02:30:00.123456+02', '1 day 02:00',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": 1}', '{"b":[1,2]}', '{1,2,null}',
  '{"a,b","q\\"x",null}', '{1.10,2.20}', '{true,null}', '{2024-01-01 00:00:00+00}', '{{1,2},{3,4}}',
  'ok', 12.5, '10.0.0.1/8', 4294967295, 7);
INSERT INTO kinds (id, big) VALUES (2, -1);
CREATE VIEW seen AS SELECT id, yes FROM kinds;
CREATE MATERIALIZED VIEW kept AS SELECT id, words FROM kinds;
CREATE TABLE "Mixed Case" ("Id" int); INSERT INTO "Mixed Case" VALUES (5);
CREATE SCHEMA sales; CREATE TABLE sales.orders (n int); INSERT INTO sales.orders VALUES (6);
CREATE TABLE ends (id int, day date, wall timestamp);
INSERT INTO ends VALUES (1, '2299-12-31', '9999-12-31 23:59:59.999999'), (2, '0001-01-01', 'infinity');
CREATE TABLE many AS SELECT i AS id, 'row ' || i AS words FROM generate_series(1, 200000) AS i;
CREATE TABLE far (id int, price numeric(10,2), f8 double precision, f4 real, wall timestamp,
  moment timestamptz, free numeric, numbers bigint[], words text[], prices numeric(10,2)[], floats float8[]);
INSERT INTO far (id) VALUES (1);
INSERT INTO far VALUES (2, 1.25, 5e-324, 1e-45, '294276-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999+00',
  1.239, '{}', '{}', '{}', '{}'),
  (3, 'NaN', '-Infinity', 'NaN', '-infinity', 'infinity', 1e40, '[0:1]={9223372036854775807,NULL}',
  ARRAY['NULL', NULL, '', 'a"b\\c', E'\n'], '{1.10}', '{0.1,NULL,1e308}'),
  (4, 0, 0.1, 0.1, '2020-01-01', '2020-01-01 00:00+00', 1.2, '{{1,2},{3,4}}', '{{a}}', '{NaN}', '{5e-324}');
CREATE TABLE grows (id int); INSERT INTO grows VALUES (1)`;

const UNKNOWN_COLUMN = JSON.stringify({ columns: [{ name: 'zz', data_type: 'Utf8' }] });

const FAR_COLUMNS = JSON.stringify({
  columns: [
    { name: 'id', data_type: 'Int64' },
    { name: 'free', data_type: { Decimal128: [10, 2] }, nullable: true },
    { name: 'price', data_type: 'Int64', nullable: true },
    { name: 'numbers', data_type: { List: { data_type: 'Int8', nullable: true } } },
  ],
});

/** Servers speak and write times in ways of their own; rows must not change by it. */
const ODD_SERVER = ['timezone=Asia/Kathmandu', 'datestyle=German'];

if (postgresPrograms !== undefined) postgres(postgresPrograms);
else
  it(`does not look at tables of PostgreSQL: there is none here (${FETCH})`, () => {
    expect(postgresPrograms).toBeUndefined();
  });

function postgres(programs: string): void {
  describe('tables of a PostgreSQL', () => {
    let server: DatabaseUnderTest;
    let edge: Edge;
    const stops: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      server = await startPostgres(programs, ODD_SERVER);
      stops.unshift(server.stop);
      await server.run(POSTGRES_TABLES);
      const at = (table: string, options = ''): readonly string[] => [
        '-t',
        `${table}=${server.uri}${options}`,
      ];
      edge = await startEdge([
        ...at('kinds'),
        ...at('copied', ',table=kinds,materialize=true'),
        ...['seen', 'kept', 'many', 'ends', 'far'].flatMap((name) => at(name)),
        ...at('mixed', ',table=Mixed Case'),
        ...at('orders', ',table=sales.orders'),
        ...at('folded', ',table=KINDS'),
        ...at('grows', ',reload_interval=1'),
        ...at('strict', `,table=far,schema=${FAR_COLUMNS}`),
        ...at(
          'written',
          `,table=ends,schema=${JSON.stringify({ columns: [column('day', 'Utf8'), column('id', 'Int64')] })}`,
        ),
      ]);
      stops.unshift(edge.stop);
    }, START_MS);
    afterAll(async () => {
      for (const stop of stops) await stop();
    });

    it.each(['kinds', 'copied'])('have the values that they have there: %s', async (table) => {
      const [first, second] = rowsOf(await edge.sql(`SELECT * FROM ${table} ORDER BY id`));
      expect(first).toMatchObject({
        ...{ id: 1, small: -32768, f4: 1.1, f8: 2.2, yes: true },
        ...{ words: 'ünï\t\n\'"\\ 😀', padded: 'ab', short: 'v', day: '1900-01-01' },
        ...{ free: '3.14159265358979323846264338327950288', clock: '12:34:56.789' },
        ...{ wall: '0001-01-01T00:00:00.000001Z', seconds: '2024-02-29T23:59:59Z' },
        moment: '2024-03-31T00:30:00.123456Z',
        ...{ span: '1 day 02:00:00', uid: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' },
        ...{ doc: '{"a": 1}', docb: '{"b": [1, 2]}', numbers: [1, 2, null] },
        ...{ texts: ['a,b', 'q"x', null], prices: [1.1, 2.2], flags: [true, null] },
        ...{ grid: '[[1,2],[3,4]]', feeling: 'ok', cost: 12.5, address: '10.0.0.1/8' },
        ...{ oid_: 4294967295, 'Quoted "name"': 7 },
      });
      const exactly = `SELECT big::text AS big, price::text AS price, wide::text AS wide, hex(bytes) AS bytes, bytes AS raw FROM ${table} WHERE id = 1`;
      expect(rowsOf(await edge.sql(exactly))).toEqual([
        {
          big: '9223372036854775807',
          price: '1234567890123456789012345678.0123456789',
          wide: '123456789012345678901234567890123456789012345.12345',
          bytes: '00FF10',
          raw: 'AP8Q',
        },
      ]);
      const { id, big, numbers, texts, prices, flags, ...others } = second ?? {};
      expect({ id, big }).toEqual({ id: 2, big: -1 });
      // Lists cannot be null in the engine.
      expect({ numbers, texts, prices, flags }).toEqual({
        ...{ numbers: [], texts: [], prices: [], flags: [] },
      });
      expect(new Set(Object.values(others))).toEqual(new Set([null]));
    });

    it('have the types that they have there', async () => {
      expect(await typesOf(edge, 'kinds')).toMatchObject({
        ...{ id: 'Int32', small: 'Int16', big: 'Int64', free: 'Utf8', yes: 'Boolean' },
        ...{ day: 'Date32', price: { Decimal128: [38, 10] }, f4: 'Float32' },
        moment: { Timestamp: ['Microsecond', 'UTC'] },
        wall: { Timestamp: ['Microsecond', 'UTC'] },
      });
    });

    it('are found by the name that the database knows, views too', async () => {
      for (const [table, rows] of [
        ['seen', [{ id: 1, yes: true }]],
        ['kept', [{ id: 1, words: 'ünï\t\n\'"\\ 😀' }]],
        ['mixed', [{ Id: 5 }]],
        ['orders', [{ n: 6 }]],
      ] as const)
        expect(rowsOf(await edge.sql(`SELECT * FROM ${table} LIMIT 1`))).toEqual(rows);
      expect(rowsOf(await edge.sql('SELECT count() AS n FROM folded'))).toEqual([{ n: 2 }]);
    });

    it('of many rows come whole', async () => {
      const sql = 'SELECT count() AS n, sum(id) AS s, max(words) AS w FROM many';
      expect(rowsOf(await edge.sql(sql))).toEqual([
        { n: 200_000, s: 20_000_100_000, w: 'row 99999' },
      ]);
    });

    it('fail at a value that no type here holds, and say what to do', async () => {
      const answer = await edge.sql('SELECT day FROM ends');
      expect(answer.status).toBe(503);
      expect(answer.text).toContain('declare the column in `schema` as Utf8');
      expect(answer.text).toContain('\\"day\\"');
      expect((await edge.sql('SELECT wall FROM ends')).status).toBe(503);
      const first = await edge.sql('SELECT wall FROM ends WHERE id = 1');
      expect(rowsOf(first)).toEqual([{ wall: '9999-12-31T23:59:59.999999Z' }]);
      // A column declared as text has the text that the database writes.
      expect(rowsOf(await edge.sql('SELECT * FROM written ORDER BY id'))).toEqual([
        { day: '31.12.2299', id: 1 },
        { day: '01.01.0001', id: 2 },
      ]);
    });

    it('have floats next to zero, and lists where the first row has none', async () => {
      const sql = 'SELECT f8::text AS f8, f4::text AS f4, numbers::text AS numbers, words, floats FROM far ORDER BY id LIMIT 3'; // prettier-ignore
      const empty = { numbers: '[]', words: [], floats: [] };
      expect(rowsOf(await edge.sql(sql))).toEqual([
        { f8: null, f4: null, ...empty },
        { f8: '5e-324', f4: '1e-45', ...empty },
        {
          ...{ f8: '-inf', f4: 'nan', numbers: '[9223372036854775807,NULL]' },
          ...{ words: ['NULL', null, '', 'a"b\\c', '\n'], floats: [0.1, null, 1e308] },
        },
      ]);
      expect(rowsOf(await edge.sql('SELECT moment FROM far WHERE id = 2'))).toEqual([
        { moment: '9999-12-31T23:59:59.999999Z' },
      ]);
    });

    it.each([
      ['far', 'wall', 2, 'a time that no type here holds'],
      ['far', 'wall', 3, 'a time that no type here holds'],
      ['far', 'price', 3, 'the number NaN, and its type is Decimal(10, 2)'],
      ['far', 'prices', 4, 'a value that its type, Decimal(10, 2), does not hold'],
      ['far', 'numbers', 4, 'the list {{1,2},{3,4}}, and its type is List'],
      ['far', 'words', 4, 'the list {{a}}, and its type is List'],
      // 1.239 would be 1.23, 1e40 another number, and 1.25 the integer 1.
      ['strict', 'free', 2, 'a value that its type, Decimal(10, 2), does not hold'],
      ['strict', 'free', 3, 'a value that its type, Decimal(10, 2), does not hold'],
      ['strict', 'price', 2, 'a value that its type, Nullable(Int64), does not hold'],
      ['strict', 'numbers', 3, 'a value that its type, Int8, does not hold'],
    ])('refuse what %s.%s has in row %d', async (table, column, id, reason) => {
      expect((await edge.sql(`SELECT ${column} FROM ${table} WHERE id = ${id}`)).json()).toEqual({
        code: 503,
        message: expect.stringContaining(
          `table "${table}" cannot be read: column "${column}" has ${reason}`,
        ) as unknown,
      });
      const next = await edge.sql(`SELECT ${column} FROM ${table} WHERE id = 1`);
      expect(rowsOf(next)).toHaveLength(1);
    });

    it('show new rows at once, and a new column after reload_interval', async () => {
      await server.run('INSERT INTO grows VALUES (2)');
      expect(rowsOf(await edge.sql('SELECT count() AS n FROM grows'))).toEqual([{ n: 2 }]);
      await server.run("ALTER TABLE grows ADD COLUMN more text DEFAULT 'x'");
      await until(async () => 'more' in (rowsOf(await edge.sql('SELECT * FROM grows'))[0] ?? {}));
    });

    it.each<[string, Wrong, string]>([
      ['nope', {}, 'there is no table \\"nope\\" in database \\"shop\\"'],
      ['kinds', { password: 'wrong' }, 'password authentication failed'],
      ['kinds', { database: 'none' }, 'database \\"none\\" does not exist'],
      ['kinds', { port: 1 }, 'Connection refused'],
      [`kinds,schema=${UNKNOWN_COLUMN}`, {}, 'there is no column \\"zz\\"'],
    ])(
      'refuse a start that cannot be, without the password: %s %j',
      async (table, wrong, reason) => {
        expect(await refusalOf(server, table, wrong)).toContain(reason);
      },
      START_MS,
    );

    it('never tell the password: neither an answer nor the log', async () => {
      const texts = [
        (await edge.sql('SELECT nope FROM kinds')).text,
        (await edge.sql('SELECT day FROM ends')).text,
        (await edge.sql("SELECT create_table_query FROM system.tables WHERE name = 'kinds'")).text,
        (await edge.get('/api/schema')).text,
        edge.output(),
      ];
      for (const text of texts) expect(text).not.toContain(PASSWORD);
    });

    it(
      'answer 503 while the server is away',
      async () => {
        const own = await startPostgres(programs);
        await own.run('CREATE TABLE t (id int)');
        const alone = await startEdge(['-t', `t=${own.uri}`]);
        try {
          expect((await alone.sql('SELECT * FROM t')).status).toBe(200);
          await own.stop();
          const { status, text } = await alone.sql('SELECT * FROM t');
          expect(`${status} ${text}`).toMatch(/^503 .*\\"t\\" cannot be read: the server/);
          expect(text + alone.output()).not.toContain(PASSWORD);
        } finally {
          await alone.stop();
        }
      },
      START_MS,
    );
  });
}

const MARIADB_TABLES = `
CREATE TABLE kinds (
  id int PRIMARY KEY, t tinyint, yes tinyint(1), tu tinyint unsigned, s smallint unsigned,
  m mediumint, mu mediumint unsigned, iu int unsigned, b bigint NOT NULL, bu bigint unsigned,
  price decimal(38,10), wide decimal(65,30), f float, d double, bits bit(40), one bit(1),
  padded char(4), short varchar(20), words longtext, fixed binary(4), bytes varbinary(10), blob_ blob,
  day date, clock time(3), y year, wall datetime(6), seconds datetime, moment timestamp(6) NULL,
  e enum('x','y'), st set('p','q'), doc json, place point, uid uuid,
  old varchar(20) CHARACTER SET latin1, \`odd \`\`name\` int) CHARACTER SET utf8mb4;
INSERT INTO kinds VALUES (1, -128, 1, 255, 65535, -8388608, 16777215, 4294967295, 9223372036854775807,
  18446744073709551615, 1234567890123456789012345678.0123456789,
  12345678901234567890123456789012345.123456789012345678901234567890, 16777217, 2.2, b'11', b'1',
  'ab', 'ünï😀', 't\\t\\n''"\\\\', x'00ff1000', x'00ff', x'deadbeef', '1900-01-01', '-100:34:56.789',
  2024, '1000-01-01 00:00:00.000001', '2024-02-29 23:59:59', '2024-03-31 02:30:00.123456', 'y', 'p,q',
  '{"a": 1}', point(1,2), 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'é', 7);
INSERT INTO kinds (id, b) VALUES (2, -1);
CREATE VIEW seen AS SELECT id, yes FROM kinds;
CREATE TABLE ends (id int, day date NOT NULL, wall datetime NOT NULL);
SET sql_mode = '';
INSERT INTO ends VALUES (1, '2299-12-31', '9999-12-31 23:59:59'), (2, '0000-00-00', '0000-00-00'), (3, '9999-12-31', NOW());
CREATE TABLE grows (id int); INSERT INTO grows VALUES (1)`;

if (hasMariadb) mariadb();
else
  it(`does not look at tables of MariaDB: there is none here (${FETCH})`, () => {
    expect(hasMariadb).toBe(false);
  });

function mariadb(): void {
  describe('tables of a MariaDB, by mysql://', () => {
    let server: DatabaseUnderTest;
    let edge: Edge;
    let folder: string;
    const stops: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      server = await startMariadb('+05:45');
      stops.unshift(server.stop);
      await server.run(MARIADB_TABLES);
      folder = mkdtempSync(join(tmpdir(), 'edge-mysql-'));
      // Users of ROAPI have such a file.
      const file = join(folder, 'roapi.yaml');
      const uri = JSON.stringify(server.uri);
      writeFileSync(
        file,
        `tables:
  - {name: kinds, uri: ${uri}, option: {format: mysql, table: kinds}}
  - {name: copied, uri: ${uri}, option: {format: mysql, table: kinds, use_memory_table: true}}
  - {name: seen, uri: ${uri}, option: {format: mysql, table: shop.seen}}
  - {name: ends, uri: ${uri}}
  - {name: grows, uri: ${uri}, option: {use_memory_table: true, format: mysql}, reload_interval: {secs: 1, nanos: 0}}
`,
      );
      edge = await startEdge(['-c', file]);
      stops.unshift(edge.stop);
    }, START_MS);
    afterAll(async () => {
      for (const stop of stops) await stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(['kinds', 'copied'])('have the values that they have there: %s', async (table) => {
      const [first, second] = rowsOf(await edge.sql(`SELECT * FROM ${table} ORDER BY id`));
      expect(first).toMatchObject({
        ...{ id: 1, t: -128, yes: 1, tu: 255, s: 65535, m: -8388608, mu: 16777215, iu: 4294967295 },
        ...{ f: 16777216, d: 2.2, bits: 3, one: 1, padded: 'ab', short: 'ünï😀' },
        ...{ words: 't\t\n\'"\\', day: '1900-01-01', clock: '-100:34:56.789', y: 2024 },
        ...{ wall: '1000-01-01T00:00:00.000001Z', seconds: '2024-02-29T23:59:59Z' },
        // 02:30 by the server's clock.
        moment: '2024-03-30T20:45:00.123456Z',
        ...{ e: 'y', st: 'p,q', doc: '{"a": 1}', place: 'POINT(1 2)', old: 'é', 'odd `name': 7 },
        uid: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      });
      const exactly = `SELECT b::text AS b, bu::text AS bu, price::text AS price, wide::text AS wide, hex(fixed) AS fixed, hex(bytes) AS bytes, hex(blob_) AS blob, bytes AS raw FROM ${table} WHERE id = 1`;
      expect(rowsOf(await edge.sql(exactly))).toEqual([
        {
          ...{ b: '9223372036854775807', bu: '18446744073709551615' },
          price: '1234567890123456789012345678.0123456789',
          wide: '12345678901234567890123456789012345.12345678901234567890123456789',
          ...{ fixed: '00FF1000', bytes: '00FF', blob: 'DEADBEEF', raw: 'AP8=' },
        },
      ]);
      const { id, b, ...others } = second ?? {};
      expect({ id, b }).toEqual({ id: 2, b: -1 });
      expect(new Set(Object.values(others))).toEqual(new Set([null]));
    });

    it('are also views, and those of a database that is named', async () => {
      expect(rowsOf(await edge.sql('SELECT * FROM seen ORDER BY id LIMIT 1'))).toEqual([
        { id: 1, yes: 1 },
      ]);
    });

    it('have null for dates of zeros, and fail at days that no type here holds', async () => {
      expect(rowsOf(await edge.sql('SELECT id, wall FROM ends WHERE id < 3 ORDER BY id'))).toEqual([
        { id: 1, wall: '9999-12-31T23:59:59Z' },
        { id: 2, wall: null },
      ]);
      const { status, text } = await edge.sql('SELECT day FROM ends');
      expect(`${status} ${text}`).toMatch(/^503 .*declare the column in `schema` as Utf8/);
    });

    it('that are copied are read again after reload_interval, with their new columns', async () => {
      await server.run(
        'ALTER TABLE grows ADD COLUMN more int DEFAULT 4; INSERT INTO grows (id) VALUES (2)',
      );
      await until(async () => {
        const rows = rowsOf(await edge.sql('SELECT * FROM grows ORDER BY id'));
        return JSON.stringify(rows) === '[{"id":1,"more":4},{"id":2,"more":4}]';
      });
    });

    it.each<[string, Wrong, string]>([
      ['nope', {}, 'there is no table \\"nope\\" in database \\"shop\\"'],
      ['kinds', { password: 'wrong' }, 'Access denied for user'],
      ['kinds', { database: 'none' }, "to database 'none'"],
      ['kinds', { port: 1 }, 'connect to server'],
    ])(
      'refuse a start that cannot be, without the password: %s %j',
      async (table, wrong, reason) => {
        expect(await refusalOf(server, table, wrong)).toContain(reason);
      },
      START_MS,
    );

    it('never tell the password', async () => {
      const texts = [
        (await edge.sql('SELECT nope FROM kinds')).text,
        (await edge.sql('SELECT day FROM ends')).text,
        edge.output(),
      ];
      for (const text of texts) expect(text).not.toContain(PASSWORD);
    });
  });
}

function column(name: string, type: string) {
  return { name, data_type: type, nullable: true };
}

interface Wrong {
  readonly password?: string;
  readonly database?: string;
  readonly port?: number;
}

/** Starts the program, and gives the message that it ends with, as JSON's text. */
async function refusalOf(
  { uri, port }: DatabaseUnderTest,
  table: string,
  wrong: Wrong,
): Promise<string> {
  const changed = uri
    .replace(PASSWORD, wrong.password ?? PASSWORD)
    .replace(/shop$/, wrong.database ?? 'shop')
    .replace(`:${port}/`, `:${wrong.port ?? port}/`);
  const [name = '', ...options] = table.split(/,(?=schema=)/);
  const { code, stderr } = await runEdge(['-t', [`${name}=${changed}`, ...options].join(',')]);
  expect(code).toBe(1);
  expect(stderr).not.toContain(PASSWORD);
  return JSON.stringify(stderr);
}
