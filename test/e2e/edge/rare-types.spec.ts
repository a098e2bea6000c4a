import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { borrowServer, type BorrowedServer } from '../../server/borrow-server.js';
import { edgeInFolder } from '../../server/edge-in-folder.js';
import { makeParquet } from '../../server/make-parquet.js';

const fixture = (name: string): string =>
  join(import.meta.dirname, '../../fixtures/parquet', `${name}.parquet`);
const POINT = Buffer.from('0101000000000000000000f03f0000000000000040', 'hex');

describe('types of Parquet that few programs write', () => {
  const own = edgeInFolder('edge-rare-types-');
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const register = async (name: string, more = ''): Promise<string> => {
    const uri = `${fixture(name)}${more}`;
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri }]);
    return made.status === 200 ? '' : made.text;
  };
  const declared = (...columns: readonly object[]): string =>
    `,schema=${JSON.stringify({ columns: columns.map((each) => ({ nullable: true, ...each })) })}`;
  const ask = async (sql: string): Promise<unknown> => (await own.edge.sql(sql)).json();
  const upload = (stream: string, body: Buffer) =>
    server.client.call(`${stream}/_parquet?wait=true`, { body });

  it('intervals and JSON are text, and shapes are bytes, and null where they are', async () => {
    const texts = [
      { id: 1, interval: 'P1M2DT3.5S', json: '{"a":1.50}' },
      { id: 2, interval: 'PT0S', json: '[1,2]' },
      { id: 3, interval: 'P3D', json: 'no JSON' },
      { id: 4, interval: null, json: null },
    ];
    const sql = 'SELECT id, "interval", json FROM';
    const shapes = 'SELECT id, shape IS NULL AS none, length(shape) AS bytes FROM t ORDER BY id';
    for (const more of ['', ',materialize=false']) {
      expect(await register('rare-types', more)).toBe('');
      expect(await ask(`${sql} t ORDER BY id`)).toEqual(texts);
      expect(await ask('SELECT id FROM t WHERE "interval" = \'P3D\'')).toEqual([{ id: 3 }]);
      expect(await ask(shapes)).toMatchObject(
        [1, 2, 3, 4].map((id) => ({ id, none: id % 2 === 0 })),
      );
    }
    const interval = declared({ name: 'interval', data_type: 'Utf8' });
    expect(await register('rare-types', interval)).toBe('');
    expect(await ask('SELECT "interval" FROM t WHERE "interval" LIKE \'%M%\'')).toEqual([{ interval: 'P1M2DT3.5S' }]); // prettier-ignore
    await upload('rare', readFileSync(fixture('rare-types')));
    expect(await server.client.sql(`${sql} rare ORDER BY id`)).toEqual(texts);
    expect(await server.client.sql('SELECT shape FROM rare ORDER BY id')).toEqual(
      [POINT, null, POINT, null].map((shape) => ({ shape: shape?.toString('base64') ?? null })),
    );
  });

  it('a length of time that is written as a time of day is no other time', async () => {
    for (const more of ['', ',materialize=false'])
      expect((await register('long-times', more)) || (await own.edge.sql('SELECT * FROM t')).text).toContain('column \\"took\\" has a time of day beyond 24 hours'); // prettier-ignore
    const data_type = { Timestamp: ['Microsecond', null] };
    expect(await register('long-times', declared({ name: 'took', data_type }))).toBe('');
    expect(await ask('SELECT took FROM t ORDER BY took')).toEqual([{ took: '1970-01-01T00:00:01.500000Z' }, { took: '1970-01-02T01:00:00.000000Z' }]); // prettier-ignore
    // Whole seconds would be left of it.
    expect(await register('long-times', declared({ name: 'took', data_type: 'Int64' }))).toContain('column \\"took\\" has a value that its type, Nullable(Int64), does not hold'); // prettier-ignore
    const answer = await upload('long_times', readFileSync(fixture('long-times')));
    expect(answer.json()).toMatchObject({ status: [{ successful: 1, failed: 1, error: expect.stringContaining('which has the times of one day') as string }] }); // prettier-ignore
  });

  it.each(['list', 'struct', 'map'])('nor is one within a %s', async (kind) => {
    for (const more of ['', ',materialize=false'])
        expect(await register(`long-times-${kind}`, more)).toContain('column \\"took\\" has a time of day beyond 24 hours'); // prettier-ignore
  });

  it('intervals within lists, structs and maps are text', async () => {
    for (const more of ['', ',materialize=false']) {
      expect(await register('intervals-within', more)).toBe('');
      expect(await ask('SELECT * FROM t')).toEqual([
        {
          id: 1,
          list: ['P1M2DT3.5S', null],
          object: { a: 'P3D', b: 'x' },
          by_text: { k: 'PT7200S' },
        },
      ]);
    }
  });

  it('times without a zone have none within structs and maps, and keys that are structs are JSON', async () => {
    const [wall, moment] = ['2024-05-06T07:08:09.000123', '2024-05-06T07:08:09.000123Z'];
    const one = { wall, moment, day: '10:20:30.000005' };
    for (const more of ['', ',materialize=false']) {
      expect(await register('times-within', more)).toBe('');
      expect(await ask('SELECT * FROM t ORDER BY id')).toEqual([
        {
          id: 1,
          object: one,
          list: [one],
          by_text: { a: wall },
          by_wall: { [wall]: 1 },
          by_moment: { [moment]: 1 },
          by_object: { [JSON.stringify(one)]: 1 },
        },
        { id: 2, object: null, list: [], by_text: {}, by_wall: {}, by_moment: {}, by_object: {} },
      ]);
    }
  });

  it('a map whose keys are structs is refused in an upload, with the column', async () => {
    const { status, bytes } = await upload('struct_keys', readFileSync(fixture('struct-keys')));
    expect([status, bytes.toString()]).toEqual([
      400,
      expect.stringContaining('column \\"pairs\\" is a map whose keys are no single values'),
    ]);
  });

  it('a struct may have more than a thousand times', async () => {
    const names = Array.from({ length: 1_200 }, (_, n) => `t${n}`);
    const types = names.map((name) => `${name} DateTime64(6)`).join(', ');
    const values = names.map(() => "'2024-01-02 03:04:05.000006'").join(', ');
    const body = makeParquet(`SELECT 1 AS id, CAST((${values}), 'Tuple(${types})') AS s`);
    expect((await upload('many_times', body)).json()).toMatchObject({ status: [{ successful: 1, failed: 0 }] }); // prettier-ignore
    const rows = await server.client.sql('SELECT s.t1199 AS last FROM many_times');
    const [row] = rows as { last: string }[];
    expect(row?.last).toMatch(/^2024-01-02T03:04:05\.000006/);
  }, 120_000);
});
