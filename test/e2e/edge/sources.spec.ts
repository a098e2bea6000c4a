import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeParquet } from '../../server/make-parquet.js';
import { until } from '../../server/until.js';
import { ROAPI_FIXTURES, runEdge, startEdge, type Edge } from '../../server/start-edge.js';

const ICEBERG = join(import.meta.dirname, '../../fixtures/iceberg/items');
const CITIES = {
  count: 37,
  first: { city: 'Elgin, Scotland, the UK', lat: 57.653484, lng: -3.335724 },
};
const BLOG = { reply_id: 332770973, next_id: null };

/** [table, --table, rows, first row or what is in it] */
const SOURCES: readonly (readonly [string, string, number, object])[] = [
  ['csv', 'csv=uk_cities_with_headers.csv', CITIES.count, CITIES.first],
  [
    'copied',
    'copied=uk_cities_with_headers.csv,format=csv,use_memory_table=true',
    37,
    CITIES.first,
  ],
  [
    'headless',
    'headless=uk_cities_with_headers.csv,format=csv,has_header=false',
    38,
    { column_1: 'city', column_2: 'lat', column_3: 'lng' },
  ],
  ['blogs', 'blogs=blogs.parquet,format=parquet', 500, { reply: BLOG }],
  ['flat', 'flat=blogs_flattened.parquet,format=parquet,materialize=true', 500, BLOG],
  ['arrow', 'arrow=uk_cities_with_headers.arrow', 37, CITIES.first],
  ['arrows', 'arrows=uk_cities_with_headers.arrows', 37, CITIES.first],
  ['json', 'json=spacex_launches.json', 132, { flight_number: 1, success: false }],
  ['jsonl', 'jsonl=spacex_launches.jsonl', 132, { flight_number: 1, success: false }],
  ['ndjson', 'ndjson=spacex_launches.ndjson,format=ndjson', 132, { flight_number: 1 }],
  ['delta', 'delta=blogs-delta,format=delta', 500, BLOG],
  ['delta_copy', 'delta_copy=blogs-delta,format=delta,use_memory_table=true', 500, BLOG],
  ['iceberg', `iceberg=${ICEBERG},format=iceberg`, 4, { id: 1, name: 'a', price: 1.5 }],
  [
    'folder',
    'folder=partitioned_csv,format=csv',
    6,
    { ts: 100, value: 0.5, year: 2022, month: 12 },
  ],
  ['glob', 'glob=partitioned_csv/year=2023/*/*.csv,format=csv', 3, { ts: 201, value: -1 }],
  ['xlsx', 'xlsx=uk_cities_with_headers.xlsx', 37, CITIES.first],
  [
    'ods',
    'ods=excel_range.ods,format=ods,rows_range_start=2,rows_range_end=5,columns_range_start=1,columns_range_end=6',
    3,
    {
      bool_column: false,
      int_column: 1,
      float_column: 1.1,
      string_column: 'one',
      datetime_column: '2023-01-01T01:01:01.000Z',
      duration_column: 3722,
    },
  ],
  ['lite', 'lite=sqlite/sample.db,format=sqlite,table=uk_cities', 37, CITIES.first],
  ['uk_cities', 'uk_cities=sqlite://sqlite/sample.sqlite3', 37, CITIES.first],
  ['file_url', `file_url=file://${ROAPI_FIXTURES}/uk_cities_with_headers.csv`, 37, CITIES.first],
];

let edge: Edge;

beforeAll(async () => {
  edge = await startEdge(SOURCES.flatMap(([, table]) => ['--table', table]));
}, 120_000);
afterAll(() => edge.stop());

