import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { KEYS, REGION, startS3Double, type S3Double } from '../doubles/s3/s3-double.js';
import { filesOf, tar, tarGz, zip, type Files } from '../server/archive.js';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const table = (name: string, as = `${name}/`): Map<string, Buffer | string> =>
  filesOf(join(FIXTURES, 'delta', name), as);
const commit = (version: number): string => `_delta_log/${String(version).padStart(20, '0')}.json`;

describe('Delta Lake', () => {
  let server: Server;
  let s3: S3Double;
  let lake: string;
  let made = 0;
  const fresh = (): string => `delta${(made += 1)}`;
  const post = (
    stream: string,
    body: Buffer | string,
    { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> =>
    server.client.call(`/api/default/${stream}/_delta_lake?wait=true${query}`, { body, headers });
  const rowsOf = (stream: string): Promise<unknown> =>
    server.client.sql(`SELECT * EXCEPT _timestamp FROM ${stream} ORDER BY 1`);
  /** Uploads to a new stream. @returns the rows then in it, or the failure. */
  const upload = async (body: Buffer | string, query = ''): Promise<unknown> => {
    const stream = fresh();
    const answer = await post(stream, body, { query });
    if (answer.status !== 200) {
      expect(await server.client.count(stream).catch(() => 0)).toBe(0);
      expect(answer.bytes.toString()).not.toContain(server.dataDirectory);
      return [answer.status, answer.json<{ message: string }>().message];
    }
    const [counts] = answer.json<{ status: { successful: number; failed: number }[] }>().status;
    const rows = (await rowsOf(stream)) as unknown[];
    expect(counts).toEqual({ name: stream, successful: rows.length, failed: 0 });
    return rows;
  };
  const ids = (...values: number[]): unknown =>
    values.map((id) => expect.objectContaining({ id }) as unknown);

  beforeAll(async () => {
    lake = realpathSync(mkdtempSync(join(tmpdir(), 'lake-')));
    for (const org of ['default', 'acme'])
      cpSync(join(FIXTURES, 'delta'), join(lake, org), { recursive: true });
    const objects = ['partitioned', 'deletion-vectors', 'multi-part-checkpoint'].flatMap((name) => [
      ...table(name, `bucket/lake/${name}/`),
      ...table(name, `bucket/of/default/tables/${name}/`),
    ]);
    s3 = await startS3Double(new Map(objects.map(([key, content]) => [key, Buffer.from(content)])));
    server = await startServer({
      variables: {
        MILLRACE_DELTA_LOCATIONS: `file://${lake}/{org}, s3://bucket/of/{org}/tables`,
        MILLRACE_DELTA_SHARED_LOCATIONS: 's3://bucket/lake',
        AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
        AWS_REGION: REGION,
        AWS_ENDPOINT_URL: s3.endpoint,
      },
    });
  });
  afterAll(async () => {
    await server.stop();
    await s3.stop();
    rmSync(lake, { recursive: true, force: true });
  });

  const PARTITION = {
    text: 'a b/c',
    day: '2024-02-29',
    number: 7,
    flag: true,
    price: 12.3,
    at: '2024-02-29T12:30:15.250000Z',
  };
  const PARTITIONED = [
    { id: 1, ...PARTITION, value: 0.5 },
    {
      ...{ id: 3, text: null, day: null, number: null, flag: null, price: null, at: null },
      value: 2.5,
    },
    { id: 4, ...PARTITION, text: 'ü*{}?', day: '1969-12-31', value: null },
    { id: 6, ...PARTITION, value: 5.5 },
  ];
  const AT_1 = [
    PARTITIONED[0],
    { id: 2, ...PARTITION, text: 'x=1&%41', number: -7, flag: false, price: 3.05, value: 1.5 },
    PARTITIONED[1],
    PARTITIONED[2],
    { id: 5, ...PARTITION, value: 4.5 },
    PARTITIONED[3],
  ];

  it.each<[string, (files: Files) => Promise<Buffer>, string]>([
    ['tar', tar, 'partitioned/'],
    ['tar.gz', tarGz, './'],
    ['zip', zip, 'some/where/'],
    ['zip', zip, ''],
  ])(
    'takes the rows that the log says, partition columns with them (%s, %#)',
    async (_, archive, as) => {
      expect(await upload(await archive(table('partitioned', as)))).toEqual(PARTITIONED);
    },
  );

  it('keeps null objects, and says exactly what is within others', async () => {
    expect(await upload(await tar(table('null-objects', 't/')))).toEqual([
      { id: 1, s: null, m: null },
      {
        id: 2,
        s: {
          ...{
            at: '1600-01-02T03:04:05.678901Z',
            bytes: 'AP8=',
            day: '9999-12-31',
            half: Math.fround(0.1),
          },
          ...{
            days: ['1970-01-01', null],
            in: { small: -128 },
            wall: '2024-02-29T01:02:03.000000',
          },
          ...{ price: '-1234567890123456789012345678.0123456789', wide: Number(-(2n ** 63n)) },
        },
        m: { a: '2024-02-29' },
      },
      { id: 3, s: null, m: null },
      // A list has no null, within a struct neither.
      { id: 4, s: { days: [] }, m: {} },
      { id: 5, s: { days: [], wide: Number(2n ** 63n) }, m: { c: '0001-01-01' } },
    ]);
  });

  it('travels in time', async () => {
    const archive = await tar(table('partitioned'));
    expect(await upload(archive, '&version=1')).toEqual(AT_1);
    expect(await upload(archive, '&version=9')).toEqual([
      400,
      'broken Delta table: there is no version 9; the newest is 2',
    ]);
  });

  it('has null where a file is older than a column, and follows an overwrite', async () => {
    const archive = await tar(table('evolved'));
    expect(await upload(archive, '&version=2')).toEqual([
      { id: 1, text: null, nested: null },
      { id: 2, text: null, nested: null },
      { id: 3, text: 'three', nested: null },
      { id: 4, text: null, nested: { a: 1, b: ['x'] } },
    ]);
    expect(await upload(archive, '&version=0')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await upload(archive)).toEqual(ids(10, 11));
  });

  it('keeps values of every type, in columns of text as in those of their own', async () => {
    const stream = fresh();
    const body = await tar(table('types'));
    expect((await post(stream, body)).json()).toMatchObject({
      status: [
        {
          successful: 1,
          failed: 1,
          error: expect.stringContaining('the years 1900 to 2299') as string,
        },
      ],
    });
    const { schema } = (await server.client.call(`/api/default/${stream}/schema`)).json<{
      schema: { name: string; type: string }[];
    }>();
    expect(Object.fromEntries(schema.map(({ name, type }) => [name, type]))).toEqual({
      ...{ _timestamp: 'Timestamp', byte: 'Int8', short: 'Int16', integer: 'Int32' },
      ...{ long: 'Int64', float: 'Float32', double: 'Float64', boolean: 'Boolean' },
      ...{ string: 'Utf8', binary: 'Binary', date: 'Date32', timestamp: 'Timestamp' },
      timestamp_ntz: 'Timestamp(Microsecond, None)',
      ...{ decimal: 'Decimal128(10, 2)', large_decimal: 'Decimal128(38, 3)' },
      ...{ struct: 'Struct', list: 'List', structs: 'List', map: 'Map' },
    });
    const text = fresh();
    const columns = {
      ...{ date: 'Utf8', timestamp: 'Utf8', timestamp_ntz: 'Utf8', large_decimal: 'Utf8' },
      decimal: 'Float64',
    };
    await server.client.call(`/api/default/${text}/settings`, {
      body: JSON.stringify({ columns }),
    });
    expect((await post(text, body)).json()).toMatchObject({
      status: [{ successful: 2, failed: 0 }],
    });
    expect(await rowsOf(text)).toEqual([
      {
        byte: 1,
        short: -2,
        integer: 3,
        long: 2 ** 62,
        float: 0.5,
        double: 0.1,
        boolean: true,
        string: 'ü\n',
        binary: '/wA=',
        date: '9999-12-31',
        timestamp: '2024-02-29T12:30:15.250001Z',
        timestamp_ntz: '2024-02-29T12:30:15.250001',
        decimal: -12.34,
        large_decimal: '12345678901234567890.123',
        struct: { when: '2024-02-29', raw: 'AQ==', deep: { n: 1 } },
        list: [1, null, 3],
        structs: [{ a: 1.5 }],
        map: { k: 1 },
      },
      expect.objectContaining({ byte: null, string: null, struct: null, list: [], map: null }),
    ]);
  });

  it('takes a time that the rows have', async () => {
    const stream = fresh();
    expect((await post(stream, await tar(table('timed')))).status).toBe(200);
    expect(
      await server.client.sql(`SELECT * FROM ${stream} WHERE _timestamp < '2000-01-01'`),
    ).toEqual([{ _timestamp: '1970-01-01T00:00:01.000000Z', id: 1 }]);
  });

  it('reads a checkpoint with statistics of a column that is called null', async () => {
    const stream = fresh();
    const files = table('struct-statistics');
    for (const version of [0, 1, 2])
      expect(files.delete(`struct-statistics/${commit(version)}`)).toBe(true);
    expect((await post(stream, await tar(files))).bytes.toString()).toContain('"successful":2');
    expect(
      await server.client.sql(
        `SELECT \`null\`, decimal, map, nested_struct FROM ${stream} LIMIT 1`,
      ),
    ).toEqual([
      {
        null: null,
        decimal: -5.678,
        map: { map_key: 'map_value' },
        nested_struct: { struct_element: { nested_struct_element: 'nested_struct_value' } },
      },
    ]);
  });

  it('reads checkpoints of all kinds, with no commit before them', async () => {
    expect(await upload(await tar(table('checkpointed')))).toEqual(ids(0, 2, 3, 4));
    for (const name of ['multi-part-checkpoint', 'v2-checkpoint-json', 'v2-checkpoint-parquet']) {
      const files = table(name);
      for (let version = 0; version <= 10; version += 1)
        expect(files.delete(`${name}/${commit(version)}`)).toBe(true);
      const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
      const some = [1, 2, 3, 5, 6, 7, 8, 9, 11];
      expect([name, await upload(await tar(files))]).toEqual([
        name,
        ids(...(name.startsWith('v2') ? some : all)),
      ]);
      expect(await upload(await tar(files), '&version=9')).toEqual([
        400,
        `broken Delta table: commit ${commit(0)} is missing`,
      ]);
    }
  });

  it('leaves out what deletion vectors say, of the version that is asked for', async () => {
    const stream = fresh();
    const archive = await tar(table('deletion-vectors'));
    const sum = (): Promise<unknown> =>
      server.client.sql(
        `SELECT count() AS n, uniqExact(id) AS ids, countIf(id % 3 = 0 OR id BETWEEN 2990 AND 2999) AS deleted, max(id) AS max FROM ${stream}`,
      );
    expect((await post(stream, archive)).json()).toMatchObject({
      status: [{ successful: 1994, failed: 0 }],
    });
    expect(await sum()).toEqual([{ n: 1994, ids: 1994, deleted: 0, max: 5000 }]);
    for (const [version, rows] of [
      [1, 3000],
      [2, 2000],
      [3, 1993],
    ])
      expect((await post(fresh(), archive, { query: `&version=${version}` })).json()).toMatchObject(
        {
          status: [{ successful: rows, failed: 0 }],
        },
      );
  });

  it('leaves out what a deletion vector within the log says', async () => {
    expect(await upload(await tar(table('inline-deletion-vector')))).toEqual(ids(1, 2, 4));
  });

  it.each(['name', 'id'])('maps columns by %s', async (mode) => {
    expect(await upload(await tar(table(`column-mapping-${mode}`)))).toEqual([
      {
        ...{ id: 1, 'after it': 'one', 'new,col': null, pairs: { k: 1 }, part: 'p q' },
        inner: { a: 1, b: [{ c: 'x' }] },
      },
      expect.objectContaining({ id: 2, 'after it': 'two', part: null }),
      {
        ...{ id: 3, 'after it': 'three', 'new,col': 33, pairs: {}, part: 'r/s' },
        inner: { a: 3, b: [] },
      },
    ]);
  });

  it('reads columns whose type has widened', async () => {
    expect(await upload(await tar(table('type-widened')))).toEqual([
      { id: 1, n: 1 },
      { id: 2, n: null },
      { id: 3, n: 2_000_000_000 },
    ]);
  });

  it('reads the table of another project', async () => {
    const stream = fresh();
    const files = filesOf(join(FIXTURES, 'roapi/blogs-delta'), 'blogs/');
    expect((await post(stream, await tar(files))).json()).toMatchObject({
      status: [{ successful: 500, failed: 0 }],
    });
    expect(await server.client.count(stream)).toBe(500);
  });

  const dataFile = (files: Files): string =>
    [...files.keys()].find((name) => name.endsWith('.parquet')) ?? '';
  const changed =
    (path: string, from: string | RegExp, to: string) => (files: Map<string, Buffer | string>) => {
      const name = [...files.keys()].find((each) => each.endsWith(path)) ?? '';
      const before = String(files.get(name));
      const after = before.replace(from, to);
      expect(after).not.toBe(before);
      files.set(name, after);
    };
  it.each<[string, (files: Map<string, Buffer | string>) => unknown, string | RegExp]>([
    ['a gap between commits', (files) => files.delete(commit(1)), `commit ${commit(1)} is missing`],
    ['no first commit', (files) => files.delete(commit(0)), `commit ${commit(0)} is missing`],
    [
      'a commit cut off',
      (files) => files.set(commit(1), String(files.get(commit(1))).slice(0, -9)),
      /_delta_log\/0*1\.json, line \d+ is not JSON/,
    ],
    [
      'an action that is none',
      changed(commit(1), '"size":', '"sise":'),
      /_delta_log\/0*1\.json, line \d+: add\.size/,
    ],
    [
      'a data file missing',
      (files) => files.delete(dataFile(files)),
      /^broken Delta table: part-.*\.parquet is missing/,
    ],
    [
      'a data file of another size',
      (files) => files.set(dataFile(files), 'PAR1PAR1'),
      /^broken Delta table: part-.*\.parquet has 8 bytes, the log says \d+/,
    ],
    [
      'a data file of noise',
      (files) =>
        files.set(dataFile(files), Buffer.alloc((files.get(dataFile(files)) ?? '').length)),
      /^part-.*\.parquet is not a readable Parquet file/,
    ],
    [
      'a path out of the folder',
      changed(commit(1), /"path":"/, '"path":"../'),
      /the log names "\.\.\/part-.*", which is not in the table's folder/,
    ],
    [
      'an absolute path',
      changed(commit(1), /"path":"/, '"path":"file:///etc/'),
      "which is not in the table's folder",
    ],
    [
      'an unknown reader feature',
      changed(
        commit(0),
        /"protocol":\{.*?\}/,
        '"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timeWarp"],"writerFeatures":["timeWarp"]}',
      ),
      'this Delta table needs reader feature timeWarp, which is not supported',
    ],
    [
      'a later reader version',
      changed(commit(0), '"minReaderVersion":1', '"minReaderVersion":4'),
      'this Delta table needs reader version 4, which is not supported',
    ],
    [
      'a type that is not supported',
      changed(commit(2), '\\"type\\":\\"long\\"', '\\"type\\":\\"variant\\"'),
      'column "id" has type variant, which is not supported',
    ],
    [
      'a schema that is none',
      changed(commit(2), '\\"fields\\"', '\\"feelds\\"'),
      'the schema in its log cannot be understood',
    ],
    [
      'no log',
      (files) => {
        for (const name of [...files.keys()]) if (name.includes('_delta_log')) files.delete(name);
      },
      'there is no folder _delta_log in the archive',
    ],
    [
      'two tables',
      (files) => files.set(`other/${commit(0)}`, '{}'),
      'there is more than one table in the archive',
    ],
  ])('answers 400 to %s', async (_, breakIt, message) => {
    const files = table('evolved', '');
    for (const version of [3, 4]) files.delete(commit(version));
    breakIt(files);
    expect(await upload(await tar(files))).toEqual([
      400,
      typeof message === 'string'
        ? expect.stringContaining(message)
        : expect.stringMatching(message),
    ]);
  });

  it('answers 400 to a broken deletion vector', async () => {
    const files = table('deletion-vectors', '');
    for (const [name, content] of [...files]) {
      if (!name.endsWith('.bin')) continue;
      const broken = Buffer.from(content);
      broken.writeUInt8(broken.readUInt8(40) ^ 1, 40);
      files.set(name, broken);
    }
    expect(await upload(await tar(files))).toEqual([
      400,
      expect.stringMatching(/deletion_vector_.*\.bin is not what the log says at byte 1/),
    ]);
    for (const each of [...files.keys()]) if (each.endsWith('.bin')) files.delete(each);
    expect(await upload(await tar(files))).toEqual([
      400,
      expect.stringMatching(/deletion_vector_.*\.bin is missing/),
    ]);
  });

  it.each<[string, Buffer | string]>([
    ['text', 'hello'],
    ['JSON of another kind', '{"url":"s3://bucket/lake"}'],
    ['a gzip of noise', gzipSync('hello')],
    ['a gzip cut off', gzipSync('hello').subarray(0, 12)],
    ['a zip cut off', Buffer.from('PK\x03\x04hello')],
  ])('answers 400 to %s', async (_, body) => {
    expect(await upload(body)).toEqual([400, expect.stringMatching(/archive/)]);
  });

  it('comes encoded, in a form, and under an Idempotency-Key', async () => {
    const stream = fresh();
    const body = await tar(table('timed'));
    const headers = { 'idempotency-key': 'delta' };
    const first = await post(stream, body, { headers });
    const encoded = { ...headers, 'content-encoding': 'gzip' };
    const again = await post(stream, gzipSync(body), { headers: encoded });
    expect([first.status, again.bytes.toString()]).toEqual([200, first.bytes.toString()]);
    const edge = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
    const form = Buffer.concat([Buffer.from(edge), body, Buffer.from('\r\n--b--\r\n')]);
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await post(stream, form, { headers: type })).status).toBe(200);
    expect(await server.client.count(stream)).toBe(4);
  });

  const at = (uri: string, version?: number): string =>
    JSON.stringify({ uri, ...(version === undefined ? {} : { version }) });

  it('is read where the configuration allows, on disk', async () => {
    expect(await upload(at(`file://${lake}/default/partitioned`))).toEqual(PARTITIONED);
    expect(await upload(at(`file://${lake}/default/partitioned/`, 1))).toEqual(AT_1);
    expect(await upload(at(`file://${lake}/default/nothing`))).toEqual([
      400,
      'broken Delta table: there is no such folder',
    ]);
    expect(await upload(at(`file://${lake}/default`))).toEqual([
      400,
      'broken Delta table: there is no folder _delta_log at that place',
    ]);
  });

  it('is read from the organization’s own folder in S3', async () => {
    expect(await upload(at('s3://bucket/of/default/tables/partitioned'))).toEqual(PARTITIONED);
  });
  it('is read where the configuration allows, in S3', async () => {
    expect(await upload(at('s3://bucket/lake/partitioned'))).toEqual(PARTITIONED);
    expect(await upload(at('s3://bucket/lake/partitioned', 1))).toEqual(AT_1);
    expect(await upload(at('s3://bucket/lake/multi-part-checkpoint'))).toHaveLength(11);
    expect(await upload(at('s3://bucket/lake/deletion-vectors'))).toHaveLength(1994);
    expect(await upload(at('s3://bucket/lake/nothing'))).toEqual([
      400,
      'broken Delta table: there is no commit in _delta_log',
    ]);
    s3.fail(403);
    expect(await upload(at('s3://bucket/lake/partitioned'))).toEqual([
      400,
      expect.stringContaining('its storage answers 403'),
    ]);
    s3.fail(500);
    const answer = await post(fresh(), at('s3://bucket/lake/partitioned'));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '10']);
    s3.fail(undefined);
  });

  it.each([
    ['another place', () => 'file:///etc'],
    ["another organization's", () => `file://${lake}/acme/partitioned`],
    ['a name that only begins so', () => `file://${lake}/default-not/partitioned`],
    ['another bucket', () => 's3://bucket2/lake/partitioned'],
    ['a folder beside', () => 's3://bucket/lake2'],
    ["another organization's in S3", () => 's3://bucket/of/acme/tables/partitioned'],
    ['a name that only begins so in S3', () => 's3://bucket/of/default-b/tables/partitioned'],
    ['beside the own folder in S3', () => 's3://bucket/of/default/tables2/partitioned'],
  ])('is refused from %s', async (_, uri) => {
    const asked = s3.requests.length;
    expect(await upload(at(uri()))).toEqual([
      403,
      expect.stringContaining('this server takes no Delta table from that place'),
    ]);
    expect(s3.requests).toHaveLength(asked);
  });

  it.each(['../acme/partitioned', '%2e%2e/acme/partitioned', './partitioned', 'a%00b', 'a%5cb'])(
    'is refused by a path that might lead elsewhere (%s)',
    async (path) => {
      expect(await upload(at(`file://${lake}/default/${path}`))).toEqual([
        400,
        expect.stringContaining('uri'),
      ]);
    },
  );

  it.each(['gs://bucket/lake', 'http://127.0.0.1/lake', 'file://host/lake', 'lake', 's3:///lake'])(
    'is refused as no place at all (%s)',
    async (uri) => {
      expect((await post(fresh(), at(uri))).status).toBe(400);
    },
  );

  it('follows no link', async () => {
    const folder = join(lake, 'default');
    symlinkSync(join(lake, 'acme/partitioned'), join(folder, 'linked'));
    expect(await upload(at(`file://${folder}/linked`))).toEqual([
      400,
      'broken Delta table: /linked is a link, or behind one',
    ]);
    cpSync(join(folder, 'evolved'), join(folder, 'links-within'), { recursive: true });
    const [data = ''] = [...table('evolved', '').keys()].filter((name) =>
      name.endsWith('.parquet'),
    );
    rmSync(join(folder, 'links-within', data));
    symlinkSync(join(lake, 'acme/evolved', data), join(folder, 'links-within', data));
    expect(await upload(at(`file://${folder}/links-within`, 2))).toEqual([
      400,
      `broken Delta table: ${data} is a link, or behind one`,
    ]);
    rmSync(join(folder, 'links-within/_delta_log'), { recursive: true });
    symlinkSync(join(lake, 'acme/evolved/_delta_log'), join(folder, 'links-within/_delta_log'));
    expect(await upload(at(`file://${folder}/links-within`))).toEqual([
      400,
      'broken Delta table: _delta_log is a link, or behind one',
    ]);
    mkdirSync(join(folder, 'empty/_delta_log'), { recursive: true });
    expect(await upload(at(`file://${folder}/empty`))).toEqual([
      400,
      'broken Delta table: there is no commit in _delta_log',
    ]);
  });
});

it('takes Delta tables from nowhere, nor more than an upload may have, unless configured', async () => {
  const server = await startServer({ variables: { MILLRACE_MAX_UPLOAD_BYTES: '100000' } });
  const post = (body: Buffer | string): Promise<Answer> =>
    server.client.call('/api/default/refused/_delta_lake', { body });
  try {
    expect((await post('{"uri":"file:///tmp"}')).status).toBe(403);
    const bomb = new Map([[commit(0), Buffer.alloc(200_000)]]);
    for (const body of [await tarGz(bomb), await zip(bomb)]) {
      expect(body.length).toBeLessThan(10_000);
      const answer = await post(body);
      expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
        413,
        expect.stringContaining('100000 bytes when unpacked'),
      ]);
    }
  } finally {
    await server.stop();
  }
});
