import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC, type Table } from 'apache-arrow';
import { FlightClient } from '../../server/flight-client.js';
import { postgresClient } from '../../server/postgres-client.js';
import { readCsv, readParquet } from '../../server/read-result.js';
import { startEdge, type Edge } from '../../server/start-edge.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const PARQUET = join(FIXTURES, 'parquet/bytes.parquet');
const ARROW = join(FIXTURES, 'arrow/bytes.arrow');
const OTHERWISE = join(FIXTURES, 'parquet/bytes-otherwise.parquet');

const of = (...bytes: readonly number[]): Buffer => Buffer.from(bytes);
const LONG_ZEROS = Buffer.alloc(296);
const ANY = [of(0, 0xff, 0xfe), of(), null, Buffer.from('text')];
const FOUR = [of(0, 0xff, 0xfe, 1), of(0, 0, 0, 0), null, of(97, 0, 0, 0)];
const ROWS = ANY.map((any, at) => {
  const four = FOUR[at] ?? null;
  return {
    ...{ id: at + 1, any, four, long: four && Buffer.concat([four, LONG_ZEROS]) },
    text: ['a', '', null, 'ü'][at],
    list: [ANY, [], [null], [of(0xff)]][at],
    object: { raw: any, n: 1 },
    few: any,
  };
});
const TYPES = {
  ...{ id: 'Int32', any: 'Binary', four: { FixedSizeBinary: 4 }, long: { FixedSizeBinary: 300 } },
  ...{ text: 'Utf8', few: 'Binary' },
};
const COLUMNS = 'id, "any", four, long, text, list, object, few';
const DELTA_TYPES = {
  ...{ id: 'integer', any: 'binary', text: 'string', few: 'binary' },
  list: { type: 'array', elementType: 'binary', containsNull: true },
};

type Plain = (value: unknown) => unknown;
/** Values whose bytes are texts, without the classes of libraries. */
function plainBy(text: (bytes: Buffer) => string): Plain {
  const plain: Plain = (value) => {
    if (value instanceof Uint8Array) return text(Buffer.from(value));
    if (typeof value !== 'object' || value === null) return value;
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return plain((value.toJSON as () => unknown)());
    if (Array.isArray(value)) return value.map(plain);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  };
  return plain;
}
const inHex = plainBy((bytes) => bytes.toString('hex'));
const inBase64 = plainBy((bytes) => bytes.toString('base64'));
const rowsOf = (table: Table): unknown => inHex(table.toArray());

