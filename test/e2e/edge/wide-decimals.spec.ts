import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowServer, type BorrowedServer } from '../../server/borrow-server.js';
import { deltaArchive } from '../../server/delta-archive.js';
import { startEdge, type Edge } from '../../server/start-edge.js';
import { BUCKET, startS3, type S3 } from '../../server/start-s3.js';

const fixture = (name: string): string =>
  join(import.meta.dirname, '../../fixtures/parquet', `${name}.parquet`);
const ICEBERG = join(import.meta.dirname, '../../fixtures/iceberg/wide-decimals');
const WIDE = fixture('wide-decimals');
const WITHIN = fixture('wide-decimals-within');
const OTHERWISE = fixture('wide-decimals-otherwise');
const FEW = ['i5', 'i9', ...[5, 7, 8, 9, 16, 32].map((bytes) => `f5_${bytes}`)];
const MANY = [9, 12, 16, 20].map((bytes) => `f18_${bytes}`);
const MOST = [17, 31, 32].map((bytes) => `f38_${bytes}`);
/** A row of values as they are written, as texts. */
const row = (id: number, few: string | null, many: string | null, most: string | null) => ({
  id,
  ...Object.fromEntries(FEW.map((name) => [name, few])),
  ...Object.fromEntries(MANY.map((name) => [name, many])),
  ...Object.fromEntries(MOST.map((name) => [name, most])),
});
const ROWS = [
  row(0, '123.45', '1000000000000000.01', '100000000000000000000000000000000000.01'),
  row(1, '-123.45', '-1000000000000000.01', '-100000000000000000000000000000000000.01'),
  row(2, null, null, null),
  row(3, '0', '0', '0'),
  row(4, '999.99', '9999999999999999.99', '999999999999999999999999999999999999.99'),
  row(5, '-999.99', '-9999999999999999.99', '-999999999999999999999999999999999999.99'),
];
const TEXTS = [...FEW, ...MANY, ...MOST].map((name) => `CAST(${name} AS VARCHAR) AS ${name}`);
const ALL = `SELECT id, ${TEXTS.join(', ')} FROM`;
const NESTED = [
  { id: 1, l: [0.01, null, -0.02], s: { k: 7, sx: 0.05, t: 'x' }, m: { a: 0.07 } },
  { id: 2, s: null },
  { id: 3, l: [], s: { sx: -0.05 }, m: {} },
];
const DELTA_TYPES = Object.fromEntries([
  ['id', 'long'],
  ...FEW.map((name) => [name, name === 'i9' ? 'decimal(9,2)' : 'decimal(5,2)']),
  ...MANY.map((name) => [name, 'decimal(18,2)']),
  ...MOST.map((name) => [name, 'decimal(38,2)']),
]) as Readonly<Record<string, string>>;
const LOG = '_delta_log/00000000000000000000.json';
const deltaLog = (types: Readonly<Record<string, string>>, files: readonly string[]): string => {
  const fields = Object.entries(types).map(([name, type]) => ({ name, type, nullable: true, metadata: {} })); // prettier-ignore
  const schemaString = JSON.stringify({ type: 'struct', fields });
  const added = files.map((path) => ({ add: { path, partitionValues: {}, size: readFileSync(fixture(path.replace('.parquet', ''))).length, modificationTime: 0, dataChange: true } })); // prettier-ignore
  return [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    { metaData: { id: 'd', format: { provider: 'parquet', options: {} }, schemaString, partitionColumns: [], configuration: {} } },
    ...added,
  ].map((line) => JSON.stringify(line)).join('\n'); // prettier-ignore
};

