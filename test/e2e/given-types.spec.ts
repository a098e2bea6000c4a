import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startParquetMaker, type ParquetMaker } from '../server/parquet-maker.js';
import { arrowTypes, readArrow, readParquet } from '../server/read-result.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const ARROW = 'application/vnd.apache.arrow.stream';
const PARQUET = 'application/parquet';

const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../fixtures/arrow', name));

const STRUCT =
  "Nullable(Tuple(i Nullable(Int8), u Nullable(UInt64), f Nullable(Float32), price Nullable(Decimal(20, 4)), ok Nullable(Bool), day Nullable(Date32), at Nullable(DateTime64(6, 'UTC')), clock Nullable(DateTime64(3, 'UTC')), id Nullable(UUID), `a.b` Nullable(String), inner Tuple(x Nullable(String), list Array(Nullable(Int16))), map Map(String, Nullable(Decimal(10, 2))), items Array(Tuple(n Nullable(Int32), d Nullable(Date32)))))";
const TYPE =
  'Struct<{i:Int8, u:Uint64, f:Float32, price:Decimal[20e+4], ok:Bool, day:Date32<DAY>, at:Timestamp<MICROSECOND, UTC>, clock:Timestamp<MILLISECOND, UTC>, id:FixedSizeBinary[16], a.b:Utf8, inner:Struct<{x:Utf8, list:List<Int16>}>, map:Map<{key:Utf8, value:Decimal[10e+2]}>, items:List<Struct<{n:Int32, d:Date32<DAY>}>>}>';
const FULL = `tuple(-128, 18446744073709551615, 0.1, toDecimal128('1234567890123456.7891', 4), true, '2024-02-29', toDateTime64('2024-02-29 12:30:15.123456', 6, 'UTC'), toDateTime64('1999-12-31 23:59:59.999', 3, 'UTC'), '61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'q"', tuple('y', [1, NULL, 3]), map('k', toDecimal32('0.29', 2)), [tuple(1, '1900-01-01')])`;
const NOTHING =
  'tuple(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, tuple(NULL, []), map(), [])';
const cast = (value: string, type: string): string =>
  `CAST(${value}, '${type.replaceAll("'", "\\'")}')`;
const ROWS = `SELECT number AS n, ${cast(`multiIf(n = 0, ${cast(FULL, STRUCT)}, n = 1, NULL, ${cast(NOTHING, STRUCT)})`, STRUCT)} AS k,
  ${cast("if(n = 0, [tuple('a', toDecimal128('7.90', 2))], [])", 'Array(Tuple(sku Nullable(String), price Nullable(Decimal(20, 2))))')} AS items,
  ${cast("if(n = 0, map(1, tuple('v')), map())", 'Map(Int32, Tuple(v Nullable(String)))')} AS m,
  ${cast('if(n = 0, [[1, 2], []], [])', 'Array(Array(Nullable(Int64)))')} AS ll FROM numbers(3)`;

