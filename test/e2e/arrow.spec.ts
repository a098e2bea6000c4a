import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import type { Answer } from '../server/client.js';
import { makeParquet } from '../server/make-parquet.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { arrowTypes, readArrow } from '../server/read-result.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const fixture = (name: string): Buffer => readFileSync(join(FIXTURES, name));

type Row = Record<string, unknown>;

/** Each Arrow file is compared with the Parquet file that has the same rows. */
const SAME: readonly (readonly [string, string])[] = [
  ...['types', 'exact', 'typed', 'years', 'numbers', 'invalid-utf8', 'double-keys', 'bytes'].map(
    (name) => [`${name}.arrow`, name] as const,
  ),
  ['types-lz4.arrow', 'types'],
  ['typed-zstd.arrows', 'typed'],
  ['typed-lz4.arrows', 'typed'],
];

const NULLS = {
  ...{ id: 2, struct: null, lists: [], maps: {}, structs: [{}], pair: [2, 3], large_list: [] },
  ...{ large_text: null, text_view: null, large_binary: null, binary_view: null, half: null },
  ...{ decimal32: null, decimal64: null, milli_day: null, second: null, paris: null },
  ...{ time_second: null, took: null, day_in_dictionary: null, null_in_dictionary: null },
  nothing: null,
};
const FIRST = {
  ...{ id: 1, struct: { a: 7 }, lists: [1, 2], maps: { k: 1 }, structs: [{ a: 7 }] },
  ...{ pair: [1, null], large_text: 'a', text_view: 'a', large_binary: '/w==', large_list: [1] },
  ...{ binary_view: '/w==', half: 1.5, decimal32: 1.23, decimal64: 1.23, took: 1 },
  ...{ milli_day: '1970-01-02T00:00:00.000', second: '1970-01-01T00:00:01' },
  ...{ paris: '1970-01-01T00:00:00.001Z', time_second: '00:00:01', nothing: null },
  ...{ day_in_dictionary: '1970-01-02', null_in_dictionary: 'q' },
};
const LAST = {
  ...{ id: 3, struct: { a: 9 }, lists: [], maps: {}, structs: [{ a: 9 }], pair: [4, 5] },
  ...{ large_text: 'é', text_view: 'longer than twelve bytes', large_binary: '', binary_view: '' },
  ...{ large_list: [], half: -2.25, decimal32: -99.99, decimal64: -9.99, took: -5 },
  ...{ milli_day: '1969-12-31T23:59:59.999', second: '1969-12-31T23:59:59', nothing: null },
  ...{ paris: '1969-12-31T23:59:59.999Z', time_second: '23:59:59' },
  ...{ day_in_dictionary: '1970-01-03', null_in_dictionary: null },
};
const ONLY_ARROW_TYPES = {
  ...{ struct: 'Struct', lists: 'List', maps: 'Map', pair: 'List', large_text: 'Utf8' },
  ...{ text_view: 'Utf8', large_binary: 'Binary', large_list: 'List', half: 'Float32' },
  ...{ decimal32: 'Decimal128(4, 2)', decimal64: 'Decimal128(12, 2)', took: 'Int64' },
  ...{ milli_day: 'Timestamp(Millisecond, None)', second: 'Timestamp(Second, None)' },
  ...{ paris: 'Timestamp(Millisecond, UTC)', time_second: 'Time64(Second)' },
  ...{ day_in_dictionary: 'Date32', null_in_dictionary: 'Utf8', nothing: 'Null' },
};

