import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROAPI_FIXTURES, runEdge, startEdge, type Edge } from '../../server/start-edge.js';
import { BUCKET, startS3, type S3 } from '../../server/start-s3.js';

const fixture = (name: string): string => join(ROAPI_FIXTURES, name);
const ICEBERG = join(import.meta.dirname, '../../fixtures/iceberg/items');
const count = async (edge: Edge, table: string): Promise<unknown> =>
  (await edge.sql(`SELECT count() AS n FROM ${table}`)).json();

describe('tables in a store that speaks S3', () => {
  const log = 'blogs-delta/_delta_log/00000000000000000000.json';
  const part = 'blogs-delta/part-00000-91e75e45-f604-46ac-aa68-b3542389889a-c000.snappy.parquet';
  let s3: S3;
  let edge: Edge;

  beforeAll(async () => {
    s3 = await startS3();
    const objects = [
      ['blogs.parquet', 'blogs.parquet'],
      ['blogs space.parquet', 'blogs.parquet'],
      ['blogs/1.parquet', 'blogs.parquet'],
      ['blogs/deep/2.parquet', 'blogs.parquet'],
      ['blogs/read.me', 'uk_cities_with_headers.csv'],
      ['cities.csv', 'uk_cities_with_headers.csv'],
      ['part/year=2022/month=12/p001.csv', 'partitioned_csv/year=2022/month=12/p001.csv'],
      ['part/year=2023/month=1/p001.csv', 'partitioned_csv/year=2023/month=1/p001.csv'],
      [log, log],
      [part, part],
    ] as const;
    for (const [key, file] of objects) await s3.put(key, fixture(file));
    for (const file of readdirSync(ICEBERG, { recursive: true, encoding: 'utf8' }))
      if (statSync(join(ICEBERG, file)).isFile())
        await s3.put(`lake/items/${file}`, join(ICEBERG, file));
    edge = await startEdge(
      [
        ...['-t', `one=s3://${BUCKET}/blogs.parquet`],
        ...[
          '-t',
          `space=s3://${BUCKET}/blogs%20space.parquet,format=parquet,use_memory_table=true`,
        ],
        ...['-t', `dir=s3://${BUCKET}/blogs/,format=parquet`],
        ...['-t', `cities=s3://${BUCKET}/cities.csv`],
        ...['-t', `part=s3://${BUCKET}/part/,format=csv`],
        ...['-t', `delta=s3://${BUCKET}/blogs-delta,format=delta`],
        ...['-t', `iceberg=s3://${BUCKET}/lake/items,format=iceberg`],
        // Google's store is read through its interface of S3's protocol.
        ...['-t', `google=gs://${BUCKET}/blogs/,format=parquet`],
      ],
      {
        variables: {
          ...s3.variables,
          GOOGLE_STORAGE_ENDPOINT: s3.variables['AWS_ENDPOINT_URL'] ?? '',
          GOOGLE_HMAC_ACCESS_ID: s3.variables['AWS_ACCESS_KEY_ID'] ?? '',
          GOOGLE_HMAC_SECRET: s3.variables['AWS_SECRET_ACCESS_KEY'] ?? '',
        },
      },
    );
  }, 120_000);
  afterAll(async () => {
    await edge.stop();
    await s3.stop();
  });

  it.each([
    ['one', 500],
    ['space', 500],
    ['dir', 1000],
    ['cities', 37],
    ['part', 6],
    ['delta', 500],
    ['iceberg', 4],
    ['google', 1000],
  ])('serves %s', async (table, n) => {
    expect(await count(edge, table)).toEqual([{ n }]);
  });

  it('has the columns that are in the names of folders', async () => {
    const rows = await edge.sql(
      'SELECT ts, year, month FROM part WHERE year = 2023 ORDER BY ts LIMIT 1',
    );
    expect(rows.json()).toEqual([{ ts: 201, year: 2023, month: 1 }]);
  });

  it('sees objects that come later', async () => {
    await s3.put('blogs/deep/deeper/3.parquet', fixture('blogs.parquet'));
    expect(await count(edge, 'dir')).toEqual([{ n: 1500 }]);
  });

  it('tells nobody its keys', async () => {
    for (const statement of [
      'EXPLAIN PLAN actions = 1 SELECT * FROM one',
      'EXPLAIN QUERY TREE SELECT * FROM one',
      'SELECT nothing FROM one',
    ])
      expect((await edge.sql(statement)).text).not.toContain('S3RVER');
    const failed = await edge.post('/api/table', [
      { tableName: 'none', uri: `s3://${BUCKET}/none.parquet` },
    ]);
    expect(failed.status).toBe(400);
    expect(failed.text).toContain('none');
    expect(failed.text).not.toContain('S3RVER');
  });

  it('stops the start when a bucket cannot be read', async () => {
    const { code, stderr } = await runEdge(
      ['--addr-http', '127.0.0.1:0', '-t', 'no=s3://elsewhere/no.parquet'],
      { variables: { ...s3.variables, AWS_SECRET_ACCESS_KEY: 'wrong' } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('table "no" cannot be loaded from s3://elsewhere/no.parquet');
    expect(stderr).not.toContain('wrong');
  });
});

describe('tables behind HTTP', () => {
  it('are read in place, with the headers that were asked for', async () => {
    const seen: IncomingHttpHeaders[] = [];
    let csv = readFileSync(fixture('uk_cities_with_headers.csv'), 'utf8');
    const server = createServer((request, response) => {
      seen.push(request.headers);
      if (request.headers.authorization !== 'Bearer secret-of-http') response.writeHead(401).end();
      else response.end(csv);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = mkdtempSync(join(tmpdir(), 'edge-http-'));
    const config = join(folder, 'edge.yaml');
    writeFileSync(
      config,
      `tables:
  - name: cities
    uri: ${url}/cities.csv
    option: { format: csv }
    io_option:
      protcol: http
      headers: { Authorization: Bearer secret-of-http }
`,
    );
    const edge = await startEdge(['--config', config]);
    try {
      expect(await count(edge, 'cities')).toEqual([{ n: 37 }]);
      csv = csv.split('\n').slice(0, 11).join('\n');
      expect(await count(edge, 'cities')).toEqual([{ n: 10 }]);
      const refused = await edge.post('/api/table', [
        { tableName: 'other', uri: `${url}/cities.csv,format=csv` },
      ]);
      expect(refused.json()).toMatchObject({ code: 400 });
      expect(refused.text).toContain('401');
      expect(refused.text).not.toContain('secret-of-http');
    } finally {
      await edge.stop();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
