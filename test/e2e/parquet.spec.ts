import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../server/client.js';
import { makeParquet } from '../server/make-parquet.js';
import { startParquetMaker, type ParquetMaker } from '../server/parquet-maker.js';
import { startServer } from '../server/start-server.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../fixtures', name));

type Row = Record<string, unknown>;

const NINES = '9'.repeat(38);
const EXACT_TYPES = {
  ...{ id: 'Int8', int8: 'Int8', int16: 'Int16', int32: 'Int32', int64: 'Int64' },
  ...{ uint8: 'UInt8', uint16: 'UInt16', uint32: 'UInt32', uint64: 'UInt64' },
  ...{ float32: 'Float32', float64: 'Float64', bool: 'Boolean', text: 'Utf8' },
  ...{ dictionary: 'Utf8', binary: 'Binary', uuid: 'UUID', date: 'Date32' },
  millis: 'Timestamp(Millisecond, None)',
  micros: 'Timestamp(Microsecond, None)',
  nanos: 'Timestamp(Nanosecond, None)',
  millis_utc: 'Timestamp(Millisecond, UTC)',
  micros_utc: 'Timestamp',
  nanos_utc: 'Timestamp(Nanosecond, UTC)',
  zoned: 'Timestamp',
  time_millis: 'Time64(Millisecond)',
  time_micros: 'Time64(Microsecond)',
  time_nanos: 'Time64(Nanosecond)',
  decimal5: 'Decimal128(5, 2)',
  decimal38: 'Decimal128(38, 0)',
  decimal76: 'Decimal256(76, 38)',
};
const LEAST = {
  ...{ id: 1, int8: -128, int16: -32768, int32: -2147483648, uint8: 0, uint16: 0, uint32: 0 },
  ...{ float64: -5e-324, bool: false, text: '', dictionary: 'q', binary: '' },
  ...{ uuid: '00000000-0000-0000-0000-000000000000', date: '1900-01-01' },
  ...{ millis: '1900-01-01T00:00:00.000', micros: '1900-01-01T00:00:00.000000' },
  ...{ nanos: '1900-01-01T00:00:00.000000000', millis_utc: '1900-01-01T00:00:00.000Z' },
  micros_utc: '1900-01-01T00:00:00.000000Z',
  nanos_utc: '1900-01-01T00:00:00.000000000Z',
  ...{ zoned: '1900-01-01T00:00:00.000000Z', time_millis: '00:00:00.000' },
  ...{ time_micros: '00:00:00.000000', time_nanos: '00:00:00.000000000', decimal5: -999.99 },
};
const MOST = {
  ...{ id: 2, int8: 127, int16: 32767, int32: 2147483647, uint8: 255, uint16: 65535 },
  ...{ uint32: 4294967295, bool: true, text: 'ü', dictionary: 'r', binary: '/wA=' },
  ...{ uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff', date: '2299-12-31', decimal5: 0.1 },
  ...{ millis: '2299-12-31T23:59:59.999', micros: '2299-12-31T23:59:59.999999' },
  ...{ nanos: '2262-04-11T23:47:16.854775807', millis_utc: '2299-12-31T23:59:59.999Z' },
  micros_utc: '2299-12-31T23:59:59.999999Z',
  nanos_utc: '2262-04-11T23:47:16.854775807Z',
  ...{ zoned: '2299-12-31T23:59:59.999999Z', time_millis: '23:59:59.999' },
  ...{ time_micros: '23:59:59.999999', time_nanos: '23:59:59.999999999' },
};
/** A row whose times on a wall name no zone, whatever the answer does. */
const withoutZones = (row: Row = {}): Row => ({
  ...row,
  ...Object.fromEntries(
    ['millis', 'micros', 'nanos'].map((name) => [name, String(row[name]).replace(/Z$/, '')]),
  ),
});

describe('Parquet', () => {
  let server: BorrowedServer;
  let maker: ParquetMaker;
  let made = 0;
  const fresh = (): string => `parquet${(made += 1)}`;
  const post = (
    stream: string,
    body: Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => server.client.call(`${stream}/_parquet?wait=true`, { body, headers });
  const rowsOf = (stream: string, order = '1'): Promise<unknown> =>
    server.client.sql(`SELECT * EXCEPT _timestamp FROM ${stream} ORDER BY ${order}`);
  const typesOf = async (stream: string): Promise<Record<string, string>> => {
    const { schema } = (await server.client.call(`${stream}/schema`)).json<{
      schema: { name: string; type: string }[];
    }>();
    return Object.fromEntries(schema.map(({ name, type }) => [name, type]));
  };
  const declare = async (stream: string, columns: Record<string, string>): Promise<void> => {
    const body = JSON.stringify({ columns });
    const answer = await server.client.call(`${stream}/settings`, { body });
    expect(answer.status).toBe(200);
  };
  const counts = (answer: Answer): unknown =>
    answer.status === 200 ? answer.json<{ status: unknown[] }>().status[0] : answer.json();

  beforeAll(async () => {
    maker = startParquetMaker();
    server = await borrowServer();
  });
  afterAll(async () => {
    await maker.stop();
    await server.giveBack();
  });

  it('keeps the types of all columns, and their least and most values', async () => {
    const stream = fresh();
    expect(counts(await post(stream, fixture('parquet/exact.parquet')))).toEqual({
      name: stream,
      successful: 3,
      failed: 0,
    });
    const types = await typesOf(stream);
    expect(types).toMatchObject(EXACT_TYPES);
    expect(Object.values(types).filter((type) => type === 'List')).toHaveLength(
      Object.keys(EXACT_TYPES).length - 1,
    );
    const [least, most, nulls] = await server.client.sql<Row>(
      `SELECT * EXCEPT _timestamp FROM ${stream} ORDER BY id`,
    );
    expect(withoutZones(least)).toMatchObject(LEAST);
    expect(withoutZones(most)).toMatchObject(MOST);
    // JSON.parse does not keep these values, so they are asked for as text.
    expect(
      await server.client.sql(
        `SELECT toString(int64) AS int64, toString(uint64) AS uint64, toString(decimal38) AS decimal38, toString(decimal76) AS decimal76, toString(float64) AS nan, toString(float32) AS float32 FROM ${stream} WHERE id < 3 ORDER BY id`,
      ),
    ).toEqual([
      {
        ...{ int64: '-9223372036854775808', uint64: '0', nan: '-5e-324', float32: '-0' },
        ...{ decimal38: `-${NINES}`, decimal76: `-${NINES}.${NINES}` },
      },
      {
        ...{ int64: '9223372036854775807', uint64: '18446744073709551615', nan: 'nan' },
        ...{ decimal38: '1', decimal76: `${NINES}.${NINES}`, float32: '1e-45' },
      },
    ]);
    for (const name of Object.keys(EXACT_TYPES).filter((each) => each !== 'id')) {
      expect([name, nulls?.[name], nulls?.[`${name}_list`]]).toEqual([name, null, []]);
      const list = least?.[`${name}_list`];
      expect([name, list]).toEqual([name, [least?.[name], most?.[name], null]]);
    }
  });

  it('rejects times of years that a column has not, and keeps them where it is text', async () => {
    const stream = fresh();
    const body = fixture('parquet/years.parquet');
    expect(counts(await post(stream, body))).toEqual({
      name: stream,
      successful: 1,
      failed: 5,
      error:
        'row 1: field "date": date32 does not fit the column\'s type, Nullable(Date32), without loss, which has the years 1900 to 2299; a column declared Utf8 before its first value takes all',
    });
    expect(
      await server.client.sql(
        `SELECT line, record FROM _rejected WHERE stream = '${stream}' ORDER BY line`,
      ),
    ).toEqual([
      { line: 1, record: '{"id":1,"date":"1899-12-31"}' },
      { line: 2, record: '{"id":2,"date":"2300-01-01"}' },
      { line: 4, record: '{"id":4,"micros":"1899-12-31T23:59:59.999999"}' },
      { line: 5, record: '{"id":5,"nanos":"1899-12-31T23:59:59.999999999Z"}' },
      { line: 6, record: '{"id":6,"dates":[null,"9999-12-31"]}' },
    ]);
    const text = fresh();
    await declare(text, { date: 'Utf8', micros: 'Utf8', nanos: 'Utf8', dates: 'List<Utf8>' });
    expect(counts(await post(text, body))).toMatchObject({ successful: 6, failed: 0 });
    expect(await server.client.sql(`SELECT dates FROM ${text} WHERE id = 6`)).toEqual([
      { dates: [null, '9999-12-31'] },
    ]);
  });

  it.each<[string, string, string, string, unknown]>([
    ['a wider integer', "CAST(1, 'Int8')", 'toInt64(1000000000000)', 'Int64', [1, 1e12]],
    ['a narrower integer', 'toInt64(1)', "CAST(-2, 'Int8')", 'Int64', [1, -2]],
    ['an integer of another sign', 'toUInt32(4294967295)', 'toInt8(-1)', 'Int64', [4294967295, -1]],
    ['a wider float', 'toFloat32(0.5)', '0.1', 'Float64', [0.5, 0.1]],
    ['fractions', 'toInt64(1)', 'toFloat32(0.5)', 'Float64', [1, 0.5]],
    [
      'more digits',
      "toDecimal32('1.5', 1)",
      "toDecimal64('2.25', 2)",
      'Decimal128(18, 2)',
      [1.5, 2.25],
    ],
    ['decimals', 'toInt32(1)', "toDecimal32('0.25', 2)", 'Decimal128(12, 2)', [1, 0.25]],
    [
      'times',
      "toDate32('2024-02-29')",
      "toDateTime64('2024-02-29 12:00:00', 3, 'UTC')",
      'Timestamp(Millisecond, UTC)',
      ['2024-02-29T00:00:00.000Z', '2024-02-29T12:00:00.000Z'],
    ],
    [
      'days',
      "toDateTime64('2024-02-29 12:00:00', 6, 'UTC')",
      "toDate32('2024-02-29')",
      'Timestamp',
      ['2024-02-29T12:00:00.000000Z', '2024-02-29T00:00:00.000000Z'],
    ],
    [
      'a finer unit',
      "toDateTime64('2024-02-29 12:00:00', 3, 'UTC')",
      "toDateTime64('2024-02-29 12:00:00.000001', 6, 'UTC')",
      'Timestamp',
      ['2024-02-29T12:00:00.000000Z', '2024-02-29T12:00:00.000001Z'],
    ],
  ])('takes %s into the column, which widens', async (_, first, second, type, values) => {
    const stream = fresh();
    for (const [id, value] of [first, second].entries()) {
      const body = await maker.make(
        `SELECT toInt8(${id}) AS id, ${value} AS v, [${value}, NULL] AS l`,
      );
      expect(counts(await post(stream, body))).toMatchObject({ successful: 1, failed: 0 });
    }
    expect(await typesOf(stream)).toMatchObject({ v: type });
    const rows = await server.client.sql<Row>(`SELECT v, l FROM ${stream} ORDER BY id`);
    expect(rows.map(({ v }) => v)).toEqual(values);
    expect(rows.map(({ l }) => l)).toEqual((values as unknown[]).map((value) => [value, null]));
  });

  it.each<[string, string, string, string]>([
    ['a text', "toDate32('2024-02-29')", "'2024-02-29'", 'string'],
    ['a number', "'x'", 'toInt8(1)', 'int8'],
    [
      'a finer time',
      "toDateTime64('2024-01-01 00:00:00', 6, 'UTC')",
      "toDateTime64('2024-01-01 00:00:00.000000001', 9, 'UTC')",
      "datetime64(9, 'utc')",
    ],
    ['a fraction', 'toUInt64(18446744073709551615)', '0.5', 'float64'],
  ])('rejects %s that the column cannot become', async (_, first, second, kind) => {
    const stream = fresh();
    await post(stream, await maker.make(`SELECT ${first} AS v`));
    expect(counts(await post(stream, await maker.make(`SELECT ${second} AS v`)))).toMatchObject({
      successful: 0,
      failed: 1,
      error: expect.stringContaining(`row 1: field "v": ${kind} does not fit`) as string,
    });
  });

  it('keeps values of every type, and nulls, in columns as they were made before they had types', async () => {
    const stream = fresh();
    await declare(stream, {
      ...{ int8: 'Int64', uint32: 'Int64', float: 'Float64', date: 'Utf8', millis: 'Utf8' },
      ...{ micros: 'Utf8', nanos: 'Utf8', time: 'Utf8', time_millis: 'Utf8', whole: 'Int64' },
      ...{ decimal: 'Float64', large: 'Utf8' },
    });
    expect(counts(await post(stream, fixture('parquet/types.parquet')))).toEqual({
      name: stream,
      successful: 3,
      failed: 0,
    });
    expect(await rowsOf(stream, 'int8 DESC NULLS LAST')).toEqual([
      {
        int8: 1,
        uint32: 4294967295,
        // JSON.parse makes this of the exact number.
        uint64: 18446744073709552000,
        float: 0.5,
        double: 0.1,
        bool: true,
        text: 'ü\n"',
        dictionary: 'q',
        binary: '/wA=',
        fixed: '/wA=',
        date: '9999-12-31',
        millis: '2024-01-01T01:02:03.004',
        micros: '2024-01-01T01:02:03.004000Z',
        nanos: '2024-01-01T00:00:00.123456789',
        time: '01:02:03.000004',
        time_millis: '01:02:03.004',
        whole: 7,
        decimal: 12.34,
        large: '12345678901234567890.5',
        struct: { a: 1, when: '2024-01-01', raw: 'AQ==' },
        list: [1, 2, null],
        structs: [{ a: 1 }],
        lists: [[1], [2, 3]],
        map: { k: 1 },
        numbered: { '1': 'x' },
        nothing: null,
      },
      {
        int8: -128,
        uint32: 0,
        uint64: 0,
        float: 0.10000000149011612,
        // The file has infinity, which JSON does not have.
        double: null,
        bool: false,
        text: '',
        dictionary: 'q',
        binary: '',
        fixed: 'YWI=',
        date: '0001-01-01',
        millis: '1800-01-01T00:00:00.000',
        micros: '1800-01-01T00:00:00.000000Z',
        nanos: '1969-12-31T23:59:59.999999999',
        time: '23:59:59.000000',
        time_millis: null,
        whole: -7,
        decimal: -0.01,
        large: null,
        struct: {},
        list: [],
        structs: [],
        lists: [],
        map: {},
        numbered: {},
        nothing: null,
      },
      {
        ...Object.fromEntries(
          [
            ...['int8', 'uint32', 'uint64', 'float', 'double', 'bool', 'text', 'dictionary'],
            ...['binary', 'fixed', 'date', 'millis', 'micros', 'nanos', 'time', 'time_millis'],
            ...['whole', 'decimal', 'large', 'nothing'],
          ].map((name) => [name, null]),
        ),
        struct: null,
        list: [],
        structs: [],
        lists: [],
        map: null,
        numbered: null,
      },
    ]);
    const exact = await server.client.sql(
      `SELECT toString(max(uint64)) AS max, countIf(isInfinite(double)) AS infinite FROM ${stream}`,
    );
    expect(exact).toEqual([{ max: '18446744073709551615', infinite: 1 }]);
  });

  it('leaves the type of a column of nulls to its first value', async () => {
    const stream = fresh();
    expect((await post(stream, fixture('parquet/types.parquet'))).status).toBe(200);
    expect(await typesOf(stream)).toMatchObject({ nothing: 'Null' });
    const body = await maker.make("SELECT 'something' AS nothing");
    expect(counts(await post(stream, body))).toMatchObject({ successful: 1, failed: 0 });
    expect(await typesOf(stream)).toMatchObject({ nothing: 'Utf8' });
    expect(counts(await post(stream, fixture('parquet/types.parquet')))).toMatchObject({
      successful: 1,
      failed: 2,
    });
  });

  it('keeps values of late and of early types', async () => {
    const stream = fresh();
    const body = fixture('parquet/more-types.parquet');
    await declare(stream, { half: 'Float64', uuid: 'Utf8', int96: 'Utf8', pair: 'List<Int64>' });
    expect(counts(await post(stream, body))).toMatchObject({ successful: 3, failed: 0 });
    expect(await rowsOf(stream, 'id')).toEqual([
      {
        ...{ id: 1, half: 1.5, json: '{"a":1}', pair: [1, 2] },
        uuid: '00010203-0405-0607-0809-0a0b0c0d0e0f',
        int96: '9999-12-31T01:02:03.000004000Z',
      },
      { id: 2, half: null, uuid: null, json: null, pair: [], int96: null },
      {
        ...{ id: 3, half: -0.25, json: '[]', pair: [3, null] },
        uuid: '00000000-0000-0000-0000-000000000000',
        int96: '0001-01-01T00:00:00.000000000Z',
      },
    ]);
  });

  it('reads row groups, codecs and encodings of today', async () => {
    const stream = fresh();
    expect(counts(await post(stream, fixture('parquet/row-groups.parquet')))).toMatchObject({
      successful: 100_000,
    });
    expect(
      await server.client.sql(
        `SELECT count() AS n, uniqExact(id) AS ids, sum(id) AS sum, countIf(text = concat('text ', toString(id % 1000))) AS texts, countIf(share = id / 7) AS shares FROM ${stream}`,
      ),
    ).toEqual([{ n: 100_000, ids: 100_000, sum: 4_999_950_000, texts: 100_000, shares: 100_000 }]);
  });

  it('reads lists and times as they were written of old', async () => {
    const stream = fresh();
    expect(counts(await post(stream, fixture('parquet/legacy.parquet')))).toMatchObject({
      successful: 1,
    });
    expect(await rowsOf(stream)).toEqual([
      {
        id: 1,
        // The file has this time in 96 bits.
        at: '2024-02-29T12:30:15.250000000Z',
        list: [1, 2],
        structs: [{ a: 1, b: 2 }],
        map: { k: 1 },
        price: 12.34,
      },
    ]);
  });

  it('reads columns whose children an old writer counts', async () => {
    const stream = fresh();
    const answer = await post(stream, fixture('parquet/parquet-cpp-1.parquet'));
    expect(counts(answer)).toMatchObject({ successful: 3 });
    const index = { index: 'a', __index_level_1__: '2016-12-31T23:00:00.000000Z' };
    const [first] = (await rowsOf(stream)) as unknown[];
    expect(first).toEqual({ a: 1, b: 0.1, c: '2016-12-31T23:00:00.000000Z', ...index });
  });

  it('reads the file of another project', async () => {
    const stream = fresh();
    expect(counts(await post(stream, fixture('roapi/blogs.parquet')))).toMatchObject({
      successful: 500,
      failed: 0,
    });
    expect(await server.client.count(stream)).toBe(500);
  });

  it('takes a time that the rows have', async () => {
    const stream = fresh();
    const before = Date.now();
    expect(counts(await post(stream, fixture('parquet/times.parquet')))).toEqual({
      name: stream,
      successful: 2,
      failed: 1,
      error:
        'row 3: field "_timestamp": want ISO 8601 or seconds, milli-, micro- or nanoseconds since 1970, between 1900 and 2299',
    });
    const [first, second] = await server.client.sql<{ _timestamp: string; id: number }>(
      `SELECT _timestamp, id FROM ${stream} ORDER BY id`,
    );
    expect(first).toEqual({ _timestamp: '1970-01-01T00:00:01.000000Z', id: 1 });
    expect(Date.parse(second?._timestamp ?? '')).toBeGreaterThanOrEqual(before);
  });

  it('rejects values that do not fit the columns that are there, each row alone', async () => {
    const stream = fresh();
    await server.client.call(`${stream}/settings`, {
      body: JSON.stringify({
        columns: { float: 'Float64', int: 'Int64', unsigned: 'UInt64', text: 'Utf8' },
      }),
    });
    expect(counts(await post(stream, fixture('parquet/numbers.parquet')))).toEqual({
      name: stream,
      successful: 1,
      failed: 4,
      error:
        'row 2: field "float": int64 does not fit the column\'s type, Nullable(Float64), without loss',
    });
    expect(await rowsOf(stream)).toEqual([{ float: 3, int: 3, unsigned: 3, text: null }]);
    expect(
      await server.client.sql(
        `SELECT line, splitByChar('"', reason)[2] AS field, record FROM _rejected WHERE stream = '${stream}' ORDER BY line`,
      ),
    ).toEqual([
      { line: 2, field: 'float', record: '{"float":9007199254740993,"int":0,"unsigned":0}' },
      { line: 3, field: 'int', record: '{"float":0,"int":18446744073709551615,"unsigned":0}' },
      { line: 4, field: 'unsigned', record: '{"float":0,"int":0,"unsigned":-1}' },
      { line: 5, field: 'text', record: '{"float":0,"int":0,"unsigned":0,"text":5}' },
    ]);
  });

  it('keeps the order of its row groups, and names each rejected row by its place in the file', async () => {
    const odd = [8, 1235, 3334, 5000];
    const body = await maker.make(
      `SELECT number AS n, if(n + 1 IN (${odd.join()}), 9007199254740993, n)::Int64 AS v, repeat(concat('p', toString(n)), 20) AS pad` +
        ' FROM numbers(5000) SETTINGS output_format_parquet_row_group_size = 500, max_block_size = 500, max_threads = 1',
    );
    // The rows happened to come in order now and then.
    for (let upload = 0; upload < 6; upload += 1) {
      const stream = fresh();
      await server.client.call(`${stream}/settings`, { body: '{"columns":{"v":"Float64"}}' });
      expect(counts(await post(stream, body))).toMatchObject({ successful: 4996, failed: 4 });
      expect(
        await server.client.sql(
          `SELECT line, JSONExtractUInt(record, 'n') + 1 AS place FROM _rejected WHERE stream = '${stream}' ORDER BY line`,
        ),
      ).toEqual(odd.map((line) => ({ line, place: line })));
      const [kept] = await server.client.sql<{ isInOrder: boolean }>(
        `SELECT groupArray(n) = arraySort(groupArray(n)) AS isInOrder FROM (SELECT n FROM ${stream} ORDER BY _offset, _row)`,
      );
      expect(kept).toEqual({ isInOrder: true });
    }
  });

  it('keeps dots in names within structs, and within lists of structs', async () => {
    const select =
      "SELECT 1 AS id, CAST(tuple(tuple('z')), 'Tuple(`a.b` Tuple(`c.d` String))') AS s, [CAST(tuple(1), 'Tuple(`x.y` Int64)')] AS l";
    await post('dotted', await maker.make(select));
    const answer = await server.client.call('sql', { body: 'SELECT s, l FROM dotted' });
    expect(answer.json()).toEqual([{ s: { 'a.b': { 'c.d': 'z' } }, l: [{ 'x.y': 1 }] }]);
  });

  it('goes into a stream of JSON records, and widens it', async () => {
    const stream = fresh();
    const records = [{ id: 1, text: 'x', share: 1 }];
    await server.client.call(`${stream}/_json?wait=true`, {
      body: JSON.stringify(records),
    });
    expect(counts(await post(stream, fixture('parquet/row-groups.parquet')))).toMatchObject({
      successful: 100_000,
      failed: 0,
    });
    expect(await server.client.count(stream)).toBe(100_001);
  });

  it.each([
    ['invalid-utf8', 'row 2: field "text": invalid UTF-8'],
    [
      'double-keys',
      'row 2: field "map": object does not fit the column\'s type, Nullable(JSON), or names a nested field twice',
    ],
  ])('rejects the row that no record can be (%s)', async (name, error) => {
    const stream = fresh();
    expect(counts(await post(stream, fixture(`parquet/${name}.parquet`)))).toEqual({
      name: stream,
      successful: 1,
      failed: 1,
      error,
    });
    expect(await server.client.count(stream)).toBe(1);
  });

  it('answers zeros for no rows, and makes no stream', async () => {
    const stream = fresh();
    expect(counts(await post(stream, fixture('parquet/empty.parquet')))).toEqual({
      name: stream,
      successful: 0,
      failed: 0,
    });
    expect((await server.client.call(`${stream}/schema`)).status).toBe(404);
  });

  const whole = fixture('parquet/row-groups.parquet');
  const damaged = Buffer.from(whole);
  damaged.fill(0x55, 20_000, 20_400);
  it.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), 'the body is empty'],
    ['text', Buffer.from('[{"a":1}]'), 'the body is text, which _parquet does not take'],
    ['noise', Buffer.alloc(99, 1), 'is not a readable Parquet file: it does not end with PAR1'],
    ['the first half', whole.subarray(0, 40_000), 'it does not end with PAR1'],
    ['the last half', whole.subarray(40_000), 'the body cannot be read'],
    ['damage within', damaged, 'the body cannot be read'],
    [
      'a footer of noise',
      Buffer.concat([Buffer.alloc(99, 0x5a), Buffer.from([99, 0, 0, 0]), Buffer.from('PAR1')]),
      'its footer cannot be read',
    ],
    ['one name twice', fixture('parquet/twice.parquet'), 'has two columns "a"'],
  ])('answers 400 to %s and stores nothing', async (_, body, message) => {
    const stream = fresh();
    const answer = await post(stream, body);
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
    expect(answer.bytes.toString()).not.toContain(server.dataDirectory);
    expect(await server.client.count(stream).catch(() => 0)).toBe(0);
  });

  it('comes compressed, in a form, and under an Idempotency-Key', async () => {
    const stream = fresh();
    const body = fixture('parquet/numbers.parquet');
    const headers = { 'idempotency-key': 'parquet' };
    const first = await post(stream, body, headers);
    const again = await post(stream, gzipSync(body), { ...headers, 'content-encoding': 'gzip' });
    expect([first.status, again.bytes.toString()]).toEqual([200, first.bytes.toString()]);
    const edge = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
    const form = Buffer.concat([Buffer.from(edge), body, Buffer.from('\r\n--b--\r\n')]);
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await post(stream, form, { ...headers, ...type })).status).toBe(200);
    expect(await server.client.count(stream)).toBe(5);
    expect((await post(stream, form, type)).status).toBe(200);
    expect(await server.client.count(stream)).toBe(10);
    expect((await post(stream, fixture('parquet/times.parquet'), headers)).status).toBe(409);
  });
});

