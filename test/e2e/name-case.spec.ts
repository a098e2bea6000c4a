import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeParquet } from '../server/make-parquet.js';
import { startEdge } from '../server/start-edge.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const UPLOADS: readonly (readonly [string, string, string, (() => Buffer | string)[]])[] = [
  ['records', '_json', 'application/json', [() => '{"userId":1}', () => '[{"userid":2}]']],
  ['lines', '_multi', 'application/json', [() => '{"userId":1}\n', () => '{"userid":2}\n']],
  ['csv', '_csv', 'text/csv', [() => 'userId\n1\n', () => 'userid\n2\n']],
  ['objects', '_json', 'application/json', [() => '{"userId":[1]}', () => '{"userid":{"A":2}}']],
  [
    'parquet',
    '_parquet',
    'application/octet-stream',
    [() => makeParquet('SELECT 1 AS userId'), () => makeParquet('SELECT 2 AS userid')],
  ],
];

describe('fields whose names differ in case only', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it.each(UPLOADS)('are columns of their own: %s', async (stream, route, type, bodies) => {
    for (const make of bodies) {
      const path = `${stream}/${route}?wait=true`;
      const options = { body: make(), headers: { 'content-type': type } };
      expect((await server.client.call(path, options)).status).toBe(200);
    }
    const kept = await server.client.sql(
      `SELECT notEmpty(toString(userId)) AND toString(userId) NOT IN ('[]', '{}') AS first, userid IS NOT NULL AND toString(userid) NOT IN ('[]', '{}') AS second FROM ${stream} ORDER BY _offset`,
    );
    expect(kept.map((row) => Object.values(row).map((value) => Boolean(value)))).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('are columns of their own in a bulk request', async () => {
    const action = '{"create":{"_index":"bulk"}}\n';
    const body = `${action}{"userId":1}\n`;
    const second = `${action}{"userid":2}\n`;
    for (const each of [body, second]) await server.client.call('_bulk?wait=true', { body: each });
    expect(await server.client.sql('SELECT userId, userid FROM bulk ORDER BY _offset')).toEqual([
      { userId: 1, userid: null },
      { userId: null, userid: 2 },
    ]);
  });

  it('are told apart in files that are served as tables', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-case-'));
    writeFileSync(join(directory, 'lines.ndjson'), '{"userId":1}\n{"userid":2}\n');
    writeFileSync(join(directory, 'comma.csv'), 'userId,userid\n1,2\n');
    const tables = ['lines.ndjson', 'comma.csv'].map((file) => join(directory, file));
    const edge = await startEdge([
      ...['--table', `lines=${tables[0]}`],
      ...['--table', `comma=${tables[1]}`],
    ]);
    try {
      expect((await edge.sql('SELECT userId FROM lines')).json()).toEqual([
        { userId: 1 },
        { userId: null },
      ]);
      expect((await edge.sql('SELECT userid FROM comma')).json()).toEqual([{ userid: 2 }]);
    } finally {
      await edge.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  const CITIES = 'City,lat\nElgin,57.5\nStoke,53\n';
  const CASES: readonly (readonly [string, unknown])[] = [
    ['SELECT city FROM Cities WHERE LAT > 55', [{ City: 'Elgin' }]],
    ['SELECT CITY FROM CITIES WHERE Lat > 55', [{ City: 'Elgin' }]],
    ['SELECT c.CITY FROM public.cities AS C WHERE C.LAT > 55', [{ City: 'Elgin' }]],
    ['SELECT count(*) AS N FROM "public"."Cities" ORDER BY n', [{ N: 2 }]],
  ];

  it('are the same to who asks where there is one', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-case-'));
    writeFileSync(join(directory, 'cities.csv'), CITIES);
    const path = 'Cities/_csv?wait=true';
    const options = { body: CITIES, headers: { 'content-type': 'text/csv' } };
    expect((await server.client.call(path, options)).status).toBe(200);
    const edge = await startEdge(['--table', `Cities=${join(directory, 'cities.csv')}`]);
    const get = async (path: string): Promise<unknown> => {
      const answer = await server.client.call(path, { method: 'GET' });
      return JSON.parse(answer.bytes.toString());
    };
    try {
      for (const [sql, rows] of [...CASES, ...CASES]) {
        expect([sql, (await edge.sql(sql)).json()]).toEqual([sql, rows]);
        expect([sql, await server.client.sql(sql)]).toEqual([sql, rows]);
      }
      const read = 'tables/cities?columns=city&filter[LAT]gt=55';
      for (const rows of [(await edge.get(`/api/${read}`)).json(), await get(read)])
        expect(rows).toEqual([{ City: 'Elgin' }]);
      for (const path of ['schema/CITIES', 'schema/Cities']) {
        expect((await edge.get(`/api/${path}`)).json()).toMatchObject({ fields: [{ name: 'City' }, {}] }); // prettier-ignore
        expect(JSON.stringify(await get(path))).toContain('"City"');
      }
      for (const sql of ['SELECT "CITY" FROM Cities', 'SELECT City FROM "CITIES"', 'SELECT cty FROM cities'])
        expect([sql, (await edge.sql(sql)).status]).toEqual([sql, sql.includes('"CITIES"') ? 404 : 400]); // prettier-ignore
    } finally {
      await edge.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
