import {
  Binary,
  FixedSizeBinary,
  Int32,
  Table,
  tableFromIPC,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { readParquet } from '../server/read-result.js';

const STREAM = 'application/vnd.apache.arrow.stream';
const FILE = 'application/vnd.apache.arrow.file';
const PARQUET = 'application/parquet';
const TYPES = { id: 'Int32', any: 'Binary', four: 'FixedSizeBinary(4)' };
const LONG = new Uint8Array(200_000).fill(0x80);

const table = new Table({
  id: vectorFromArray([1, 2, 3, 4], new Int32()),
  any: vectorFromArray([Uint8Array.of(0xff, 0, 97), null, Uint8Array.of(), LONG], new Binary()),
  four: vectorFromArray(
    [[1, 2, 3, 4], null, [0, 0, 0, 0], [255, 254, 253, 252]].map((each) =>
      each === null ? null : Uint8Array.from(each),
    ),
    new FixedSizeBinary(4),
  ),
});
const hex = (value: unknown): string | null =>
  value === null || value === undefined ? null : Buffer.from(value as Uint8Array).toString('hex');
const EXPECTED = table
  .toArray()
  .map((row: { any: unknown; four: unknown }) => [hex(row.any), hex(row.four)]);

/** The elements of a Parquet file's schema that are no group, by their names. */
const elements = (bytes: Buffer): Map<string, SchemaElement> =>
  new Map(parquetMetadata(new Uint8Array(bytes).buffer).schema.map((each) => [each.name, each]));

describe('bytes', () => {
  let server: BorrowedServer;
  const answer = async (sql: string, accept: string): Promise<Buffer> => {
    const { status, bytes } = await server.client.call('sql', { body: sql, headers: { accept } });
    if (status !== 200) throw new Error(bytes.toString());
    return bytes;
  };
  const schemaOf = async (stream: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await server.client.call(`${stream}/schema`))
        .json<{ schema: { name: string; type: string }[] }>()
        .schema.map(({ name, type }) => [name, type]),
    );

  beforeAll(async () => {
    server = await borrowServer();
    await server.client.uploadTo('bytes/_arrow', Buffer.from(tableToIPC(table, 'file')));
  });
  afterAll(() => server.giveBack());

  it('have a type of their own in the schema, and are base64 in JSON', async () => {
    expect(await schemaOf('bytes')).toMatchObject(TYPES);
    expect(await server.client.sql('SELECT any, four FROM bytes WHERE id < 4 ORDER BY id')).toEqual(
      [
        { any: '/wBh', four: 'AQIDBA==' },
        { any: null, four: null },
        { any: '', four: 'AAAAAA==' },
      ],
    );
  });

  it.each([STREAM, FILE])('are bytes of their type in %s', async (accept) => {
    const read = tableFromIPC(await answer('SELECT * FROM bytes ORDER BY id', accept));
    const types = Object.fromEntries(read.schema.fields.map(({ name, type }) => [name, `${type}`]));
    expect(types).toMatchObject({ any: 'Binary', four: 'FixedSizeBinary[4]' });
    const rows = read.toArray().map((row: { any: unknown; four: unknown }) => [row.any, row.four]);
    expect(rows.map((row) => row.map(hex))).toEqual(EXPECTED);
  });

  it('are bytes without a note of text in Parquet, beside text that has it', async () => {
    const bytes = await answer(
      "SELECT any, four, 'é' AS words, any AS again FROM bytes ORDER BY id",
      PARQUET,
    );
    const found = elements(bytes);
    for (const name of ['any', 'again']) {
      const { type, converted_type: converted, logical_type: logical } = found.get(name) ?? {};
      expect([type, converted, logical]).toEqual(['BYTE_ARRAY', undefined, undefined]);
    }
    expect(found.get('words')).toMatchObject({ converted_type: 'UTF8' });
    expect(found.get('four')).toMatchObject({ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 4 });
    await server.client.uploadTo('bytes_again/_parquet', bytes);
    expect(await schemaOf('bytes_again')).toMatchObject({
      ...{ any: 'Binary', four: 'FixedSizeBinary(4)', words: 'Utf8', again: 'Binary' },
    });
    const one = 'SELECT sum(cityHash64(any, four)) AS h FROM';
    const [was, is] = [`${one} bytes`, `${one} bytes_again`].map((sql) => server.client.sql(sql));
    expect(await is).toEqual(await was);
  });

  it('are texts to clients of ClickHouse, whose lists of columns were refused', async () => {
    for (const body of [
      'DESCRIBE bytes',
      'DESCRIBE SELECT any, four FROM bytes',
      "SELECT name, type FROM system.columns WHERE table = 'bytes' AND type LIKE '%String%'",
    ]) {
      const { status, bytes } = await server.client.call('clickhouse', { body });
      expect([body, status]).toEqual([body, 200]);
      expect(bytes.toString()).toMatch(/any\tNullable\(String\).*\n(?:.*\n)?four\tNullable\(String\)/); // prettier-ignore
    }
  });

  it('are named by DESCRIBE', async () => {
    const types = [
      { column_name: 'any', data_type: 'Binary', is_nullable: 'YES' },
      { column_name: 'four', data_type: 'FixedSizeBinary(4)', is_nullable: 'YES' },
    ];
    for (const sql of ['DESCRIBE bytes', 'DESCRIBE SELECT any, four FROM bytes'])
      expect(await server.client.sql(sql)).toEqual(expect.arrayContaining(types));
  });

  it('stay bytes where a statement passes them on, and are text where it makes another', async () => {
    const sql = `WITH few AS (SELECT DISTINCT any FROM bytes WHERE id = 1)
      SELECT max(any) AS most, groupArray(any) AS all, concat(any(any), '') AS text,
        upper(any(any)) AS upper FROM few`;
    const read = tableFromIPC(await answer(sql, STREAM));
    const types = Object.fromEntries(read.schema.fields.map(({ name, type }) => [name, `${type}`]));
    expect(types).toMatchObject({
      most: 'Binary',
      all: 'List<Binary>',
      text: 'Utf8',
      upper: 'Utf8',
    });
    expect(hex(read.getChild('most')?.get(0))).toBe('ff0061');
    expect(read.getChild('upper')?.get(0)).toBe('/WBH');
    const again = `SELECT lower(b) AS x FROM (SELECT four AS b FROM bytes WHERE id = 1)`;
    expect(await readParquet(await answer(again, PARQUET))).toEqual([{ x: 'aqidba==' }]);
  });

  it.each([STREAM, FILE, PARQUET])(
    'are base64 text within structs and maps in %s',
    async (accept) => {
      const bytes = await answer(
        "SELECT tuple(four) AS struct, map('k', four) AS mapped FROM bytes WHERE id = 1",
        accept,
      );
      if (accept === PARQUET) {
        const leaves = parquetMetadata(new Uint8Array(bytes).buffer).schema.filter(
          (each) => each.type !== undefined,
        );
        expect(leaves.map(({ converted_type: converted }) => converted)).toEqual(
          Array(3).fill('UTF8'),
        );
        expect(await readParquet(bytes)).toEqual([
          { struct: { 1: 'AQIDBA==' }, mapped: { k: 'AQIDBA==' } },
        ]);
        return;
      }
      const read = tableFromIPC(bytes);
      expect(read.schema.fields.map(({ type }) => `${type}`)).toEqual([
        'Struct<{1:Utf8}>',
        'Map<{key:Utf8, value:Utf8}>',
      ]);
      expect(JSON.parse(JSON.stringify(read.get(0)))).toEqual({
        struct: { 1: 'AQIDBA==' },
        mapped: { k: 'AQIDBA==' },
      });
    },
  );

  it('are looked for in lists with longer texts', async () => {
    const long = 'longer than the base64 of four bytes';
    expect(
      await server.client.sql(`SELECT id FROM bytes WHERE four IN ('AQIDBA==', '${long}')`),
    ).toEqual([{ id: 1 }]);
    expect(
      await server.client.sql(`SELECT id FROM bytes WHERE four NOT IN ('${long}') ORDER BY id`),
    ).toEqual([{ id: 1 }, { id: 3 }, { id: 4 }]);
    const filter = encodeURIComponent('filter[four]in');
    const list = encodeURIComponent(`AQIDBA==,${long}`);
    const read = await server.client.call(`tables/bytes?columns=id&${filter}=${list}`);
    expect(read.json()).toEqual([{ id: 1 }]);
    const query = `{ bytes(filter: { four: { in: ["AQIDBA==", "${long}"] } }) { id } }`;
    const asked = await server.client.call('graphql', { body: query });
    expect(asked.bytes.toString()).toContain('"id":1');
  });

  it.each([
    ["SELECT id FROM bytes WHERE (id, four) IN ((1, 'AQIDBA=='), (2, 'longer than base64'))", [1]],
    ["SELECT coalesce(any, 'none') AS v FROM bytes WHERE id < 3 ORDER BY id", ['/wBh', 'none']],
    ["SELECT if(id = 1, four, 'eHh4eA==') AS v FROM bytes WHERE id < 3 ORDER BY id", ['AQIDBA==', 'eHh4eA==']], // prettier-ignore
    ["SELECT lag(four, 1, 'x') OVER (ORDER BY id) AS v FROM bytes WHERE id < 3 ORDER BY id", ['x', 'AQIDBA==']], // prettier-ignore
    ["SELECT least(any, 'x') AS v FROM bytes WHERE id < 3 ORDER BY id", ['/wBh', 'x']],
    ["SELECT any AS v FROM bytes WHERE id = 1 UNION ALL SELECT 'none' ORDER BY v", ['/wBh', 'none']], // prettier-ignore
  ])('are text beside another text in Arrow: %s', async (sql, expected) => {
    const read = tableFromIPC(await answer(sql, STREAM));
    expect(read.toArray().map((row: object) => Object.values(row)[0] as unknown)).toEqual(expected);
  });

  it('stay bytes beside nulls, and beside an empty text', async () => {
    const sql = `SELECT four, coalesce(max(any), '') AS v, count(*) AS n FROM bytes WHERE id < 4
      GROUP BY four ORDER BY four`;
    for (const accept of [STREAM, FILE]) {
      const read = tableFromIPC(await answer(sql, accept));
      const types = read.schema.fields.map(({ type }) => `${type}`);
      expect(types.slice(0, 2)).toEqual(['FixedSizeBinary[4]', 'Binary']);
      const rows = read
        .toArray()
        .map((row: { four: unknown; v: unknown }) => [hex(row.four), hex(row.v)]);
      expect(rows).toEqual([
        ['00000000', ''],
        ['01020304', 'ff0061'],
        [null, ''],
      ]);
    }
  });

  it('are told apart from another text that stands among them', async () => {
    const { status, bytes } = await server.client.call('sql', {
      body: "SELECT [any, 'x'] AS v FROM bytes WHERE id = 1",
      headers: { accept: STREAM },
    });
    expect([status, bytes.toString()]).toEqual([400, expect.stringContaining('CAST(column AS')]);
  });

  it('come as base64 in records, which are rejected where they are none', async () => {
    const declared = {
      columns: { any: 'Binary', two: 'FixedSizeBinary(2)', many: 'List<Binary>' },
    };
    await server.client.call('sent/settings', { body: JSON.stringify(declared) });
    const upload = await server.client.call('sent/_json?wait=true', {
      body: '[{"any":"\\/w==","two":"AAA=","many":["AA==",null]},{"any":"x!"},{"two":"AA=="},{"any":5}]',
    });
    expect(upload.json()).toMatchObject({ status: [{ successful: 1, failed: 3 }] });
    const sent = tableFromIPC(await answer('SELECT any, two FROM sent', STREAM));
    expect(['any', 'two'].map((name) => hex(sent.getChild(name)?.get(0)))).toEqual(['ff', '0000']);
  });

  it('go into a column of text as base64, as ever, and of one length into one of any', async () => {
    const body = Buffer.from(tableToIPC(table, 'file'));
    await server.client.call('kept/settings', {
      body: '{"columns":{"any":"Utf8","four":"Binary"}}',
    });
    await server.client.uploadTo('kept/_arrow', body);
    expect(await schemaOf('kept')).toMatchObject({ any: 'Utf8', four: 'Binary' });
    expect(await server.client.sql('SELECT any, four FROM kept WHERE id = 1')).toEqual([
      { any: '/wBh', four: 'AQIDBA==' },
    ]);
  });

  it('are UUIDs with their note in Arrow and Parquet', async () => {
    const file = readFileSync(join(import.meta.dirname, '../fixtures/parquet/exact.parquet'));
    await server.client.uploadTo('exact/_parquet', file);
    const sql =
      "SELECT uuid FROM exact WHERE uuid != toUUID('00000000-0000-0000-0000-000000000000')";
    for (const accept of [STREAM, FILE]) {
      const read = tableFromIPC(await answer(sql, accept));
      const [field] = read.schema.fields;
      expect(field?.metadata.get('ARROW:extension:name')).toBe('arrow.uuid');
      expect(hex(read.getChild('uuid')?.get(0))).toBe('ff'.repeat(16));
    }
    const bytes = await answer(sql, PARQUET);
    expect(elements(bytes).get('uuid')).toMatchObject({ logical_type: { type: 'UUID' } });
    expect(await readParquet(bytes)).toEqual([{ uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }]);
  });
});