describe('tables of local files', () => {
  it.each(SOURCES)('serves %s', async (name, _table, count, first) => {
    const counted = await edge.sql(`SELECT count() AS n FROM ${name}`);
    expect(counted.json()).toEqual([{ n: count }]);
    const rows = (await edge.get(`/api/tables/${name}`)).json<object[]>();
    // Several files have no order.
    expect(rows).toContainEqual(expect.objectContaining(first));
  });

  it('answers the same question through SQL, REST and GraphQL', async () => {
    const rows = [{ city: 'Inverness, the UK' }];
    const sql = await edge.sql(`SELECT city FROM csv WHERE lat > 57.4 AND lat < 57.5`);
    const rest = await edge.get(
      '/api/tables/csv?columns=city&filter[lat]gt=57.4&filter[lat]lt=57.5',
    );
    const graphql = await edge.post(
      '/api/graphql',
      '{ csv(filter: {lat: {gt: 57.4, lt: 57.5}}) { city } }',
    );
    expect(sql.json()).toEqual(rows);
    expect(rest.json()).toEqual(rows);
    expect(graphql.json()).toEqual(rows);
  });

  it('tells the schema with the types of Arrow, as ROAPI does', async () => {
    const all = (await edge.get('/api/schema')).json<Record<string, unknown>>();
    expect(Object.keys(all).sort()).toEqual(SOURCES.map(([name]) => name).sort());
    const one = await edge.get('/api/schema/csv');
    const field = { nullable: true, dict_id: 0, dict_is_ordered: false };
    expect(one.json()).toEqual({
      fields: [
        { name: 'city', data_type: 'Utf8', ...field },
        { name: 'lat', data_type: 'Float64', ...field },
        { name: 'lng', data_type: 'Float64', ...field },
      ],
    });
  });

  it('tells what is within structs', async () => {
    const { fields } = (await edge.get('/api/schema/blogs')).json<{ fields: object[] }>();
    expect(fields[0]).toMatchObject({
      name: 'reply',
      data_type: {
        Struct: [
          { name: 'reply_id', data_type: 'Int32', nullable: true },
          { name: 'next_id', data_type: 'Int32', nullable: true },
        ],
      },
    });
  });

  it('shows no path of this machine', async () => {
    for (const statement of ['SELECT _path FROM csv', 'SELECT _file FROM blogs'])
      expect((await edge.sql(statement)).json()).toMatchObject({ code: 400 });
    const plan = await edge.sql('EXPLAIN SELECT * FROM csv');
    expect(plan.status).toBe(200);
    expect(plan.text).not.toContain('fixtures');
  });
});

describe('files that come and change', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-files-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are seen without a restart', async () => {
    mkdirSync(join(folder, 'logs/day=1'), { recursive: true });
    writeFileSync(join(folder, 'logs/day=1/a.ndjson'), '{"n":1}\n');
    cpSync(join(ROAPI_FIXTURES, 'blogs-delta'), join(folder, 'delta'), { recursive: true });
    const own = await startEdge(
      ['-t', 'logs=logs,format=ndjson,materialize=false', '-t', 'delta=delta,format=delta'],
      { directory: folder },
    );
    try {
      mkdirSync(join(folder, 'logs/day=2'));
      writeFileSync(join(folder, 'logs/day=2/b.ndjson'), '{"n":2}\n{"n":3}\n');
      const rows = await own.sql('SELECT n, day FROM logs ORDER BY n');
      expect(rows.json()).toEqual([
        { n: 1, day: 1 },
        { n: 2, day: 2 },
        { n: 3, day: 2 },
      ]);
      const [part = ''] = ['part-00000-91e75e45-f604-46ac-aa68-b3542389889a-c000.snappy.parquet'];
      writeFileSync(
        join(folder, 'delta/_delta_log/00000000000000000001.json'),
        `${JSON.stringify({ remove: { path: part, dataChange: true, deletionTimestamp: 1 } })}\n`,
      );
      expect((await own.sql('SELECT count() AS n FROM delta')).json()).toEqual([{ n: 0 }]);
    } finally {
      await own.stop();
    }
  });

  it('are read again by copied tables after their interval', async () => {
    const file = join(folder, 'n.csv');
    writeFileSync(file, 'n\n1\n');
    const own = await startEdge([
      ...['-t', `often=${file},format=csv,materialize=true,reload_interval=1`],
      ...['-t', `once=${file},format=csv,materialize=true`],
      ...['-t', `live=${file},materialize=false`],
    ]);
    try {
      writeFileSync(file, 'n\n1\n2\n');
      const count = async (table: string): Promise<unknown> =>
        (await own.sql(`SELECT count() AS n FROM ${table}`)).json();
      expect(await count('live')).toEqual([{ n: 2 }]);
      await until(async () => JSON.stringify(await count('often')) === '[{"n":2}]');
      expect(await count('once')).toEqual([{ n: 1 }]);
    } finally {
      await own.stop();
    }
  });

  it('have their rows counted by what Parquet files say of themselves, at each query', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'edge-count-'));
    const file = join(directory, 'p.parquet');
    cpSync(join(ROAPI_FIXTURES, 'blogs.parquet'), file);
    const own = await startEdge([
      ...['-t', `p=${file},materialize=false`, '-t', `copy=${file},materialize=true`],
    ]);
    try {
      for (const count of ['count()', 'COUNT(*)', 'Count(1)', 'count() AS "n o"']) {
        const { text } = await own.sql(`SELECT ${count} FROM p`);
        expect(text).toBe((await own.sql(`SELECT ${count} FROM copy`)).text);
        expect(text).toContain('500');
      }
      writeParquet(`SELECT * FROM file('${ROAPI_FIXTURES}/blogs.parquet') LIMIT 1`, `${file}.new`);
      renameSync(`${file}.new`, file);
      expect((await own.sql('SELECT count() AS n FROM p')).json()).toEqual([{ n: 1 }]);
      expect((await own.sql('SELECT * FROM "count(p)"')).status).toBe(404);
      expect(Object.keys((await own.get('/api/schema')).json<object>())).toEqual(['p', 'copy']);
    } finally {
      await own.stop();
      rmSync(directory, { recursive: true });
    }
  });

  it('come from standard input, too', async () => {
    const own = await startEdge(['-t', 'piped=stdin,format=csv'], { input: 'a,b\n1,x\n2,\n' });
    try {
      const rows = await own.sql('SELECT * FROM piped ORDER BY a');
      expect(rows.json()).toEqual([
        { a: 1, b: 'x' },
        { a: 2, b: null },
      ]);
    } finally {
      await own.stop();
    }
  });
});