describe('decimals of Parquet in more bytes than their digits need', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-wide-decimals-'));
  let server: BorrowedServer;
  let s3: S3;
  let site: Server;
  let edge: Edge;
  beforeAll(async () => {
    server = await borrowServer();
    s3 = await startS3();
    site = createServer((request, response) => {
      response.end(readFileSync(fixture((request.url ?? '').slice(1).replace('.parquet', ''))));
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    writeFileSync(join(folder, 'first.csv'), 'a\n1\n');
    edge = await startEdge(['-t', 'first.csv'], { directory: folder, variables: s3.variables });
  });
  afterAll(async () => {
    await edge.stop();
    await s3.stop();
    site.close();
    await server.giveBack();
    rmSync(folder, { recursive: true, force: true });
  });

  const register = async (uri: string): Promise<string> => {
    const made = await edge.post('/api/table', [{ tableName: 't', uri }]);
    return made.status === 200 ? '' : made.text;
  };
  const ask = async (sql: string) => (await edge.sql(sql)).json();
  const declared = (columns: readonly object[]): string =>
    `,schema=${JSON.stringify({ columns: columns.map((each) => ({ nullable: true, ...each })) })}`;
  const upload = (path: string, body: Buffer) => server.client.call(`${path}?wait=true`, { body });
  /** The folder of a Delta table, with these files. */
  const deltaOf = (name: string, types: Readonly<Record<string, string>>, files: readonly string[]): string => {
    const table = join(folder, name);
    mkdirSync(join(table, '_delta_log'), { recursive: true });
    for (const file of files) copyFileSync(fixture(file.replace('.parquet', '')), join(table, file));
    writeFileSync(join(table, LOG), deltaLog(types, files));
    return table;
  }; // prettier-ignore

  it.each(['', ',materialize=false', ',materialize=true'])(
    'are read exactly from files of this machine%s',
    async (more) => {
      expect(await register(`${WIDE}${more}`)).toBe('');
      expect(await ask(`${ALL} t ORDER BY id`)).toEqual(ROWS);
      expect(await ask('SELECT id FROM t WHERE i9 < 0 ORDER BY id')).toEqual([
        { id: 1 },
        { id: 5 },
      ]);
      expect(await ask('SELECT id FROM t WHERE f18_12 = 1000000000000000.01')).toEqual([{ id: 0 }]);
      expect(await ask('SELECT count(*) AS n, sum(i9) AS s FROM t')).toEqual([{ n: 6, s: 0 }]);
    },
  );

  it('are read exactly from files elsewhere', async () => {
    const { port } = site.address() as AddressInfo;
    await s3.put('some/1.parquet', WIDE);
    for (const uri of [`http://127.0.0.1:${port}/wide-decimals.parquet`, `s3://${BUCKET}/some/,format=parquet`]) {
      expect(await register(uri)).toBe('');
      expect(await ask(`${ALL} t ORDER BY id`)).toEqual(ROWS);
    }
    expect(await register(`http://127.0.0.1:${port}/wide-decimals-within.parquet`)).toBe('');
    expect(await ask('SELECT id, l, m FROM t WHERE id = 1')).toMatchObject([{ l: NESTED[0]?.l, m: NESTED[0]?.m }]);
  }); // prettier-ignore

  it('are read exactly from files elsewhere that have no statistics', async () => {
    const { port } = site.address() as AddressInfo;
    expect(await register(`http://127.0.0.1:${port}/wide-decimals-untold.parquet`)).toBe('');
    const values = [123.45, -123.45, null, 0, 999.99, -999.99];
    expect(await ask('SELECT * FROM t ORDER BY id')).toEqual(
      values.map((value, id) => ({ id, f5_12: value, f20_9: value, f9_nulls: null })),
    );
  });

  it('are read exactly from Delta tables, here and elsewhere', async () => {
    expect(await register(`${deltaOf('delta', DELTA_TYPES, ['wide-decimals.parquet'])},format=delta`)).toBe('');
    expect(await ask(`${ALL} t ORDER BY id`)).toEqual(ROWS);
    await s3.put('delta/wide-decimals.parquet', WIDE);
    await s3.put(`delta/${LOG}`, join(folder, 'delta', LOG));
    expect(await register(`s3://${BUCKET}/delta,format=delta`)).toBe('');
    expect(await ask(`${ALL} t ORDER BY id`)).toEqual(ROWS);
    // A file that the log does not name is no matter.
    copyFileSync(OTHERWISE, join(folder, 'delta', 'other.parquet'));
    expect(await register(`${join(folder, 'delta')},format=delta`)).toBe('');
  }); // prettier-ignore

  it('are read exactly in uploads', async () => {
    expect((await upload('wide/_parquet', readFileSync(WIDE))).json()).toMatchObject({ status: [{ successful: 6, failed: 0 }] });
    expect(await server.client.sql(`${ALL} wide ORDER BY id`)).toEqual(ROWS);
    const archive = await deltaArchive(readFileSync(WIDE), DELTA_TYPES);
    expect((await upload('wide_delta/_delta_lake', archive)).json()).toMatchObject({ status: [{ successful: 6, failed: 0 }] });
    expect(await server.client.sql(`${ALL} wide_delta ORDER BY id`)).toEqual(ROWS);
  }); // prettier-ignore

  it('are read within lists, structs and maps', async () => {
    expect(await register(WITHIN)).toBe('');
    expect(await ask('SELECT * FROM t ORDER BY id')).toMatchObject(NESTED);
    await upload('wide_within/_parquet', readFileSync(WITHIN));
    const rows = await server.client.sql('SELECT id, l, s, m FROM wide_within ORDER BY id');
    expect(rows).toMatchObject(NESTED);
  });

  it('may be declared', async () => {
    const columns = [
      { name: 'i9', data_type: { Decimal128: [20, 4] } },
      { name: 'f18_12', data_type: 'Utf8' },
      { name: 'f5_7', data_type: 'Float64' },
    ];
    const { port } = site.address() as AddressInfo;
    for (const uri of [WIDE, `http://127.0.0.1:${port}/wide-decimals.parquet`]) {
      expect(await register(`${uri}${declared(columns)}`)).toBe('');
      expect(await ask("SELECT * FROM t WHERE i9 = 123.45")).toEqual([{ i9: 123.45, f18_12: '1000000000000000.01', f5_7: 123.45 }]);
      expect(await register(`${uri}${declared([{ name: 'f18_12', data_type: { Decimal128: [9, 2] } }])}`)).toContain('is more than its type holds');
    }
  }); // prettier-ignore

  it('are refused where files of a table have them in several ways', async () => {
    const table = join(folder, 'several');
    mkdirSync(table);
    copyFileSync(WIDE, join(table, 'a.parquet'));
    copyFileSync(OTHERWISE, join(table, 'b.parquet'));
    const ways = 'column \\"i9\\" has decimals in more bytes than their digits need, and in one file in others';
    expect(await register(`${table},format=parquet`)).toContain(ways);
    expect(await register(`${table},format=parquet${declared([{ name: 'id', data_type: 'Int64' }])}`)).toBe('');
    for (const file of ['a', 'b']) await s3.put(`several/${file}.parquet`, join(table, `${file}.parquet`));
    expect(await register(`s3://${BUCKET}/several/,format=parquet`)).toContain(ways);
    const delta = deltaOf('several-delta', { id: 'long', i9: 'decimal(9,2)' }, ['wide-decimals.parquet', 'wide-decimals-otherwise.parquet']);
    expect(await register(`${delta},format=delta`)).toContain(ways);
  }); // prettier-ignore

  it('that come later in another way are refused, and read when the table is read again', async () => {
    const file = join(folder, 'later.parquet');
    copyFileSync(WIDE, file);
    const [own] = [`${file},materialize=false${declared([{ name: 'i9', data_type: { Decimal128: [9, 2] } }])}`]; // prettier-ignore
    expect(await register(own)).toBe('');
    copyFileSync(OTHERWISE, file);
    const { status, text } = await edge.sql('SELECT i9 FROM t');
    expect([status, text]).toEqual([503, expect.stringContaining('column \\"i9\\" has its decimals in other bytes')]); // prettier-ignore
    expect(await register(own)).toBe('');
    expect(await ask('SELECT i9 FROM t ORDER BY i9')).toEqual([{ i9: -123.45 }, { i9: 123.45 }]);
  });

  it('are refused in Iceberg tables, here and elsewhere, with the column', async () => {
    const told = 'column \\"i9\\" has decimals in more bytes than their digits need';
    expect(await register(`${ICEBERG},format=iceberg`)).toContain(told);
    for (const file of readdirSync(ICEBERG, { recursive: true, encoding: 'utf8' }))
      if (statSync(join(ICEBERG, file)).isFile())
        await s3.put(`lake/wide/${file}`, join(ICEBERG, file));
    expect(await register(`s3://${BUCKET}/lake/wide,format=iceberg`)).toContain(told);
  });

  it('of more bytes than any type holds are refused, with the column', async () => {
    const file = fixture('wide-decimals-of-many-bytes');
    expect(await register(file)).toMatch(
      /column .*x.* has decimals of 40 bytes, and 32 are the most/,
    );
    const { status, bytes } = await upload('many_bytes/_parquet', readFileSync(file));
    expect([status, bytes.toString()]).toEqual([400, expect.stringContaining('column \\"x\\" has decimals of 40 bytes')]); // prettier-ignore
    expect(await register(`${file}${declared([{ name: 'y', data_type: 'Int64' }])}`)).toBe('');
  });

  it('of values each of its own length are refused where one is too long, with the column', async () => {
    const file = fixture('wide-decimals-of-own-length');
    const told = 'column \\"x\\" has a decimal of 9 bytes, and 4 hold all its digits';
    expect(await register(file)).toContain(told);
    const { status, bytes } = await upload('own_length/_parquet', readFileSync(file));
    expect([status, bytes.toString()]).toEqual([400, expect.stringContaining(told)]);
  });
});