it('is read whole however long that takes: a client that has sent all is not idle', async () => {
  const server = await startServer({ variables: { MILLRACE_UPLOAD_IDLE_SECONDS: '1' } });
  try {
    const body = makeParquet(
      'SELECT number AS id, toString(cityHash64(number)) AS a, toString(cityHash64(number, 1)) AS b FROM numbers(1500000)',
    );
    const begun = performance.now();
    const answer = await server.client.call('/api/default/long/_parquet?wait=true', { body });
    expect(answer.json()).toMatchObject({ status: [{ successful: 1_500_000, failed: 0 }] });
    expect(performance.now() - begun).toBeGreaterThan(1000);
  } finally {
    await server.stop();
  }
}, 120_000);

it('does not unpack more than an upload may have', async () => {
  const server = await startServer({ variables: { MILLRACE_MAX_UPLOAD_BYTES: '1000000' } });
  try {
    const body = makeParquet('SELECT toUInt64(7) AS n FROM numbers(1000000)');
    expect(body.length).toBeLessThan(100_000);
    const answer = await server.client.call('/api/default/bomb/_parquet', { body });
    expect([answer.status, answer.json()]).toEqual([
      413,
      { code: 413, message: expect.stringContaining('1000000 bytes when unpacked') as string },
    ]);
  } finally {
    await server.stop();
  }
});
