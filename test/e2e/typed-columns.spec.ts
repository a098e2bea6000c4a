import type { Answer, UploadStatus } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const TYPES = {
  day: 'Date32',
  at: 'Timestamp',
  small: 'Int16',
  price: 'Decimal128(10, 2)',
  ratio: 'Float32',
  id: 'UUID',
  days: 'List<Date32>',
};
const UUID = '00112233-4455-6677-8899-aabbccddeeff';
const GOOD = `{"day":"2024-02-29","at":"2024-02-29T12:00:00+01:00","small":7,"price":"12.30","ratio":0.1,"id":"${UUID}","days":["2024-01-01",null]}`;
const BAD: Readonly<Record<string, string>> = {
  day: '"2024-02-30"',
  at: '"soon"',
  price: '12.345',
  ratio: '0.3000000119209',
  id: '"x"',
  days: '["2024-02-30"]',
};
const STORED =
  'toString(day) AS day, toString(at) AS at, toString(small) AS small, toString(price) AS price, toString(ratio) AS ratio, toString(id) AS id, toString(days) AS days';
const ROW = {
  day: '2024-02-29',
  at: '2024-02-29 11:00:00.000000',
  small: '7',
  price: '12.3',
  ratio: '0.1',
  id: UUID,
  days: "['2024-01-01',NULL]",
};