describe('a table that cannot be loaded', () => {
  it.each([
    ['x=nowhere.csv', 'x', 'nowhere.csv', 'no such file or folder'],
    [
      'x=uk_cities_with_headers.csv,format=parquet',
      'x',
      'uk_cities_with_headers.csv',
      'it is no Parquet file',
    ],
    ['x=blogs-delta/_delta_log,format=delta', 'x', '_delta_log', 'no delta table'],
    ['x=partitioned_csv,format=parquet', 'x', 'partitioned_csv', 'there is no file in it'],
    [
      'x=uk_cities_with_headers.csv,delimiter=;',
      'x',
      'uk_cities_with_headers.csv',
      'delimiter= says which one the file has',
    ],
    ['x=excel_range.ods,format=ods,sheet_name=Two', 'x', 'excel_range.ods', 'there are Sheet1'],
    ['x=sqlite/sample.db,format=sqlite,table=towns', 'x', 'sample.db', 'towns'],
    ['x=ftp://host/file.csv', 'x', 'ftp://host/file.csv', 'ftp'],
  ])('%s stops the start, and is named with file and reason', async (table, name, file, reason) => {
    const { code, stderr } = await runEdge(['--addr-http', '127.0.0.1:0', '-t', table]);
    expect(stderr).toContain(`"${name}"`);
    expect(stderr).toContain(file);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  it('a file of SQLite that is not there stops the start, and is not made', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'edge-sqlite-'));
    const args = ['--addr-http', '127.0.0.1:0', '-t', 'x=sqlite://none.db'];
    const { code, stderr } = await runEdge(args, { directory });
    expect(`${code} ${stderr}`).toContain('1 millrace-edge: table "x"');
    expect(stderr).toContain(`there is no file ${join(directory, 'none.db')}`);
    expect(readdirSync(directory)).toEqual([]);
    rmSync(directory, { recursive: true });
  });

  it.each(['xlsx', 'ods', 'xls'])('a damaged %s stops the start with a reason', async (format) => {
    const directory = mkdtempSync(join(tmpdir(), 'edge-sheet-'));
    for (const start of ['PK\u0003\u0004', 'xyz']) {
      writeFileSync(join(directory, `a.${format}`), `${start}${'.'.repeat(2000)}`);
      const args = ['--addr-http', '127.0.0.1:0', '-t', `a.${format}`];
      expect((await runEdge(args, { directory })).stderr).toContain('it is no workbook');
    }
    rmSync(directory, { recursive: true });
  });
});

describe('CSV with names and no rows', () => {
  it('is a table of texts, and in a folder beside others it says nothing', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'edge-names-'));
    mkdirSync(join(directory, 'both'));
    for (const name of ['names.csv', 'both/0.csv'])
      writeFileSync(join(directory, name), 'a,"b c"\n');
    writeFileSync(join(directory, 'both/1.csv'), 'a,"b c"\n1,x\n');
    const tables = ['-t', 'names.csv', '-t', 'both=both,format=csv'];
    const own = await startEdge(tables, { directory });
    try {
      expect((await own.sql('SELECT * FROM names')).json()).toEqual([]);
      const schema = (await own.get('/api/schema/names')).json<{ fields: { name: string }[] }>();
      expect(schema.fields).toMatchObject([
        { name: 'a', data_type: 'Utf8', nullable: true },
        { name: 'b c', data_type: 'Utf8', nullable: true },
      ]);
      expect((await own.sql('SELECT * FROM both')).json()).toEqual([{ a: 1, 'b c': 'x' }]);
    } finally {
      await own.stop();
      rmSync(directory, { recursive: true });
    }
  });
});
