import { makeParquet } from '../server/make-parquet.js';
import { arrowTypes, readArrow, readCsv, readParquet } from '../server/read-result.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const ARROW = 'application/vnd.apache.arrow.stream';
const ARROW_FILE = 'application/vnd.apache.arrow.file';
const PARQUET = 'application/parquet';
const EVERY = ['application/json', 'application/x-ndjson', 'text/csv', ARROW, ARROW_FILE, PARQUET];

const LONGEST = 9223372036854775807n;
const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

/** An expression of SQL; its JSON; its field of CSV; Arrow's type and value; Parquet's value. */
type Case = [
  sql: string,
  json: string,
  csv: string | null,
  arrowType: string,
  arrow: unknown,
  parquet: unknown,
];
const CASES: Case[] = [
  [
    'toInt64(-9223372036854775808)',
    '-9223372036854775808',
    '-9223372036854775808',
    'Int64',
    -(2n ** 63n),
    -(2n ** 63n),
  ],
  [
    'toUInt64(18446744073709551615)',
    '18446744073709551615',
    '18446744073709551615',
    'Uint64',
    2n ** 64n - 1n,
    2n ** 64n - 1n,
  ],
  [
    "toInt128('200000000000000000000')",
    '200000000000000000000',
    '200000000000000000000',
    'Utf8',
    '200000000000000000000',
    '200000000000000000000',
  ],
  ['toUInt256(5)', '5', '5', 'Utf8', '5', '5'],
  ['toDecimal64(-12.30, 2)', '-12.30', '-12.30', 'Decimal[18e+2]', expect.anything(), -12.3],
  [
    "toDecimal128('12345678901234567890.123', 3)",
    '12345678901234567890.123',
    '12345678901234567890.123',
    'Decimal[38e+3]',
    expect.anything(),
    Number('12345678901234567890.123'),
  ],
  ['nan', 'null', 'nan', 'Float64', NaN, NaN],
  ['-inf', 'null', '-inf', 'Float64', -Infinity, -Infinity],
  ['toFloat64(5e-324)', '5e-324', '5e-324', 'Float64', 5e-324, 5e-324],
  ['toFloat32(0.5)', '0.5', '0.5', 'Float32', 0.5, 0.5],
  ['toBFloat16(0.5)', '0.5', '0.5', 'Float32', 0.5, 0.5],
  ['true', 'true', 'true', 'Bool', true, true],
  ['NULL', 'null', null, 'Null', null, null],
  ["''", '""', '', 'Utf8', '', ''],
  [
    "toDateTime('2026-01-02 03:04:05')",
    '"2026-01-02T03:04:05Z"',
    '2026-01-02T03:04:05Z',
    'Timestamp<SECOND, UTC>',
    AT,
    new Date(AT),
  ],
  [
    "toDateTime('2026-01-02 04:04:05', 'Europe/Berlin')",
    '"2026-01-02T03:04:05Z"',
    '2026-01-02T03:04:05Z',
    'Timestamp<SECOND, Europe/Berlin>',
    AT,
    new Date(AT),
  ],
  [
    "toDateTime64('2026-01-02 03:04:05.123456', 6, 'UTC')",
    '"2026-01-02T03:04:05.123456Z"',
    '2026-01-02T03:04:05.123456Z',
    'Timestamp<MICROSECOND, UTC>',
    AT + 123.456,
    new Date(AT + 123),
  ],
  [
    "toDate('2026-01-02')",
    '"2026-01-02"',
    '2026-01-02',
    'Date32<DAY>',
    Date.UTC(2026, 0, 2),
    new Date('2026-01-02'),
  ],
  [
    "toDate32('1930-01-02')",
    '"1930-01-02"',
    '1930-01-02',
    'Date32<DAY>',
    Date.UTC(1930, 0, 2),
    new Date('1930-01-02'),
  ],
  [
    "toDateTime64('2026-01-02 03:04:05.123456', 6)",
    '"2026-01-02T03:04:05.123456"',
    '2026-01-02T03:04:05.123456',
    'Timestamp<MICROSECOND>',
    AT + 123.456,
    new Date(AT + 123),
  ],
  ["toTime('12:00:01')", '"12:00:01"', '12:00:01', 'Time32<SECOND>', 43_201, 43_201_000_000n],
  ['toIntervalDay(3)', '3', '3', 'Int64', 3n, 3n],
  [
    "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')",
    '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"',
    '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    'FixedSizeBinary[16]',
    { ...Buffer.from('61f0c4045cb311e7907ba6006ad3dba0', 'hex') },
    '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
  ],
  ["toIPv4('1.2.3.4')", '"1.2.3.4"', '1.2.3.4', 'Utf8', '1.2.3.4', '1.2.3.4'],
  ["toIPv6('::1')", '"::1"', '::1', 'Utf8', '::1', '::1'],
  ["CAST('a', 'Enum8(\\'a\\' = 1)')", '"a"', 'a', 'Utf8', 'a', 'a'],
  [
    "toFixedString('ab', 2)",
    '"ab"',
    'ab',
    'FixedSizeBinary[2]',
    { 0: 97, 1: 98 },
    Uint8Array.of(97, 98),
  ],
  ["toLowCardinality('x')", '"x"', 'x', 'Utf8', 'x', 'x'],
  [
    "'a\\0\\n\"\\\\/,é🎈'",
    '"a\\u0000\\n\\"\\\\/,é🎈"',
    'a\0\n"\\/,é🎈',
    'Utf8',
    'a\0\n"\\/,é🎈',
    'a\0\n"\\/,é🎈',
  ],
  ['[1, NULL]', '[1,null]', '[1,null]', 'List<Uint8>', [1, null], [1, null]],
  ['[nan, 1.5]', '[null,1.5]', '[null,1.5]', 'List<Float64>', [NaN, 1.5], [NaN, 1.5]],
  [
    "[['it\\'s'], []]",
    '[["it\'s"],[]]',
    '[["it\'s"],[]]',
    'List<List<Utf8>>',
    [["it's"], []],
    [["it's"], []],
  ],
  ['[]', '[]', '[]', 'List<Null>', [], []],
  [
    "map('k', 18446744073709551615)",
    '{"k":18446744073709551615}',
    '{"k":18446744073709551615}',
    'Map<{key:Utf8, value:Uint64}>',
    { k: 2n ** 64n - 1n },
    { k: 2n ** 64n - 1n },
  ],
  [
    "CAST((1, 'x'), 'Tuple(a Int8, b String)')",
    '{"a":1,"b":"x"}',
    '{"a":1,"b":"x"}',
    'Struct<{a:Int8, b:Utf8}>',
    { a: 1, b: 'x' },
    { a: 1, b: 'x' },
  ],
  [
    "(1, 'x')",
    '[1,"x"]',
    '[1,"x"]',
    'Struct<{1:Uint8, 2:Utf8}>',
    { 1: 1, 2: 'x' },
    { 1: 1, 2: 'x' },
  ],
  [
    `'{"a":{"b":[1,9007199254740993]}}'::JSON`,
    '{"a":{"b":[1,9007199254740993]}}',
    '{"a":{"b":[1,9007199254740993]}}',
    'Utf8',
    '{"a":{"b":[1,9007199254740993]}}',
    { a: { b: [1, 2 ** 53] } },
  ],
  [`'{"a":{"b":"text"}}'::JSON.a.b`, '"text"', 'text', 'Utf8', 'text', 'text'],
  [`'{"a":{"b":7}}'::JSON.a.b`, '7', '7', 'Utf8', '7', '7'],
  [`'{"a":{"b":7}}'::JSON.a.nothing`, 'null', null, 'Utf8', null, null],
  [`'{"a":[{"b":7}]}'::JSON.a`, '[{"b":7}]', '[{"b":7}]', 'Utf8', '[{"b":7}]', '[{"b":7}]'],
  ['7::Variant(String, UInt64)', '7', '7', 'Utf8', '7', '7'],
];