describe('columns of declared types', () => {
  let server: BorrowedServer;
  let made = 0;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const declare = (stream: string, columns: Readonly<Record<string, string>>): Promise<Answer> =>
    server.client.call(`${stream}/settings`, { body: JSON.stringify({ columns }) });
  async function declared(columns: Readonly<Record<string, string>> = TYPES): Promise<string> {
    made += 1;
    expect((await declare(`typed${made}`, columns)).status).toBe(200);
    return `typed${made}`;
  }
  const rows = (stream: string): Promise<unknown> =>
    server.client.sql(`SELECT ${STORED} FROM ${stream}`);
  const rejected = async (stream: string) =>
    (await server.client.call(`${stream}/_rejected?size=100`)).json<
      { readonly reason: string; readonly record: string }[]
    >();
  const post = (path: string, body: string, type = 'application/json'): Promise<Answer> =>
    server.client.call(`${path}?wait=true`, {
      body,
      headers: { 'content-type': type },
    });

  it.each<[string, (stream: string, records: readonly string[]) => Promise<Answer>]>([
    ['an array', (stream, records) => post(`${stream}/_json`, `[${records.join(',')}]`)],
    ['NDJSON', (stream, records) => post(`${stream}/_multi`, records.join('\n'))],
    [
      'bulk',
      (stream, records) =>
        post(
          '_bulk',
          records.map((each) => `{"index":{"_index":"${stream}"}}\n${each}\n`).join(''),
        ),
    ],
  ])('take what fits from %s, and say why not of the rest', async (_, send) => {
    const stream = await declared();
    const bad = Object.entries(BAD).map(([name, value]) => `{"${name}":${value}}`);
    expect((await send(stream, [GOOD, ...bad])).status).toBe(200);
    expect(await rows(stream)).toEqual([ROW]);
    const found = await rejected(stream);
    expect(found.map(({ record }) => record)).toEqual(bad);
    for (const [index, [name, type]] of Object.entries(TYPES)
      .filter(([each]) => each in BAD)
      .entries())
      expect(found[index]?.reason).toMatch(new RegExp(`^field "${name}": .* does not fit the column's type, ${type.replace(/[()]/g, '\\$&')}: want `)); // prettier-ignore
  });

  it('take them from many small uploads at the same time', async () => {
    const stream = await declared();
    const sent = Array.from({ length: 40 }, (_, index) =>
      index % 4 === 3 ? '{"day":"never"}' : GOOD,
    );
    const answers = await Promise.all(sent.map((each) => post(`${stream}/_json`, `[${each}]`)));
    expect(
      answers.map((each) => each.json<{ status: UploadStatus[] }>().status[0]?.failed),
    ).toEqual(sent.map((each) => (each === GOOD ? 0 : 1)));
    expect(await rows(stream)).toEqual(Array.from({ length: 30 }, () => ROW));
  });

  it('take them from CSV, and know days and times of new fields', async () => {
    const stream = await declared({ price: 'Decimal128(10, 2)', at: 'Timestamp' });
    const csv =
      'price,at,made,seen,zoned\n"1.50",1700000000,2024-02-29,2024-02-29 10:00:00,2024-02-29T10:00:00+02:00\n1e2,2023-11-14,,,\n';
    expect((await post(`${stream}/_csv`, csv, 'text/csv')).json()).toMatchObject({
      status: [{ successful: 2, failed: 0 }],
    });
    expect(
      await server.client.sql(
        `SELECT toTypeName(made) AS m, toTypeName(seen) AS s, toTypeName(zoned) AS z, toString(price) AS price, toString(at) AS at, toString(made) AS made, toString(seen) AS seen, toString(zoned) AS zoned FROM ${stream} WHERE made IS NOT NULL`,
      ),
    ).toEqual([
      {
        m: 'Nullable(Date32)',
        s: 'Nullable(DateTime64(6))',
        z: "Nullable(DateTime64(6, 'UTC'))",
        price: '1.5',
        at: '2023-11-14 22:13:20.000000',
        made: '2024-02-29',
        seen: '2024-02-29 10:00:00.000000',
        zoned: '2024-02-29 08:00:00.000000',
      },
    ]);
  });

  it('reads lists of CSV with blanks around and within them', async () => {
    const stream = await declared({ days: 'List<Date32>', prices: 'List<Decimal128(10, 2)>', few: 'List<UInt8>' }); // prettier-ignore
    const csv = 'days,prices,few\n" [ ""2024-02-29"" ] "," [1, 2.25]","  [ 7 , 255 ]"\n';
    const answer = await post(`${stream}/_csv`, csv, 'text/csv');
    expect(answer.json()).toMatchObject({ status: [{ successful: 1, failed: 0 }] });
    expect(await server.client.sql(`SELECT days, prices, few FROM ${stream}`)).toEqual([
      { days: ['2024-02-29'], prices: [1, 2.25], few: [7, 255] },
    ]);
  });

  it('take again what waited in `_rejected`, once they are wider', async () => {
    const stream = await declared({ day: 'Date32', price: 'Decimal128(30, 2)' });
    const records = ['{"day":"2024-03-01T10:00:00"}', '{"day":"x"}'];
    await post(`${stream}/_multi`, records.join('\n'));
    // A number of so many digits is a text, as in JSON.
    await post(`${stream}/_csv`, 'day,price\nx,123456789012345678901234\n', 'text/csv');
    const csv = '{"day":"x","price":"123456789012345678901234"}';
    expect((await rejected(stream)).map(({ record }) => record).sort()).toEqual(
      [...records, csv].sort(),
    );
    const retry = async (): Promise<unknown> =>
      (
        await server.client.call(`${stream}/_rejected/retry?wait=true`, {
          method: 'POST',
        })
      ).json();
    expect(await retry()).toMatchObject({ status: [{ successful: 0, failed: 3 }] });
    await post(`${stream}/_csv`, 'day\n2024-03-02 00:00:01\n', 'text/csv');
    expect(await retry()).toMatchObject({ status: [{ successful: 1, failed: 2 }] });
    expect(
      await server.client.sql(`SELECT toString(day) AS day FROM ${stream} ORDER BY day`),
    ).toEqual([{ day: '2024-03-01 10:00:00.000000' }, { day: '2024-03-02 00:00:01.000000' }]);
  });

  it('of narrow integers widen for what is larger', async () => {
    const stream = await declared({ small: 'Int16' });
    await post(`${stream}/_multi`, '{"small":7}\n{"small":"7"}');
    await post(`${stream}/_multi`, '{"small":70000}');
    const type = `SELECT DISTINCT toTypeName(small) AS type FROM ${stream}`;
    expect(await server.client.sql(type)).toEqual([{ type: 'Nullable(Int64)' }]);
    expect(await server.client.sql(`SELECT small FROM ${stream} ORDER BY small`)).toEqual([
      { small: 7 },
      { small: 70000 },
    ]);
  });
});
