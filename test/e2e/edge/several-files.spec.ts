import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startParquetMaker, type ParquetMaker } from '../../server/parquet-maker.js';
import { edgeInFolder } from '../../server/edge-in-folder.js';
import { until } from '../../server/until.js';

const MODES = ['', ',materialize=false', ',materialize=true'];

describe('files whose types or folders differ', () => {
  const own = edgeInFolder('edge-several-');
  const { folder } = own;
  let maker: ParquetMaker;
  beforeAll(() => (maker = startParquetMaker()));
  afterAll(() => maker.stop());

  const register = (uri: string) => own.edge.post('/api/table', [{ tableName: 't', uri }]);
  const rows = async (what = '*'): Promise<unknown> =>
    (await own.edge.sql(`SELECT ${what} FROM t ORDER BY id`)).json();
  const write = async (name: string, select: string): Promise<void> => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await maker.make(select));
  };

  it.each([
    ['signs', 'toInt8(-1)', 'toUInt8(255)', -1, 255],
    ['widths', 'toInt32(1)', 'toInt64(1099511627776)', 1, 1099511627776],
    ['digits', 'toDecimal32(1.25, 2)', 'toDecimal32(1.2345, 4)', 1.25, 1.2345],
  ])('Parquet of other %s has all values', async (name, first, second, one, two) => {
    await write(`${name}/1.parquet`, `SELECT 1 AS id, ${first} AS v`);
    await write(`${name}/2.parquet`, `SELECT 2 AS id, ${second} AS v`);
    for (const mode of MODES) {
      expect((await register(`${name},format=parquet${mode}`)).status).toBe(200);
      expect(await rows()).toEqual([
        { id: 1, v: one },
        { id: 2, v: two },
      ]);
    }
  });

  it('a file of a wider type that comes later is an error until the table is read again', async () => {
    const [narrow, wide] = [
      'SELECT 1 AS id, toInt32(1) AS v',
      'SELECT 2 AS id, toInt64(1099511627777) AS v',
    ];
    await write('later/1.parquet', narrow);
    const both = [
      { id: 1, v: 1 },
      { id: 2, v: 1099511627777 },
    ];
    expect((await register('later/*.parquet')).status).toBe(200);
    expect(await rows()).toEqual([{ id: 1, v: 1 }]);
    await write('later/2.parquet', wide);
    const refused = await own.edge.sql('SELECT * FROM t');
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('column \\"v\\" has another type')]); // prettier-ignore
    expect((await register('later/*.parquet')).status).toBe(200);
    expect(await rows()).toEqual(both);

    rmSync(join(folder, 'later/2.parquet'));
    expect((await register('later,format=parquet,materialize=false')).status).toBe(200);
    await write('later/2.parquet', wide);
    expect((await own.edge.sql('SELECT * FROM t ORDER BY id')).text).toContain('another type');
    // A folder is read again by itself.
    await until(async () => (await own.edge.sql('SELECT * FROM t')).status === 200);
    expect(await rows()).toEqual(both);
  });

  it.each(['parquet', 'arrow'])('%s has the columns of all its files', async (format) => {
    const [ending, accept] =
      format === 'arrow'
        ? ['arrow', 'application/vnd.apache.arrow.file']
        : ['parquet', 'application/parquet'];
    for (const [n, select] of [`SELECT 1 AS id, 'x' AS a`, 'SELECT 2 AS id, true AS b'].entries()) {
      await write(`made-${n}.parquet`, select);
      expect((await register(`made-${n}.parquet`)).status).toBe(200);
      const answer = await fetch(`${own.edge.url}/api/sql`, {
        method: 'POST',
        body: 'SELECT * FROM t',
        headers: { accept },
      });
      mkdirSync(join(folder, format), { recursive: true });
      writeFileSync(
        join(folder, format, `${n}.${ending}`),
        Buffer.from(await answer.arrayBuffer()),
      );
    }
    for (const mode of MODES) {
      expect(await register(`${format},format=${format}${mode}`)).toMatchObject({ status: 200 });
      expect(await rows('id, a, b')).toEqual([
        { id: 1, a: 'x', b: null },
        { id: 2, a: null, b: true },
      ]);
    }
  });

  it('names of folders are percent-encoded, and one is no value', async () => {
    await write('hive/y=2023/m=a%2Fb/z=007/p=50%25/1.parquet', 'SELECT 1 AS id');
    await write('hive/y=2024/m=%C3%BC%20d/z=8/p=+/2.parquet', 'SELECT 2 AS id');
    const none = '__HIVE_DEFAULT_PARTITION__';
    await write(`hive/y=${none}/m=${none}/z=9/p=c/3.parquet`, 'SELECT 3 AS id');
    for (const mode of MODES) {
      const { status, text } = await register(`hive,format=parquet${mode}`);
      expect([status, text]).toEqual([200, expect.any(String)]);
      expect(await rows('id, y, m, z, p')).toEqual([
        { id: 1, y: 2023, m: 'a/b', z: '007', p: '50%' },
        { id: 2, y: 2024, m: 'ü d', z: '8', p: '+' },
        { id: 3, y: null, m: null, z: '9', p: 'c' },
      ]);
      expect(await (await own.edge.sql(`SELECT id FROM t WHERE m = 'a/b'`)).json()).toEqual([
        { id: 1 },
      ]);
    }
    const declared = ',partition_columns=[{"name":"z","data_type":"UInt16"}]';
    expect(await register(`hive,format=parquet${declared}`)).toMatchObject({ status: 200 });
    expect(await rows('z')).toEqual([{ z: 7 }, { z: 8 }, { z: 9 }]);
  });

  it('CSV and JSON know the names of folders, too', async () => {
    for (const [format, bytes] of [
      ['csv', 'id\n1\n'],
      ['ndjson', '{"id":1}\n'],
    ] as const) {
      const within = join(folder, `${format}s/m=a%2Fb`);
      mkdirSync(within, { recursive: true });
      writeFileSync(join(within, `1.${format}`), bytes);
      expect(await register(`${format}s,format=${format}`)).toMatchObject({ status: 200 });
      expect(await rows()).toEqual([{ id: 1, m: 'a/b' }]);
    }
  });

  it.each([
    ['toInt64(70000)', 'Int16'],
    ['toInt64(-1)', 'UInt8'],
    ['toDecimal64(1.239, 3)', '{"Decimal128":[9,2]}'],
    ['toFloat64(0.5)', 'Int64'],
    ['toInt64(9007199254740993)', 'Float64'],
    ["toDateTime64('2024-01-01 00:00:00.5', 3, 'UTC')", '{"Timestamp":["Second","UTC"]}'],
  ])('a declared type that does not hold %s refuses it', async (value, type) => {
    await write('narrow.parquet', `SELECT ${value} AS v`);
    const declared = type.startsWith('{') ? type : `"${type}"`;
    const schema = `schema={"columns":[{"name":"v","data_type":${declared},"nullable":true}]}`;
    for (const mode of MODES) {
      const { status, text } = await register(`narrow.parquet,${schema}${mode}`);
      expect([status, text]).toEqual([400, expect.stringContaining('does not hold')]);
      expect(text).toContain('column \\"v\\"');
    }
  });

  it('a declared type that holds every value has it', async () => {
    await write('wide.parquet', 'SELECT 1 AS id, toInt32(7) AS a, toFloat64(0.25) AS b, NULL::Nullable(Int64) AS c'); // prettier-ignore
    const column = (name: string, type: string): string =>
      `{"name":"${name}","data_type":${type},"nullable":true}`;
    const columns = [column('id', '"Int64"'), column('a', '"Int8"'), column('b', '{"Decimal128":[9,2]}'), column('c', '"Int8"')]; // prettier-ignore
    for (const mode of MODES) {
      const uri = `wide.parquet,schema={"columns":[${columns.join(',')}]}${mode}`;
      expect(await register(uri)).toMatchObject({ status: 200 });
      expect(await rows()).toEqual([{ id: 1, a: 7, b: 0.25, c: null }]);
    }
  });
});
