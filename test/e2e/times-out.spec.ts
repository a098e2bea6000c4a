import { tableFromIPC } from 'apache-arrow';
import { parquetMetadata, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const ARROW = 'application/vnd.apache.arrow.stream';
const ARROW_FILE = 'application/vnd.apache.arrow.file';
const PARQUET = 'application/parquet';

/** Times with a zone and without one, at every place, and what only looks like them. */
const TIMES = `
  toDateTime64('2026-01-02 03:04:05.123456', 6) AS wall,
  toDateTime64('2026-01-02 03:04:05.123456', 6, 'UTC') AS moment,
  toDateTime64('2026-01-02 03:04:05', 0) AS seconds,
  toDateTime64('2026-01-02 03:04:05.5', 9) AS nanos,
  toDateTime('2026-01-02 03:04:05') AS clock,
  [toNullable(toDateTime64('2026-01-02 03:04:05.1', 3)), NULL] AS walls,
  CAST((toDateTime64('2026-01-02 03:04:05', 6, 'UTC'), [(1, toDateTime64('2026-01-02 03:04:05', 6))]),
    'Tuple(m DateTime64(6, \\'UTC\\'), l Array(Tuple(n Int8, w DateTime64(6))))') AS within,
  map('k', toDateTime64('2026-01-02 03:04:05', 3)) AS by_key,
  toTime64('12:30:15.25', 3) AS day_millis,
  toTime64('12:30:15.123456789', 9) AS day_nanos,
  [toNullable(toTime64('23:59:59.999999', 6)), NULL] AS days`;

describe('times in Arrow and Parquet', () => {
  let server: BorrowedServer;

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const ask = async (sql: string, accept: string): Promise<Buffer> => {
    const answer = await server.client.call('sql', {
      body: sql,
      headers: { accept },
    });
    expect(answer.status).toBe(200);
    return answer.bytes;
  };

  it.each([ARROW, ARROW_FILE])('name a zone in %s only where they have one', async (accept) => {
    const { schema } = tableFromIPC(await ask(`SELECT ${TIMES}`, accept));
    const types = Object.fromEntries(schema.fields.map(({ name, type }) => [name, String(type)]));
    expect(types).toEqual({
      ...{ wall: 'Timestamp<MICROSECOND>', moment: 'Timestamp<MICROSECOND, UTC>' },
      ...{ seconds: 'Timestamp<SECOND>', nanos: 'Timestamp<NANOSECOND>' },
      ...{ clock: 'Timestamp<SECOND, UTC>', walls: 'List<Timestamp<MILLISECOND>>' },
      within:
        'Struct<{m:Timestamp<MICROSECOND, UTC>, l:List<Struct<{n:Int8, w:Timestamp<MICROSECOND>}>>}>',
      by_key: expect.stringMatching(/Timestamp<MILLISECOND>/) as string,
      ...{ day_millis: 'Time32<MILLISECOND>', day_nanos: 'Time64<NANOSECOND>' },
      days: 'List<Time64<MICROSECOND>>',
    });
  });

  it('are what they are in Parquet, times of day too', async () => {
    const bytes = await ask(`SELECT ${TIMES}`, PARQUET);
    expect(timesOf(bytes)).toEqual([
      ...['wall local', 'moment utc', 'seconds local', 'nanos local', 'clock utc'],
      ...['element local', 'm utc', 'w local', 'value local'],
      ...['day_millis time TIME_MICROS', 'day_nanos time', 'element time TIME_MICROS'],
    ]);
    const file = new Uint8Array(bytes).buffer;
    const [row] = await parquetReadObjects({ file, utf8: true });
    expect(row).toMatchObject({
      wall: new Date('2026-01-02T03:04:05.123Z'),
      day_millis: 45_015_250_000n,
      day_nanos: 45_015_123_456_789n,
      days: [86_399_999_999n, null],
    });
  });

  it('are so in answers of many pieces, behind bytes that look like a footer', async () => {
    const rows = 2_100_000;
    const sql = `SELECT number AS n, toDateTime64(number, 6) AS wall, toTime64(number % 86400, 6) AS day,
      concat(unhex('150419bc48'), toString(sipHash64(number))) AS noise FROM numbers(${rows})`;
    // One after the other: on a busy machine three at once take longer than a query may.
    const parquet = await ask(sql, PARQUET);
    const stream = await ask(sql, ARROW);
    const file = await ask(sql, ARROW_FILE);
    expect(timesOf(parquet)).toEqual(['wall local', 'day time TIME_MICROS']);
    const metadata = parquetMetadata(new Uint8Array(parquet).buffer);
    expect(metadata.row_groups.length).toBeGreaterThan(1);
    expect(Number(metadata.num_rows)).toBe(rows);
    for (const bytes of [stream, file]) {
      const table = tableFromIPC(bytes);
      expect(table.numRows).toBe(rows);
      const types = table.schema.fields.map(({ type }) => String(type as unknown));
      expect(types).toContain('Timestamp<MICROSECOND>');
    }
  });

  it('say in JSON and CSV whether they have a zone, within structs and maps too', async () => {
    const wall = "toDateTime64('2026-01-02 03:04:05.5', 3)";
    const moment = "toDateTime64('2026-01-02 03:04:05.5', 3, 'UTC')";
    const type = `'Nullable(Tuple(w Nullable(DateTime64(3)), \`a b\` Tuple(w DateTime64(3), m DateTime64(3, \\'UTC\\')), l Array(DateTime64(3)), n Nullable(Int8), k Map(String, DateTime64(3))))'`;
    const sql = `SELECT CAST(if(n = 2, NULL, tuple(${wall}, tuple(${wall}, ${moment}), [${wall}], NULL, map('k', ${wall}))), ${type}) AS s,
      map(${wall}, ${wall}) AS walls, map(${moment}, ${moment}) AS moments, map('k', [${wall}]) AS lists
      FROM (SELECT arrayJoin([1, 2]) AS n) ORDER BY n`;
    const [t, z] = ['2026-01-02T03:04:05.500', '2026-01-02T03:04:05.500Z'];
    const s = { w: t, 'a b': { w: t, m: z }, l: [t], n: null, k: { k: t } };
    const maps = { walls: { [t]: t }, moments: { [z]: z }, lists: { k: [t] } };
    expect(JSON.parse((await ask(sql, 'application/json')).toString())).toEqual([
      { s, ...maps },
      { s: null, ...maps },
    ]);
    const [, first = ''] = (await ask(sql, 'text/csv')).toString().split('\n');
    expect(first.replaceAll('""', '"')).toContain(JSON.stringify(s));
  });

  it('are not needed for keys that are objects and lists to be JSON', async () => {
    const answer = async (sql: string): Promise<unknown> =>
      JSON.parse((await ask(sql, 'application/json')).toString());
    expect(await answer("SELECT map((1, 'x'), 2) AS v")).toEqual([{ v: { '[1,"x"]': 2 } }]);
    expect(await answer("SELECT map([['a'], ['b']], [1, 2]) AS v")).toEqual([
      { v: { '["a"]': 1, '["b"]': 2 } },
    ]);
  });

  it('keep the zone that a statement shows them in', async () => {
    const sql = `SELECT toDateTime64('2026-01-02 03:04:05', 6) AS wall, toTime64('12:30:15', 6) AS day SETTINGS session_timezone = 'Europe/Paris'`;
    const parquet = await ask(sql, PARQUET);
    expect(timesOf(parquet)).toEqual(['wall utc', 'day time TIME_MICROS']);
    const file = new Uint8Array(parquet).buffer;
    expect(await parquetReadObjects({ file, utf8: true })).toEqual([
      { wall: new Date('2026-01-02T02:04:05Z'), day: 45_015_000_000n },
    ]);
    const { schema } = tableFromIPC(await ask(sql, ARROW));
    expect(String(schema.fields[0]?.type)).toBe('Timestamp<MICROSECOND, Europe/Paris>');
  });

  it.each([
    [PARQUET, '_parquet'],
    [ARROW_FILE, '_arrow'],
  ])('come back by an upload of %s as the types they had', async (accept, route) => {
    const name = `again${route}`;
    const types = async (stream: string): Promise<unknown> => {
      const answer = await server.client.call(`schema/${stream}`);
      const { fields } = answer.json<{ fields: { name: string; data_type: unknown }[] }>();
      return fields.filter((field) => !field.name.startsWith('_'));
    };
    const upload = async (stream: string, bytes: Buffer): Promise<void> => {
      const path = `${stream}/${route}?wait=true`;
      expect((await server.client.call(path, { body: bytes })).status).toBe(200);
    };
    const columns = `toNullable(toDateTime64('2026-01-02 03:04:05.123456', 6)) AS wall, toNullable(toTime64('12:30:15.25', 6)) AS day, toNullable(toDateTime64('2026-01-02 03:04:05', 6, 'UTC')) AS moment`;
    await upload(name, await ask(`SELECT ${columns}`, accept));
    await upload(`${name}2`, await ask(`SELECT wall, day, moment FROM ${name}`, accept));
    expect(await types(`${name}2`)).toEqual(await types(name));
    expect(await types(name)).toMatchObject([
      { name: 'wall', data_type: { Timestamp: ['Microsecond', null] } },
      { name: 'day', data_type: { Time64: 'Microsecond' } },
      { name: 'moment', data_type: { Timestamp: ['Microsecond', 'UTC'] } },
    ]);
  });
});

/** Reads from the footer's schema how times are described. */
function timesOf(bytes: Buffer): string[] {
  const { schema } = parquetMetadata(new Uint8Array(bytes).buffer);
  return schema.flatMap((element) => timeOf(element) ?? []);
}

function timeOf({
  name,
  logical_type: type,
  converted_type: older,
}: SchemaElement): string | undefined {
  if (type?.type === 'TIMESTAMP') return `${name} ${type.isAdjustedToUTC ? 'utc' : 'local'}`;
  if (type?.type !== 'TIME') return undefined;
  return [name, type.isAdjustedToUTC ? 'utc time' : 'time', older].filter(Boolean).join(' ');
}