describe('bytes of files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-bytes-'));
  let edge: Edge;
  let site: Server;
  beforeAll(async () => {
    site = createServer((_, response) => response.end(readFileSync(PARQUET)));
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    writeFileSync(join(folder, 'first.csv'), 'a\n1\n');
    const doors = ['--addr-postgres', '127.0.0.1:0', '--addr-flight-sql', '127.0.0.1:0'];
    edge = await startEdge(['-t', 'first.csv', ...doors], { directory: folder });
  });
  afterAll(async () => {
    await edge.stop();
    site.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const register = async (uri: string): Promise<string> => {
    const made = await edge.post('/api/table', [{ tableName: 't', uri }]);
    return made.status === 200 ? '' : made.text;
  };
  const registered = async (uri: string): Promise<void> => expect(await register(uri)).toBe('');
  const ask = async (sql: string): Promise<unknown> => (await edge.sql(sql)).json();
  const answer = async (accept: string, sql = `SELECT ${COLUMNS} FROM t ORDER BY id`) => {
    const response = await fetch(`${edge.url}/api/sql`, { method: 'POST', body: sql, headers: { accept } }); // prettier-ignore
    return Buffer.from(await response.arrayBuffer());
  };
  const typesOf = async (): Promise<Record<string, unknown>> => {
    const { fields } = (await edge.get('/api/schema/t')).json<{ fields: { name: string; data_type: unknown }[] }>(); // prettier-ignore
    return Object.fromEntries(fields.map(({ name, data_type: type }) => [name, type]));
  };

  it.each([
    ...[PARQUET, ARROW].flatMap((file) => [file, `${file},materialize=false`]),
    'of several files',
    'elsewhere',
  ])('are bytes in every answer that can have them, and base64 in others: %s', async (which) => {
    if (which === 'of several files') {
      mkdirSync(join(folder, 'several'));
      copyFileSync(PARQUET, join(folder, 'several/1.parquet'));
      writeFileSync(join(folder, 'several/2.parquet'), await emptyLike(PARQUET));
      await registered(`${join(folder, 'several')},format=parquet,materialize=false`);
    } else if (which === 'elsewhere') {
      await registered(`http://127.0.0.1:${(site.address() as AddressInfo).port}/bytes.parquet`);
    } else await registered(which);
    expect(await typesOf()).toMatchObject(TYPES);
    for (const format of ['stream', 'file'])
      expect(rowsOf(tableFromIPC(await answer(`application/vnd.apache.arrow.${format}`)))).toEqual(inHex(ROWS)); // prettier-ignore
    expect(inHex(await readParquet(await answer('application/parquet'), false))).toEqual(inHex(ROWS)); // prettier-ignore
    expect(JSON.parse((await answer('application/json')).toString())).toEqual(inBase64(ROWS));
    const csv = readCsv((await answer('text/csv')).toString());
    expect(csv.slice(1).map(([, any, four, long]) => [any, four, long])).toEqual(
      ROWS.map(({ any, four, long }) => inBase64([any, four, long])),
    );
    expect(await ask('SELECT by_key FROM t WHERE id = 1')).toEqual([{ by_key: { '/w==': 'AP/+' } }]); // prettier-ignore
  });

  const emptyLike = async (file: string): Promise<Buffer> => {
    await registered(file);
    return answer('application/parquet', 'SELECT * FROM t WHERE false');
  };

  it('are bytes to clients of Flight SQL and PostgreSQL, as values of statements too', async () => {
    await registered(`${PARQUET},materialize=false`);
    const flight = new FlightClient(edge);
    const postgres = await postgresClient(edge);
    try {
      expect(rowsOf(await flight.sql(`SELECT ${COLUMNS} FROM t ORDER BY id`))).toEqual(inHex(ROWS));
      const sql = `SELECT "any", four, list, object FROM t ORDER BY id`;
      const { rows, fields } = await postgres.query<Record<string, unknown>>(sql);
      expect(fields.map(({ dataTypeID }) => dataTypeID)).toEqual([17, 17, 1001, 3802]);
      expect(inHex(rows)).toEqual(ROWS.map(({ any, four, list, object }) => ({ ...(inHex({ any, four, list }) as object), object: inBase64(object) }))); // prettier-ignore
      for (const value of [of(0, 0xff, 0xfe), Buffer.from('text')]) {
        const found = await postgres.query<object>('SELECT "any" FROM t WHERE "any" = $1', [value]);
        expect(found.rows).toEqual([{ any: value }]);
      }
      const written = String.raw`SELECT id::int AS id FROM t WHERE "any" IN ('\x00fffe', '\x01')`;
      expect((await postgres.query(written)).rows).toEqual([{ id: 1 }]);
    } finally {
      await postgres.end();
      flight.close();
    }
  });

  it('are texts to statements, which see the bytes', async () => {
    await registered(`${PARQUET},materialize=false`);
    const one = async (sql: string): Promise<unknown> => ask(`SELECT ${sql} AS v FROM t WHERE id = 4`); // prettier-ignore
    for (const [sql, value] of [
      ['hex("any")', '74657874'],
      ['length(four)', 4],
      ['"any" = \'text\'', true],
      ['"any" LIKE \'te%\'', true],
      ["\"any\" IN ('text', 'longer')", true],
      ["four IN ('a', unhex('61ff'))", true],
      ["four IN (unhex('61000000'), 'b')", true],
      ['upper("any")', 'TEXT'],
      ['"any" || \'!\'', 'text!'],
      ['substr("any", 2, 2)', 'ex'],
      ['CAST("any" AS VARCHAR)', 'text'],
      ['coalesce("any", \'none\')', 'text'],
      ['CASE WHEN id = 4 THEN "any" ELSE \'none\' END', 'text'],
      ['"any"', 'dGV4dA=='],
      ['object.raw', 'dGV4dA=='],
      ['list[1]', '/w=='],
    ] as const)
      expect([sql, await one(sql)]).toEqual([sql, [{ v: value }]]);
    expect(await ask('SELECT max("any") AS most, min("any") AS least, count(DISTINCT "any") AS n FROM t')).toEqual([{ most: 'dGV4dA==', least: '', n: 3 }]); // prettier-ignore
    expect(await ask('SELECT "any" AS k, count(*) AS n FROM t WHERE "any" != \'\' GROUP BY k ORDER BY k')).toEqual([{ k: 'AP/+', n: 1 }, { k: 'dGV4dA==', n: 1 }]); // prettier-ignore
    expect(await ask('SELECT a.id FROM t a JOIN t b ON a."any" = b."any" WHERE b."any" = unhex(\'00fffe\')')).toEqual([{ id: 1 }]); // prettier-ignore
    expect(await ask('DESCRIBE t')).toEqual(expect.arrayContaining([{ column_name: 'four', data_type: 'FixedSizeBinary(4)', is_nullable: 'YES' }])); // prettier-ignore
    const graphql = await edge.post('/api/graphql', {
      query: '{ t(filter: { any: { eq: "text" } }) { any four list object { raw } } }',
    });
    expect(graphql.json()).toMatchObject({ data: { t: [{ any: 'dGV4dA==', four: 'YQAAAA==', list: ['/w=='], object: { raw: 'dGV4dA==' } }] } }); // prettier-ignore
    expect((await edge.get('/api/tables/t?columns=any&filter[any]=text')).json()).toEqual([{ any: 'dGV4dA==' }]); // prettier-ignore
  });

  it('are base64 where two columns have one name, with the order that the statement asks for', async () => {
    await registered(`${PARQUET},materialize=false`);
    const twice = async (sql: string): Promise<string> => (await edge.sql(sql)).text.replaceAll('\n', ''); // prettier-ignore
    expect(await twice('SELECT "any", "any" FROM t ORDER BY id DESC LIMIT 2')).toBe(
      '[{"any":"dGV4dA==","any":"dGV4dA=="},{"any":null,"any":null}]',
    );
    expect(await twice('SELECT hex("any") AS "any", "any" FROM t WHERE id = 1')).toBe(
      '[{"any":"00FFFE","any":"AP/+"}]',
    );
    expect(await twice('SELECT id, id, list FROM t WHERE id = 4')).toBe(
      '[{"id":4,"id":4,"list":["/w=="]}]',
    );
  });

  it('are what `schema` says: texts, or bytes', async () => {
    const columns = [
      ...[{ name: 'any', data_type: 'Utf8' }, { name: 'four', data_type: 'Binary' }],
      { name: 'text', data_type: 'Binary' },
    ].map((each) => ({ nullable: true, ...each })); // prettier-ignore
    for (const more of ['', ',materialize=false']) {
      await registered(`${PARQUET}${more},schema=${JSON.stringify({ columns })}`);
      expect(await typesOf()).toEqual({ any: 'Utf8', four: 'Binary', text: 'Binary' });
      expect(await ask('SELECT * FROM t WHERE "any" = \'text\'')).toEqual([{ any: 'text', four: 'YQAAAA==', text: 'w7w=' }]); // prettier-ignore
    }
  });

  it('are known by the log of a Delta table', async () => {
    const fields = Object.entries(DELTA_TYPES).map(([name, type]) => ({ name, type, nullable: true, metadata: {} })); // prettier-ignore
    const metaData = { id: 'd', format: { provider: 'parquet', options: {} }, schemaString: JSON.stringify({ type: 'struct', fields }), partitionColumns: [], configuration: {} }; // prettier-ignore
    const add = { path: 'bytes.parquet', partitionValues: {}, size: readFileSync(PARQUET).length, modificationTime: 0, dataChange: true }; // prettier-ignore
    mkdirSync(join(folder, 'delta/_delta_log'), { recursive: true });
    copyFileSync(PARQUET, join(folder, 'delta/bytes.parquet'));
    const log = [{ protocol: { minReaderVersion: 1, minWriterVersion: 2 } }, { metaData }, { add }];
    writeFileSync(join(folder, 'delta/_delta_log/00000000000000000000.json'), log.map((line) => JSON.stringify(line)).join('\n')); // prettier-ignore
    for (const more of ['', ',materialize=true']) {
      await registered(`${join(folder, 'delta')},format=delta${more}`);
      expect(await typesOf()).toMatchObject({ any: 'Binary', text: 'Utf8', few: 'Binary' });
      const rows = ROWS.map(({ id, any, text, few, list }) => ({ id, any, text, few, list }));
      const sql = 'SELECT id, "any", text, few, list FROM t ORDER BY id';
      expect(rowsOf(tableFromIPC(await answer('application/vnd.apache.arrow.stream', sql)))).toEqual(inHex(rows)); // prettier-ignore
      expect(await ask(sql)).toEqual(inBase64(rows));
    }
  });

  it('by which a Delta table is divided are the text that its log has', async () => {
    const fields = [{ name: 'id', type: 'integer', nullable: true, metadata: {} }, { name: 'p', type: 'binary', nullable: true, metadata: {} }]; // prettier-ignore
    const metaData = { id: 'p', format: { provider: 'parquet', options: {} }, schemaString: JSON.stringify({ type: 'struct', fields }), partitionColumns: ['p'], configuration: {} }; // prettier-ignore
    const partitionValues = { p: String.raw`\u0061\u00ff` };
    const add = { path: 'bytes.parquet', partitionValues, size: readFileSync(PARQUET).length, modificationTime: 0, dataChange: true }; // prettier-ignore
    mkdirSync(join(folder, 'divided/_delta_log'), { recursive: true });
    copyFileSync(PARQUET, join(folder, 'divided/bytes.parquet'));
    const log = [{ protocol: { minReaderVersion: 1, minWriterVersion: 2 } }, { metaData }, { add }];
    writeFileSync(join(folder, 'divided/_delta_log/00000000000000000000.json'), log.map((line) => JSON.stringify(line)).join('\n')); // prettier-ignore
    await registered(`${join(folder, 'divided')},format=delta`);
    expect(await typesOf()).toEqual({ id: 'Int32', p: 'Utf8' });
    expect(await ask('SELECT p FROM t WHERE id = 1')).toEqual([{ p: String.raw`\u0061\u00ff` }]);
  });

  it('of one length in one file, and of another in another, are refused', async () => {
    mkdirSync(join(folder, 'lengths'));
    copyFileSync(PARQUET, join(folder, 'lengths/1.parquet'));
    copyFileSync(OTHERWISE, join(folder, 'lengths/2.parquet'));
    expect(await register(`${join(folder, 'lengths')},format=parquet`)).toContain(
      'column \\"four\\" has bytes of one length in one file, and other bytes in another',
    );
  });

  it('of files that are texts in others are bytes for all', async () => {
    mkdirSync(join(folder, 'mixed'));
    await registered(PARQUET);
    const text = await answer(
      'application/parquet',
      'SELECT 9 AS id, \'x\' AS "any" FROM t LIMIT 1',
    );
    const bytes = await answer('application/parquet', 'SELECT id, "any" FROM t WHERE id = 1');
    writeFileSync(join(folder, 'mixed/1.parquet'), text);
    writeFileSync(join(folder, 'mixed/2.parquet'), bytes);
    await registered(`${join(folder, 'mixed')},format=parquet`);
    expect(await ask('SELECT "any" FROM t ORDER BY id')).toEqual([{ any: 'AP/+' }, { any: 'eA==' }]); // prettier-ignore
  });
});