describe('types of columns in answers', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const ask = async (accept: string, body?: string, path = 'sql'): Promise<Buffer> => {
    const { status, bytes } = await server.client.call(path, {
      headers: { accept },
      ...(body !== undefined && { body }),
    });
    if (status !== 200) throw new Error(`${status} ${bytes.toString()}`);
    return bytes;
  };

  it.each(CASES)('%s is %s in JSON', async (sql, json, csv, arrowType, arrow, parquet) => {
    const statement = `SELECT ${sql} AS x, 2 AS y`;
    const get = (accept: string): Promise<Buffer> => ask(accept, statement);
    expect((await get('application/json')).toString()).toBe(`[\n{"x":${json},"y":2}\n]\n`);
    expect((await get('application/x-ndjson')).toString()).toBe(`{"x":${json},"y":2}\n`);
    expect(readCsv((await get('text/csv')).toString())).toEqual([
      ['x', 'y'],
      [csv, '2'],
    ]);
    for (const type of [ARROW, ARROW_FILE]) {
      const bytes = await get(type);
      expect(arrowTypes(bytes)).toEqual({ x: arrowType, y: 'Uint8' });
      expect(readArrow(bytes)).toEqual([{ x: arrow, y: 2 }]);
    }
    expect(await readParquet(await get(PARQUET))).toEqual([{ x: parquet, y: 2 }]);
  });

  it('sends valid JSON where a text was cut within a character', async () => {
    const cut = "SELECT substring('é', 1, 1) AS x, unhex('ff') AS y";
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const bytes = await ask(accept, cut);
      expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toContain(
        '{"x":"\ufffd","y":"\ufffd"}',
      );
    }
  });

  it('shows no address of its memory for the state of an aggregate', async () => {
    const [row] = readArrow(await ask(ARROW, 'SELECT uniqState(7) AS x'));
    expect(row?.x).toEqual(expect.any(String));
  });

  describe('of a stream, on every frontend', () => {
    const COLUMNS = ['i', 'u', 'f', 't', 'b', 'l', 'll', 'o', 'lo', '_timestamp'];
    const QUERY = {
      sql: `SELECT ${COLUMNS.join(', ')} FROM kinds ORDER BY _timestamp`,
      graphql: `{ kinds(sort: [{field: _timestamp, order: asc}]) { ${COLUMNS.join(' ')} } }`,
      tables: `tables/kinds?columns=${COLUMNS.join(',')}&sort=_timestamp`,
    };
    const frontends = (accept: string, empty = false): readonly Promise<Buffer>[] => [
      ask(accept, empty ? QUERY.sql.replace('ORDER', 'WHERE i = 1 ORDER') : QUERY.sql),
      ask(accept, undefined, `${QUERY.tables}${empty ? '&filter[i]=1' : ''}`),
      ask(
        accept,
        empty ? QUERY.graphql.replace('(', '(filter: {i: 1}, ') : QUERY.graphql,
        'graphql',
      ),
    ];
    const TEXT = '\\u0000\\"\\\\é🎈\\n';
    /**
     * The rows are as they were uploaded; the second has nothing, and the third has values that are
     * no numbers.
     */
    const FULL = `"i":9223372036854775807,"u":18446744073709551615,"f":5e-324,"t":"${TEXT}","b":true,"l":["a",null],"ll":[["it's"],[]],"o":{"a":{"b":[1,9007199254740993]},"c":"x"},"lo":[{"a":1}]`;
    const NONE = '"i":null,"u":null,"f":null,"t":null,"b":null,"l":[],"ll":[],"o":null,"lo":[]';
    const LINES = [
      `{${FULL},"_timestamp":"2026-01-02T03:04:05.123456Z"}`,
      `{${NONE},"_timestamp":"2026-01-02T03:04:06.000000Z"}`,
      `{${NONE},"_timestamp":"2026-01-02T03:04:07.000000Z"}`,
      `{${NONE.replace('"i":null', '"i":-9223372036854775808')},"_timestamp":"2026-01-02T03:04:08.000000Z"}`,
    ];

    beforeAll(async () => {
      await server.client.call('kinds/settings', {
        body: JSON.stringify({ columns: { i: 'Int64', u: 'UInt64', f: 'Float64' } }),
      });
      const uploaded = await server.client.upload(
        'kinds',
        `{"_timestamp":"2026-01-02T03:04:05.123456Z",${FULL}}\n{"_timestamp":"2026-01-02T03:04:06Z"}\n{"_timestamp":"2026-01-02T03:04:08Z","i":-9223372036854775808}`,
      );
      expect(uploaded).toMatchObject({ successful: 3 });
      const table = makeParquet(
        "SELECT toDateTime64('2026-01-02 03:04:07', 6, 'UTC') AS _timestamp, -inf AS f",
      );
      const { status } = await server.client.call('kinds/_parquet?wait=true', {
        body: table,
      });
      expect(status).toBe(200);
    });

    it('in JSON, NDJSON', async () => {
      for (const answer of frontends('application/json'))
        expect((await answer).toString()).toBe(`[\n${LINES.join(',\n')}\n]\n`);
      for (const answer of frontends('application/x-ndjson'))
        expect((await answer).toString()).toBe(`${LINES.join('\n')}\n`);
    });

    it('in CSV', async () => {
      const none = ['[]', '[]', null, '[]'];
      for (const answer of frontends('text/csv'))
        expect(readCsv((await answer).toString())).toEqual([
          COLUMNS,
          [
            String(LONGEST),
            '18446744073709551615',
            '5e-324',
            '\0"\\é🎈\n',
            'true',
            '["a",null]',
            '[["it\'s"],[]]',
            '{"a":{"b":[1,9007199254740993]},"c":"x"}',
            '[{"a":1}]',
            '2026-01-02T03:04:05.123456Z',
          ],
          [null, null, null, null, null, ...none, '2026-01-02T03:04:06.000000Z'],
          [null, null, '-inf', null, null, ...none, '2026-01-02T03:04:07.000000Z'],
          ['-9223372036854775808', null, null, null, null, ...none, '2026-01-02T03:04:08.000000Z'],
        ]);
    });

    const FIRST = {
      i: LONGEST,
      u: 2n ** 64n - 1n,
      f: 5e-324,
      t: '\0"\\é🎈\n',
      b: true,
      l: ['a', null],
    };
    const NULLS = { i: null, u: null, f: null, t: null, b: null, l: [] };

    it.each([ARROW, ARROW_FILE])('in %s', async (accept) => {
      for (const answer of frontends(accept)) {
        const bytes = await answer;
        expect(arrowTypes(bytes)).toMatchObject({
          i: 'Int64',
          u: 'Uint64',
          f: 'Float64',
          t: 'Utf8',
          b: 'Bool',
          l: 'List<Utf8>',
          _timestamp: 'Timestamp<MICROSECOND, UTC>',
        });
        const rows = readArrow(bytes);
        expect(rows).toMatchObject([
          {
            ...FIRST,
            o: '{"a":{"b":[1,9007199254740993]},"c":"x"}',
            lo: ['{"a":1}'],
            _timestamp: AT + 123.456,
          },
          NULLS,
          { ...NULLS, f: -Infinity },
          { ...NULLS, i: -(2n ** 63n) },
        ]);
        // Its elements may be of any kind.
        expect(rows[0]?.ll).toEqual(['["it\'s"]', '[]']);
      }
    });

    it('in Parquet', async () => {
      for (const answer of frontends(PARQUET)) {
        const rows = await readParquet(await answer);
        expect(rows).toMatchObject([
          { ...FIRST, o: { a: { b: [1, 2 ** 53] }, c: 'x' }, lo: [{ a: 1 }] },
          NULLS,
          { ...NULLS, f: -Infinity },
          { ...NULLS, i: -(2n ** 63n) },
        ]);
        // Its elements may be of any kind.
        expect(rows[0]?.ll).toEqual(['["it\'s"]', '[]']);
      }
    });

    it('in search: nothing that is null, times in microseconds', async () => {
      const { bytes } = await server.client.call('_search', {
        body: JSON.stringify({ query: { sql: QUERY.sql } }),
      });
      const hits = /"hits":\[(.*)\],"total":4/s.exec(bytes.toString())?.[1];
      expect(hits).toBe(
        [
          `{${FULL},"_timestamp":1767323045123456}`,
          '{"l":[],"ll":[],"lo":[],"_timestamp":1767323046000000}',
          '{"l":[],"ll":[],"lo":[],"_timestamp":1767323047000000}',
          '{"i":-9223372036854775808,"l":[],"ll":[],"lo":[],"_timestamp":1767323048000000}',
        ].join(','),
      );
    });

    it.each(EVERY)('as a whole %s without rows', async (accept) => {
      for (const answer of frontends(accept, true)) {
        const bytes = await answer;
        if (accept.includes('arrow')) expect(readArrow(bytes)).toEqual([]);
        else if (accept === PARQUET) expect(await readParquet(bytes)).toEqual([]);
        else if (accept === 'text/csv') expect(readCsv(bytes.toString())).toEqual([COLUMNS]);
        else expect(bytes.toString()).toBe(accept === 'application/json' ? '[]\n' : '');
      }
    });

    it('in the envelope of GraphQL, keys within JSON too', async () => {
      const query = `{ kinds(filter: {i: {gt: 0}}) { i u o { a { b } c } } none: kinds(limit: 0) { i } }`;
      const { bytes } = await server.client.call('graphql', {
        body: JSON.stringify({ query }),
        headers: { 'content-type': 'application/json' },
      });
      expect(bytes.toString().replace(/\n/g, '')).toBe(
        '{"data":{"kinds":[{"i":9223372036854775807,"u":18446744073709551615,"o":{"a":{"b":[1,9007199254740993]},"c":"x"}}],"none":[]}}',
      );
    });

    it.each([ARROW, ARROW_FILE, PARQUET, 'text/csv'])(
      'with a selection of GraphQL within JSON in %s',
      async (accept) => {
        const query = '{ kinds(filter: {i: {gt: 0}}) { o { a { b } c } lo { a } } }';
        const bytes = await ask(accept, query, 'graphql');
        const expected = { o: { a: { b: '[1,9007199254740993]' }, c: 'x' }, lo: [{ a: '1' }] };
        if (accept === 'text/csv')
          expect(readCsv(bytes.toString())[1]).toEqual([
            '{"a":{"b":[1,9007199254740993]},"c":"x"}',
            '[{"a":1}]',
          ]);
        else
          expect(accept === PARQUET ? await readParquet(bytes) : readArrow(bytes)).toEqual([
            expected,
          ]);
      },
    );
  });
});