describe('types that a source gave to structs and maps', () => {
  let server: BorrowedServer;
  let maker: ParquetMaker;
  beforeAll(async () => {
    server = await borrowServer();
    maker = startParquetMaker();
    await post('t', ROWS);
  });
  afterAll(async () => {
    await maker.stop();
    await server.giveBack();
  });

  const post = async (stream: string, rows: string): Promise<void> => {
    const body = await maker.make(`${rows} SETTINGS enable_nullable_tuple_type = 1`);
    const { status, bytes } = await server.client.call(`${stream}/_parquet?wait=true`, { body });
    if (status !== 200) throw new Error(bytes.toString());
  };
  const ask = async (body: string | undefined, accept = ARROW, path = 'sql'): Promise<Buffer> => {
    const { status, bytes } = await server.client.call(path, {
      headers: { accept },
      ...(body !== undefined && { body }),
    });
    if (status !== 200) throw new Error(`${status} ${bytes.toString()}`);
    return bytes;
  };
  const typesOf = async (sql: string): Promise<Record<string, string>> =>
    arrowTypes(await ask(sql));

  it('are those of an Arrow answer', async () => {
    const bytes = await ask('SELECT k, items, m, ll FROM t ORDER BY n');
    expect(arrowTypes(bytes)).toEqual({
      k: TYPE,
      items: 'List<Struct<{sku:Utf8, price:Decimal[20e+2]}>>',
      m: 'Map<{key:Int32, value:Struct<{v:Utf8}>}>',
      ll: 'List<List<Int64>>',
    });
    const [full, none, empty] = readArrow(bytes);
    expect(full).toMatchObject({
      k: {
        ...{ i: -128, u: 2n ** 64n - 1n, f: Math.fround(0.1), ok: true, 'a.b': 'q"' },
        day: Date.UTC(2024, 1, 29),
        at: Date.UTC(2024, 1, 29, 12, 30, 15) + 123.456,
        clock: Date.UTC(1999, 11, 31, 23, 59, 59, 999),
        inner: { x: 'y', list: [1, null, 3] },
        items: [{ n: 1, d: Date.UTC(1900, 0, 1) }],
      },
      m: { 1: { v: 'v' } },
      ll: [[1n, 2n], []],
    });
    expect(none).toMatchObject({ k: null, items: [], m: {}, ll: [] });
    expect(empty?.k).toMatchObject({ i: null, day: null, inner: null, items: [] });
  });

  it('are those of a Parquet answer, which can be uploaded again', async () => {
    const body = await ask('SELECT * EXCEPT _timestamp FROM t', PARQUET);
    const [full, none] = await readParquet(body);
    expect(full).toMatchObject({
      k: { day: new Date('2024-02-29'), inner: { x: 'y', list: [1, null, 3] } },
    });
    expect(none?.k ?? null).toBeNull();
    const { status } = await server.client.call('again/_parquet?wait=true', { body });
    expect(status).toBe(200);
    const all = 'SELECT * EXCEPT _timestamp FROM';
    for (const accept of [ARROW, PARQUET, 'application/json'])
      expect((await ask(`${all} again ORDER BY n`, accept)).equals(await ask(`${all} t ORDER BY n`, accept))).toBe(true); // prettier-ignore
  });

  it.each(['_arrow', '_parquet'])(
    'come back equal from what pyarrow sends to %s',
    async (route) => {
      const stream = `nested${route}`;
      const body = fixture(`nested${route.replace('_', '.')}`);
      const { status } = await server.client.call(`${stream}/${route}?wait=true`, { body });
      expect(status).toBe(200);
      const sent = fixture('nested.arrow');
      const rows = `SELECT * EXCEPT _timestamp FROM ${stream} ORDER BY id`;
      for (const bytes of [
        await ask(rows),
        await ask(rows, `${ARROW.replace('stream', 'file')}`),
      ]) {
        expect(arrowTypes(bytes)).toEqual(arrowTypes(sent));
        expect(readArrow(bytes)).toEqual(readArrow(sent));
      }
      const again = await server.client.call(`${stream}_again/_parquet?wait=true`, {
        body: await ask(rows, PARQUET),
      });
      expect(again.status).toBe(200);
      const bytes = await ask(rows.replace(stream, `${stream}_again`));
      expect(arrowTypes(bytes)).toEqual(arrowTypes(sent));
      expect(readArrow(bytes)).toEqual(readArrow(sent));
    },
  );

  it('are maps in the schema of the stream, too', async () => {
    const maps =
      "SELECT map('a', 1) AS m, [map('a', 1)] AS l, CAST(tuple(1), 'Tuple(a Int64)') AS k";
    await post('maps', maps);
    const { bytes } = await server.client.call('streams/maps/schema');
    const { schema } = JSON.parse(bytes.toString()) as { schema: { name: string }[] };
    const told = Object.fromEntries(schema.map(({ name, ...rest }) => [name, rest]));
    expect(told).toMatchObject({
      m: { type: 'Map' },
      l: { type: 'List', element: 'Map' },
      k: { type: 'Struct', fields: [{ name: 'k.a', type: 'Int64' }] },
    });
  });

  it('tell which fields there are not', async () => {
    const refusal = async (body: string): Promise<string> => {
      const { status, bytes } = await server.client.call('sql', { body });
      return `${status} ${bytes.toString()}`;
    };
    const none = /^400 .*there is no field .*"inners.*in k; did you mean .*"inner/;
    expect(await refusal('SELECT k.inners FROM t')).toMatch(none);
    expect(await refusal("SELECT k['inners'] FROM t")).toMatch(none);
    expect(await refusal('SELECT count(k.inners) FROM (SELECT k FROM t) AS x')).toMatch(none);
    expect(await refusal('SELECT k.inner.column FROM t')).toMatch(
      /^400 .*in k.inner; there are: x, list/,
    );
    // A map has any keys, and a name in another case is the one that there is.
    const found = 'SELECT k.map.none AS m, k.OK AS ok, k.inner.list AS l FROM t WHERE n = 0';
    expect(await refusal(found)).toMatch(/^200 .*"m":null,"ok":true,"l":\[1,null,3\]/s);
  });

  it('keep keys of maps with dots', async () => {
    const rows =
      "SELECT map('a.b', 1, '50%', 3) AS m, map('x.y', map('p.q', 1)) AS n, tuple(map('u.v', 1))::Tuple(w Map(String, Int64)) AS s";
    await post('dotted', rows);
    const m = { 'a.b': 1, '50%': 3 };
    const expected = { m, n: { 'x.y': { 'p.q': 1 } }, s: { w: { 'u.v': 1n } } };
    const sql = 'SELECT m, n, s FROM dotted';
    expect(readArrow(await ask(sql))).toEqual([expected]);
    const json = JSON.parse((await ask(sql, 'application/json')).toString()) as unknown;
    expect(json).toEqual([
      { m: { 'a.b': 1, '50%': 3 }, n: { 'x.y': { 'p.q': 1 } }, s: { w: { 'u.v': 1 } } },
    ]);
  });

  it('keep the length of a list whose structs have no values', async () => {
    const type = 'Array(Tuple(x Nullable(Int64)))';
    const lists = ['[tuple(NULL)]', '[tuple(NULL), tuple(1)]', '[]'];
    const rows = lists.map((list, n) => `SELECT ${n} AS n, ${cast(list, type)} AS l, CAST([l], 'Array(${type})') AS ll`); // prettier-ignore
    await post('hollow', rows.join(' UNION ALL '));
    const x = (value: bigint | null): object => ({ x: value });
    expect(readArrow(await ask('SELECT l, ll FROM hollow ORDER BY n'))).toEqual([
      { l: [x(null)], ll: [[x(null)]] },
      { l: [x(null), x(1n)], ll: [[x(null), x(1n)]] },
      { l: [], ll: [[]] },
    ]);
  });

  it('stay when a value is rejected', async () => {
    await post('firm', "SELECT CAST(tuple(1), 'Tuple(a Int64)') AS k");
    const body = '[{"k":"text"},{"k":7}]';
    const { bytes } = await server.client.call('firm/_json?wait=true', { body });
    expect(bytes.toString()).toContain('"failed":2');
    expect(await typesOf('SELECT k FROM firm')).toEqual({ k: 'Struct<{a:Int64}>' });
  });

  it('keep every digit, and every year', async () => {
    const year1 = "addDays(toDate32('1970-01-01'), -719162)";
    const last = "fromUnixTimestamp64Micro(toInt64(253402300799999999), 'UTC')";
    const row = `CAST(tuple(toDecimal256('1234567890123456789012345678901234567890.12345', 5), toDecimal64('0.29', 2), ${year1}, ${last}), 'Tuple(wide Decimal(60, 5), cents Decimal(10, 2), day Date32, at DateTime64(6, \\'UTC\\'))')`;
    await post('exact', `SELECT ${row} AS k`);
    const texts = 'SELECT toString(k.wide) AS wide, k.cents AS cents, k.day, k.at FROM exact';
    const values = `[{"wide":"1234567890123456789012345678901234567890.12345","cents":0.29,"k.day":"0001-01-01","k.at":"9999-12-31T23:59:59.999999Z"}]`;
    expect(JSON.parse(String(await ask(texts, 'application/json')))).toEqual(JSON.parse(values));
    const [read] = readArrow(await ask('SELECT k FROM exact'));
    expect(read?.k).toMatchObject({ day: Date.parse('0001-01-01T00:00:00Z'), at: Date.UTC(9999, 11, 31, 23, 59, 59, 999) + 0.999 }); // prettier-ignore
    const body = await ask('SELECT k FROM exact', PARQUET);
    const { status } = await server.client.call('exact2/_parquet?wait=true', { body });
    expect(status).toBe(200);
    expect(JSON.parse(String(await ask(texts.replace('exact', 'exact2'), 'application/json')))).toEqual(JSON.parse(values)); // prettier-ignore
    expect(await typesOf('SELECT k FROM exact2')).toEqual({
      k: 'Struct<{wide:Decimal[60e+5], cents:Decimal[10e+2], day:Date32<DAY>, at:Timestamp<MICROSECOND, UTC>}>',
    });
  });

  const M = 'Map<{key:Int32, value:Struct<{v:Utf8}>}>';
  it.each([
    ['SELECT m AS other FROM t', { other: M }],
    ['SELECT m FROM (SELECT * FROM t) AS q', { m: M }],
    ['WITH q AS (SELECT n, m FROM t) SELECT q.m FROM q JOIN t ON q.n = t.n', { m: M }],
    ['SELECT a.m, b.m FROM t AS a JOIN t AS b ON a.n = b.n', { m: M, 'b.m': M }],
    ['SELECT m FROM t WHERE n = 0 UNION ALL SELECT m FROM t', { m: M }],
    // A statement's own values are JSON, as before.
    ['SELECT any(m) AS m FROM t', { m: 'Utf8' }],
    ['SELECT m FROM t UNION ALL SELECT k FROM t', { m: 'Utf8' }],
    [
      'SELECT k AS x, m AS y FROM t UNION ALL SELECT m AS y, k AS x FROM t',
      { x: 'Utf8', y: 'Utf8' },
    ],
    ['SELECT m FROM (SELECT n, k, m FROM t) AS q(n, m, k)', { m: 'Utf8' }],
    ['SELECT items FROM t ARRAY JOIN items', { items: 'Utf8' }],
    ['SELECT k.inner.x AS x, k.day AS day FROM t', { x: 'Utf8', day: 'Utf8' }],
  ])('follow a column through %s', async (sql, types) => {
    expect(await typesOf(sql)).toEqual(types);
  });

  it('are those of tables, GraphQL and the schema', async () => {
    const table = await ask(undefined, ARROW, 'tables/t?columns=m&sort=n');
    expect(arrowTypes(table)).toEqual({ m: M });
    const graphql = await ask(
      '{ t(sort: [{field: n, order: asc}]) { n items } }',
      ARROW,
      'graphql',
    );
    expect(arrowTypes(graphql)['items']).toBe('List<Struct<{sku:Utf8, price:Decimal[20e+2]}>>');
    const { fields } = JSON.parse(String(await ask(undefined, 'application/json', 'schema/t'))) as {
      fields: { name: string; data_type: object }[];
    };
    const typeOf = (name: string): object | undefined =>
      fields.find((field) => field.name === name)?.data_type;
    expect(typeOf('m')).toMatchObject({
      Map: [{ data_type: { Struct: [{ data_type: 'Int32' }, { data_type: { Struct: [{ name: 'v' }] } }] } }, false], // prettier-ignore
    });
    expect(typeOf('k')).toMatchObject({
      Struct: [
        { name: 'i', data_type: 'Int8' },
        { name: 'u', data_type: 'UInt64' },
        { name: 'f', data_type: 'Float32' },
        { name: 'price', data_type: { Decimal128: [20, 4] } },
        ...Array<object>(9).fill({}),
      ],
    });
  });

  it('widen by other sources', async () => {
    const row = (type: string, value: string): string => `SELECT ${cast(value, `Tuple(${type})`)} AS k`; // prettier-ignore
    await post('wider', row('a Int8, d Decimal(5, 1)', 'tuple(1, 1.5)'));
    await post('wider', row('a Int64, d Decimal(20, 2), n String', "tuple(1099511627776, toDecimal128('12345678901234567.25', 2), 'x')")); // prettier-ignore
    expect(await typesOf('SELECT k FROM wider')).toEqual({
      k: 'Struct<{a:Int64, d:Decimal[20e+2], n:Utf8}>',
    });
    expect(readArrow(await ask('SELECT k FROM wider ORDER BY k.a'))).toMatchObject([
      { k: { a: 1n, n: null } },
      { k: { a: 1099511627776n, n: 'x' } },
    ]);
    await post('wider', row('a String', "tuple('text')"));
    expect(await typesOf('SELECT k FROM wider')).toEqual({ k: 'Utf8' });
  });

  it('end where records come, which may have anything', async () => {
    await post('open', ROWS);
    const uploaded = await server.client.upload('open', '{"m":null,"items":[]}\n{"n":5}');
    expect(uploaded).toMatchObject({ successful: 2 });
    expect(await typesOf('SELECT m, items FROM open')).toEqual({
      m: M,
      items: 'List<Struct<{sku:Utf8, price:Decimal[20e+2]}>>',
    });
    await server.client.upload('open', '{"n":6,"m":{"new":1}}');
    expect(await typesOf('SELECT m, items FROM open')).toEqual({
      m: 'Utf8',
      items: 'List<Struct<{sku:Utf8, price:Decimal[20e+2]}>>',
    });
    await post('open', ROWS);
    expect(await typesOf('SELECT m FROM open')).toEqual({ m: 'Utf8' });
    expect(readArrow(await ask('SELECT m FROM open WHERE n = 6'))).toEqual([{ m: '{"new":1}' }]);
  });
});