describe('Arrow', () => {
  let server: BorrowedServer;
  let made = 0;
  const fresh = (): string => `arrow${(made += 1)}`;
  const post = (stream: string, body: Buffer, route = '_arrow'): Promise<Answer> =>
    server.client.call(`${stream}/${route}?wait=true`, { body });
  const reasonOf = (answer: Answer): unknown => [
    answer.status,
    answer.json<{ message?: string }>().message,
  ];
  const schemaOf = async (stream: string): Promise<unknown> =>
    (await server.client.call(`${stream}/schema`)).json<{ schema: unknown }>().schema;
  const typesOf = async (stream: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      ((await schemaOf(stream)) as { name: string; type: string }[]).map(({ name, type }) => [
        name,
        type,
      ]),
    );
  /** Rows are compared as they are written, because JSON.parse would not keep all of it. */
  const textOf = async (stream: string): Promise<string> =>
    (
      await server.client.call('sql', {
        body: `SELECT * EXCEPT _timestamp FROM ${stream} ORDER BY 1`,
      })
    ).bytes.toString();

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it.each(SAME)('%s gives what %s.parquet gives', async (arrow, parquet) => {
    const [a, p] = [fresh(), fresh()];
    const answers = [
      await post(a, fixture(`arrow/${arrow}`)),
      await post(p, fixture(`parquet/${parquet}.parquet`), '_parquet'),
    ];
    const [ofArrow, ofParquet] = answers.map((answer) => ({
      status: answer.status,
      text: answer.bytes.toString().replaceAll(/arrow\d+/g, 'x'),
    }));
    expect(ofArrow).toEqual(ofParquet);
    expect(ofArrow?.status).toBe(200);
    // The engine's reader of Arrow does not tell a null map from an empty one: docs/tables.md says
    // so.
    const sameMaps = (text: string): string => text.replaceAll(/"(map|numbered)":null/g, '"$1":{}');
    expect(await textOf(a)).toBe(sameMaps(await textOf(p)));
    expect(await schemaOf(a)).toEqual(await schemaOf(p));
  });

  it.each(['only-arrow.arrow', 'only-arrow.arrows'])(
    'keeps types and encodings that Parquet has not, in %s',
    async (name) => {
      const stream = fresh();
      await server.client.uploadTo(`${stream}/_arrow`, fixture(`arrow/${name}`));
      expect(
        await server.client.sql<Row>(`SELECT * EXCEPT _timestamp FROM ${stream} ORDER BY id`),
      ).toEqual([FIRST, NULLS, LAST]);
      expect(await typesOf(stream)).toMatchObject(ONLY_ARROW_TYPES);
    },
  );

  it.each([
    ['dictionary-grows.arrow', ['a', 'a', 'b', 'c']],
    ['dictionary-changes.arrows', ['a', 'a', 'a', 'b', 'c', 'z']],
  ])('reads %s', async (name, values) => {
    const stream = fresh();
    await server.client.uploadTo(`${stream}/_arrow`, fixture(`arrow/${name}`));
    const rows = await server.client.sql<{ x: string }>(`SELECT x FROM ${stream} ORDER BY x`);
    expect(rows.map(({ x }) => x)).toEqual(values);
  });

  it('reads dictionaries of numbers, days and times, and zones that are offsets', async () => {
    const stream = fresh();
    await server.client.uploadTo(`${stream}/_arrow`, fixture('arrow/dictionaries.arrow'));
    const sql = `SELECT n, day, price, at, text, zone FROM ${stream} ORDER BY n NULLS LAST`;
    const rows = await server.client.sql<{ at: string | null; zone: string | null }>(sql);
    expect(rows).toMatchObject([
      { n: 10, day: '2020-01-01', price: 1.5, text: 'a' },
      { n: 20, day: '1969-12-31', price: -2.5, text: 'b' },
      { n: null, day: null, price: null, at: null, text: null, zone: null },
    ]);
    const told = rows.map(({ at, zone }) => [at, zone].map((time) => time && Date.parse(time)));
    expect(told).toEqual([
      [0, 1500],
      [1500, 0],
      [null, null],
    ]);
  });

  it('reads a file of polars, whose first message has no length', async () => {
    const stream = fresh();
    await server.client.uploadTo(`${stream}/_arrow`, fixture('arrow/polars.arrow'));
    expect(await server.client.sql(`SELECT a, s, d FROM ${stream} ORDER BY a NULLS LAST`)).toEqual([
      { a: 1, s: 'x', d: '2026-03-01' },
      { a: 2, s: 'é', d: null },
      { a: null, s: null, d: '1900-01-01' },
    ]);
  });

  it('reads what other writers write: of 2018, and of JavaScript', async () => {
    const stream = fresh();
    await server.client.uploadTo(`${stream}/_arrow`, fixture('arrow/old.arrows'));
    expect(await server.client.sql(`SELECT id, half FROM ${stream} ORDER BY id`)).toEqual([
      { id: 1, half: 1.5 },
      { id: 2, half: null },
      { id: 3, half: -2.25 },
    ]);
    const table = tableFromArrays({ n: Int32Array.of(1, 2), s: ['a', 'b'] });
    for (const kind of ['file', 'stream'] as const) {
      const script = fresh();
      await server.client.uploadTo(`${script}/_arrow`, Buffer.from(tableToIPC(table, kind)));
      expect(await server.client.sql(`SELECT n, s FROM ${script} ORDER BY n`)).toEqual([
        { n: 1, s: 'a' },
        { n: 2, s: 'b' },
      ]);
    }
  });

  it('takes an empty table, and makes no stream of it', async () => {
    const stream = fresh();
    const answer = await post(stream, fixture('arrow/empty.arrow'));
    expect([answer.status, answer.json()]).toEqual([
      200,
      { code: 200, status: [{ name: stream, successful: 0, failed: 0 }] },
    ]);
    expect((await server.client.call(`${stream}/schema`)).status).toBe(404);
  });

  it.each([
    ['refused-interval.arrow', 'column "x" is of type Interval'],
    ['refused-union.arrow', 'column "x" is of type Union'],
    ['refused-runs.arrow', 'column "x" is of type RunEndEncoded'],
    ['refused-view.arrow', 'column "x" is of type ListView'],
    ['refused-null-pair.arrow', 'column "x" has nulls among lists of a fixed length'],
    ['refused-hidden.arrow', 'column "x" has a list that is null and not empty'],
    ['refused-hidden.arrows', 'column "x" has a list that is null and not empty'],
    ['refused-hidden-zstd.arrow', 'column "x" has a list that is null and not empty'],
    ['refused-twice.arrow', 'it has two columns "x"'],
    ['refused-compression.arrow', "compressed by pyarrow 0.17's own way"],
    ['refused-digits.arrow', 'Decimal convert overflow'],
  ])('refuses %s, and says: %s', async (name, reason) => {
    const stream = fresh();
    expect(reasonOf(await post(stream, fixture(`arrow/${name}`)))).toEqual([
      400,
      expect.stringContaining(reason),
    ]);
    expect((await server.client.call(`${stream}/_rejected`)).bytes.toString()).not.toContain('"x"'); // prettier-ignore
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('a,b\n1,2\n'.repeat(20))],
    ['Parquet', fixture('parquet/types.parquet')],
    ['Feather of version 1', Buffer.from(`FEA1${'\0'.repeat(40)}FEA1`)],
    ['the mark alone', Buffer.from('ARROW1\0\0ARROW1')],
  ])('refuses %s', async (_, body) => {
    expect((await post(fresh(), body)).status).toBe(400);
  });

  it.each(['typed.arrow', 'typed-lz4.arrows'])(
    'refuses %s wherever it is cut off',
    async (name) => {
      const stream = fresh();
      const whole = fixture(`arrow/${name}`);
      const lengths = Array.from({ length: 24 }, (_, index) => Math.floor((whole.length * index) / 24) + 3); // prettier-ignore
      for (const length of [...lengths, whole.length - 9, whole.length - 1])
        expect([length, (await post(stream, whole.subarray(0, length))).status]).toEqual([
          length,
          400,
        ]);
      await server.client.uploadTo(`${stream}/_arrow`, whole);
      expect(await server.client.count(stream)).toBe(7);
    },
  );

  /** Names that statements of ours have for something, each with its own value. */
  const NAMES = ['f1', 'f0', 'f3', 'f2', 'number', 'reason', 'record', 'e', 'v0', '_path', '_file'];

  it.each(['_arrow', '_parquet'])('keeps values under their names, by %s', async (route) => {
    const stream = fresh();
    const row = Object.fromEntries(NAMES.map((name, index) => [name, index + 1]));
    const body =
      route === '_arrow'
        ? tableToIPC(
            tableFromArrays(
              Object.fromEntries(NAMES.map((name, index) => [name, Int32Array.of(index + 1)])),
            ),
            'file',
          )
        : makeParquet(`SELECT ${NAMES.map((name, index) => `${index + 1}::Int32 AS ${name}`).join(', ')}`); // prettier-ignore
    await server.client.uploadTo(`${stream}/${route}`, Buffer.from(body));
    expect(await server.client.sql(`SELECT * EXCEPT _timestamp FROM ${stream}`)).toEqual([row]);
    // The stream's columns stand in another order than the file's now.
    const other = { f2: 20, f0: 30, x: 40, f1: 50 };
    const again =
      route === '_arrow'
        ? tableToIPC(
            tableFromArrays(
              Object.fromEntries(Object.entries(other).map(([k, v]) => [k, Int32Array.of(v)])),
            ),
            'file',
          )
        : makeParquet('SELECT 20::Int32 AS f2, 30::Int32 AS f0, 40::Int32 AS x, 50::Int32 AS f1');
    await server.client.uploadTo(`${stream}/${route}`, Buffer.from(again));
    expect(await server.client.sql(`SELECT f2, f0, x, f1 FROM ${stream} WHERE x = 40`)).toEqual([
      other,
    ]);
  });

  it('rejects rows that do not fit the stream, and keeps them', async () => {
    const stream = fresh();
    await server.client.upload(stream, [{ n: 1, s: 'a' }]);
    const declared = JSON.stringify({ columns: { day: 'Date32' } });
    await server.client.call(`${stream}/settings`, { body: declared });
    const table = tableFromArrays({ n: ['x', '7'], s: ['b', 'c'] });
    const status = await server.client.uploadTo(
      `${stream}/_arrow`,
      Buffer.from(tableToIPC(table, 'file')),
    );
    expect(status).toMatchObject({ successful: 0, failed: 2 });
    expect(status.error).toContain('row 1: field "n": string does not fit');
    const kept = await server.client.call(`${stream}/_rejected`);
    expect(kept.bytes.toString()).toContain('\\"n\\":\\"x\\"');
  });

  it('answers objects as structs where a statement names their types', async () => {
    const stream = fresh();
    await server.client.upload(stream, [{ id: 1, k: { c: 'a', d: '2024-02-29' } }, { id: 2 }]);
    const sql = `SELECT CAST(if(k IS NULL, NULL, tuple(k.c, CAST(k.d AS DATE))),
      'Nullable(Tuple(c Nullable(String), d Nullable(Date32)))') AS k FROM ${stream} ORDER BY id`;
    const headers = { accept: 'application/vnd.apache.arrow.stream' };
    const { bytes } = await server.client.call('sql', { body: sql, headers });
    expect(arrowTypes(bytes)).toEqual({ k: 'Struct<{c:Utf8, d:Date32<DAY>}>' });
    expect(readArrow(bytes)).toEqual([{ k: { c: 'a', d: Date.UTC(2024, 1, 29) } }, { k: null }]);
  });

  it('keeps null structs null in lists and structs that are cast', async () => {
    const item = "CAST(NULL, 'Nullable(Tuple(a UInt8))')";
    const list = `CAST([${item}, tuple(7)], 'Array(Nullable(Tuple(a Int16)))')`;
    const sql = `SELECT ${list} AS l, CAST(tuple(${item}), 'Tuple(s Nullable(Tuple(a Int16)))') AS t`;
    const headers = { accept: 'application/vnd.apache.arrow.stream' };
    const { bytes, status } = await server.client.call('sql', { body: sql, headers });
    expect([status, status === 200 ? readArrow(bytes) : bytes.toString()]).toEqual([
      200,
      [{ l: [null, { a: 7 }], t: { s: null } }],
    ]);
  });

  it('has a test for each of its files', () => {
    const tested = ['arrow', 'given-types']
      .map((spec) => readFileSync(join(import.meta.dirname, `${spec}.spec.ts`), 'utf8'))
      .join('\n');
    const names = readdirSync(join(FIXTURES, 'arrow')).filter((name) => /\.arrows?$/.test(name));
    const bases = SAME.map(([arrow]) => arrow);
    expect(names.filter((name) => !bases.includes(name) && !tested.includes(name))).toEqual([]);
  });
});
