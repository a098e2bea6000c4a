import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

/** Two visits of one person, the second of two records, and one of another. */
const RECORDS = [
  { _timestamp: '2026-01-01T10:00:00Z', user: 'a', id: 0 },
  { _timestamp: '2026-01-01T10:40:00Z', user: 'a', id: 1 },
  { _timestamp: '2026-01-01T11:00:00.5Z', user: 'a', id: 2 },
  { _timestamp: '2026-01-01T10:10:00Z', user: 'b', id: 3 },
];
const GAPS =
  'SELECT id, _timestamp, lag(_timestamp) OVER (PARTITION BY user ORDER BY _timestamp) AS prev FROM logs';
const GAP = '_timestamp - lag(_timestamp) OVER (PARTITION BY user ORDER BY _timestamp)';

describe('lengths of time and numbers beside the time of a record', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload('logs', RECORDS);
  });
  afterAll(() => server.giveBack());

  const values = async (body: string): Promise<unknown> => {
    const answer = await server.client.call('sql', { body });
    if (answer.status !== 200) return answer.json();
    return answer
      .json<readonly Readonly<Record<string, unknown>>[]>()
      .flatMap((row) => Object.values(row));
  };

  it.each([
    [`SELECT id FROM (${GAPS}) g WHERE _timestamp - prev > INTERVAL '30 minutes'`, [1]],
    [`SELECT id FROM (${GAPS}) g WHERE INTERVAL 30 MINUTE < _timestamp - prev`, [1]],
    [
      `SELECT id FROM (SELECT id, ${GAP} AS gap FROM logs) g WHERE gap > INTERVAL '30 minutes'`,
      [1],
    ],
    [
      `SELECT id FROM (SELECT id, ${GAP} AS gap FROM logs) g WHERE gap BETWEEN INTERVAL '20 minutes' AND 1.5 * INTERVAL '20 minutes'`,
      [2],
    ],
    [
      `SELECT CASE WHEN ${GAP} <= INTERVAL '30 minutes' THEN 0 ELSE 1 END AS isnew FROM logs ORDER BY id`,
      [1, 1, 0, 1],
    ],
    [
      "SELECT max(_timestamp) - min(_timestamp) >= INTERVAL '1 hour 500 milliseconds' AS x FROM logs",
      [true],
    ],
    ["SELECT count(*) FROM logs WHERE now() - _timestamp < INTERVAL '1 day'", [0]],
    [
      "SELECT id FROM logs WHERE TIMESTAMP '2026-01-01 11:00:00' - _timestamp < INTERVAL '1' HOUR ORDER BY id",
      [1, 2, 3],
    ],
    [
      `SELECT avg(gap) > INTERVAL '29 minutes' AS x, avg(gap) < INTERVAL '31 minutes' AS y FROM (SELECT ${GAP} AS gap FROM logs) g`,
      [true, true],
    ],
    [
      "SELECT id FROM logs WHERE CAST(_timestamp AS TIME) >= '10:10' AND '10:41' > CAST(_timestamp AS TIME) ORDER BY id",
      [1, 3],
    ],
    ["SELECT count(*) FROM logs WHERE _timestamp >= '20260101' AND _timestamp < '20260102'", [4]],
    [
      "SELECT count(*) FROM logs WHERE _timestamp >= '1767263400000' AND _timestamp < '1767268800'",
      [2],
    ],
    [
      'SELECT id, from_unixtime(_timestamp / 1000000) AS t, _timestamp % 1000000 AS r FROM logs WHERE id = 2',
      [2, '2026-01-01T11:00:00.500000Z', 500000],
    ],
    [
      'SELECT _timestamp / 1000000 AS s, _timestamp % 7 AS r FROM (SELECT toUnixTimestamp64Micro(_timestamp) AS _timestamp FROM logs WHERE id = 1) x',
      [1767264000, 5],
    ],
    [
      'SELECT count(*) FROM (SELECT toUnixTimestamp64Milli(_timestamp) AS _timestamp FROM logs) x WHERE _timestamp < toUnixTimestamp64Milli(now64(3))',
      [4],
    ],
    ['SELECT extract(epoch FROM max(_timestamp) - min(_timestamp)) AS x FROM logs', [3600.5]],
    [`SELECT max(extract(epoch FROM _timestamp - prev)) AS x FROM (${GAPS}) g`, [2400]],
    [
      "SELECT date_part('epoch', max(_timestamp) - min(_timestamp)) AS x, epoch(max(_timestamp) - min(_timestamp)) AS y FROM logs",
      [3600.5, 3600.5],
    ],
    [
      `SELECT quantile(0.95)(gap) > INTERVAL '1 hour' AS x, quantileExact(0.95)(gap) > INTERVAL '39 minutes' AS y FROM (SELECT ${GAP} AS gap FROM logs) g`,
      [false, true],
    ],
    [
      `SELECT stddev_pop(gap) < INTERVAL '1 hour' AS x, round(avg(gap)) > INTERVAL '29 minutes' AS y, avgIf(gap, gap > 0) > INTERVAL '1 hour' AS z FROM (SELECT ${GAP} AS gap FROM logs) g`,
      [true, true, false],
    ],
    [
      `SELECT id FROM (SELECT id, ${GAP} AS gap FROM logs) g WHERE gap > 2 * INTERVAL '15 minutes'`,
      [1],
    ],
    [`SELECT id FROM (SELECT id, ${GAP} AS gap FROM logs) g WHERE gap / 2 > INTERVAL '15 minutes'`, [1]], // prettier-ignore
    [`SELECT id FROM (SELECT id, ${GAP} AS gap FROM logs) g WHERE gap * 2 < INTERVAL '1 hour'`, [2]], // prettier-ignore
    [
      `SELECT id FROM (SELECT id, ${GAP} AS gap FROM logs) g WHERE gap - INTERVAL '5 minutes' > INTERVAL '30 minutes'`,
      [1],
    ],
    [
      `SELECT sum(gap) / count(*) > INTERVAL '15 minutes' AS x, coalesce(max(gap), 0) > INTERVAL '1 hour' AS y FROM (SELECT ${GAP} AS gap FROM logs) g`,
      [true, false],
    ],
    // The first difference is in seconds, the second in microseconds.
    [
      `SELECT id FROM (${GAPS}) g WHERE _timestamp - prev > (SELECT (max(_timestamp) - min(_timestamp)) / 2 FROM logs)`,
      [1],
    ],
    [`SELECT min(prev + (_timestamp - prev)) AS x FROM (${GAPS}) g`, ['2026-01-01T10:40:00.000000Z']], // prettier-ignore
    [
      'SELECT min(_timestamp) + (max(_timestamp) - min(_timestamp)) / 2 AS x FROM logs',
      ['2026-01-01T10:30:00.250000Z'],
    ],
    [
      "SELECT (max(_timestamp) - min(_timestamp)) / INTERVAL '30 minutes' AS x, INTERVAL '30 minutes' > INTERVAL '1 hour' AS y FROM logs",
      [3600.5 / 1800, false],
    ],
    [
      "SELECT DATE '2026-01-03' - CAST(min(_timestamp) AS DATE) > INTERVAL '47 hours' AS x, max(_timestamp) - DATE '2026-01-01' AS y FROM logs",
      [true, 39600.5],
    ],
    [
      "SELECT id FROM logs WHERE current_timestamp - _timestamp < INTERVAL '1 day' OR to_timestamp(1767265200) - _timestamp > INTERVAL '30 minutes' OR _timestamp - time_bucket('1 hour', _timestamp) > INTERVAL '15 minutes' ORDER BY id",
      [0, 1, 3],
    ],
    ["WITH INTERVAL 1 HOUR AS w SELECT id FROM logs WHERE _timestamp + w > '2026-01-01 12:00:00'", [2]], // prettier-ignore
    [
      "SELECT DISTINCT time_bucket('1 day', _timestamp, 'Pacific/Kiritimati') AS x, time_bucket('30 minutes', TIMESTAMPTZ '2026-01-01 10:20:00Z', 'Asia/Kathmandu') AS y, time_bucket('1 month', TIMESTAMPTZ '2026-06-30 23:00:00Z', 'Europe/Berlin') AS z FROM logs WHERE id = 2",
      ['2026-01-01T10:00:00.000000Z', '2026-01-01T10:15:00.000000Z', '2026-06-30T22:00:00.000000Z'],
    ],
  ])('answers %s', async (sql, expected) => {
    expect(await values(sql)).toEqual(expected);
  });

  it.each(['default.logs', '"default"."logs"'])('reads the table as %s', async (table) => {
    expect(
      await values(`SELECT count(*) FROM ${table} WHERE ${table}._timestamp > '2026-01-01'`),
    ).toEqual([4]);
  });

  it('refuses a number beside an INTERVAL', async () => {
    expect(await values("SELECT id FROM logs WHERE id > INTERVAL '1 hour'")).toMatchObject({
      message: expect.stringContaining('a number is compared with an INTERVAL') as string,
    });
  });

  it.each([
    ["SELECT arrayMax(groupArray(id)) > INTERVAL '1 hour' FROM logs", /not known of a value/],
    [`WITH INTERVAL 1 HOUR AS w SELECT id FROM (${GAPS}) g WHERE _timestamp - prev > w`, /behind a name/], // prettier-ignore
    ['SELECT id FROM logs WHERE _timestamp < 99999999999', /read by its size as 1973-03-03/],
    ['SELECT id FROM logs WHERE 253402300799 >= _timestamp', /as 1978-01-11/],
    ["SELECT id FROM logs WHERE _timestamp BETWEEN 0 AND '999999999999'", /as 2001-09-09/],
    ['SELECT id FROM logs WHERE _timestamp <= 99999999999999', /as 1973-03-03/],
  ])('refuses %s', async (sql, message) => {
    expect(await values(sql)).toMatchObject({ message: expect.stringMatching(message) as string });
  });

  it.each(['9999999999', '9999999999999', '9223372036854775807', '1767312000000'])(
    'finds what is before %s',
    async (end) => {
      expect(await values(`SELECT count(*) FROM logs WHERE _timestamp < ${end}`)).toEqual([4]);
    },
  );

  it('refuses months, which have no fixed length', async () => {
    expect(
      await values(`SELECT id FROM (${GAPS}) g WHERE _timestamp - prev > INTERVAL '1 month'`),
    ).toMatchObject({
      message: expect.stringContaining('no fixed length') as string,
    });
  });

  it.each([
    '1767263400',
    '1767263400000',
    '1767263400000000',
    '1767263400000000000',
    "toUnixTimestamp64Micro(toDateTime64('2026-01-01 10:30:00', 6, 'UTC'))",
    "toUnixTimestamp64Micro(toDateTime64('2026-01-01 10:20:00', 6, 'UTC')) + 600000000",
    "toUnixTimestamp(toDateTime('2026-01-01 10:00:00')) + 1800",
    "epoch_ms(TIMESTAMP '2026-01-01 10:30:00')",
  ])('takes %s for the time that it is', async (number) => {
    const asked = await Promise.all([
      values(`SELECT id FROM logs WHERE _timestamp >= ${number} ORDER BY id`),
      values(`SELECT id FROM logs WHERE ${number} > _timestamp ORDER BY id`),
    ]);
    expect(asked).toEqual([
      [1, 2],
      [0, 3],
    ]);
  });

  it.each(['2026-01-01T10:30:00Z', '2026-01-01 10:30:00', '2026-01-01T11:30:00+01:00'])(
    'takes the text %s from outside for a time',
    async (text) => {
      const answer = await server.client.call(`sql?param_from=${encodeURIComponent(text)}`, {
        body: 'SELECT id FROM logs WHERE _timestamp >= {from:String} ORDER BY id',
      });
      expect(answer.json()).toEqual([{ id: 1 }, { id: 2 }]);
    },
  );

  it('cuts a column that is called as a unit by a unit from outside', async () => {
    const answer = await server.client.call('sql?param_unit=hour', {
      body: 'SELECT date_trunc({unit:String}, day) AS x FROM (SELECT _timestamp AS day FROM logs WHERE id = 1) d',
    });
    expect(answer.json()).toEqual([{ x: '2026-01-01T10:00:00Z' }]);
  });

  it.each(['1767263400000', '1767263400000000'])('finds by %s in search, too', async (number) => {
    const sql = `SELECT id FROM logs WHERE _timestamp >= ${number} ORDER BY id`;
    const answer = await server.client.call('_search', {
      body: JSON.stringify({ query: { sql } }),
    });
    expect(answer.json()).toMatchObject({ hits: [{ id: 1 }, { id: 2 }] });
  });

  it.each(['2026-01-01 10:30:00 UTC', '2026-01-01 11:30:00+01', '1767263400000'])(
    'filters tables by %s',
    async (text) => {
      const query = new URLSearchParams({ columns: 'id', sort: 'id', 'filter[_timestamp]gte': text }); // prettier-ignore
      const answer = await server.client.call(`tables/logs?${query.toString()}`);
      expect(answer.json()).toEqual([{ id: 1 }, { id: 2 }]);
    },
  );

  it.each(['1767263400', '1767263400000', '1767263400000000'])(
    'takes %s from outside for it',
    async (number) => {
      const answer = await server.client.call(`sql?param_from=${number}`, {
        body: 'SELECT id FROM logs WHERE _timestamp >= {from:Int64} ORDER BY id',
      });
      expect(answer.json()).toEqual([{ id: 1 }, { id: 2 }]);
    },
  );
});
