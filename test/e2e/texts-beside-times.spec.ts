import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

/** Two records, before and after the time that is asked for. */
const TIMES = ['2026-01-01T09:59:59.999999Z', '2026-01-01T10:00:00.000001Z'];

/** The same moment in the ways of those who write it. */
const NOTATIONS = [
  '2026-01-01T10:00:00Z',
  '2026-01-01T10:00:00z',
  '2026-01-01t10:00:00.000Z',
  '2026-01-01T10:00Z',
  '2026-01-01T10:00:00',
  '2026-01-01 10:00:00',
  '2026-01-01 10:00:00Z',
  '2026-01-01 10:00:00 UTC',
  '2026-01-01 10:00:00+00',
  '2026-01-01 12:00:00.000 +02',
  '2026-01-01T11:30:00+01:30',
  '2026-01-01T02:00:00-0800',
];

describe('a text that is compared with the time of a record', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload(
      'logs',
      TIMES.map((time, id) => ({ _timestamp: time, at: time, id })),
    );
  });
  afterAll(() => server.giveBack());

  const ids = async (condition: string, from = 'logs'): Promise<unknown> => {
    const body = `SELECT id FROM ${from} WHERE ${condition} ORDER BY id`;
    const answer = await server.client.call('sql', { body });
    if (answer.status !== 200) return answer.json();
    return answer.json<readonly { readonly id: number }[]>().map(({ id }) => id);
  };

  it.each(NOTATIONS)('is a time as in %s', async (text) => {
    const asked = await Promise.all([
      ids(`_timestamp > '${text}'`),
      ids(`'${text}' > _timestamp`),
      ids(`l._timestamp >= '${text}' AND l.id < 9`, 'logs AS l'),
      ids(`NOT (_timestamp <= '${text}')`),
      ids(`_timestamp BETWEEN '${text}' AND '2026-01-02T00:00:00Z'`),
      ids(`_timestamp = '${text}'`),
      ids(`_timestamp <> '${text}'`),
      ids(`id = (SELECT max(id) FROM logs HAVING max(_timestamp) > '${text}')`),
    ]);
    expect(asked).toEqual([[1], [0], [1], [1], [1], [], [0, 1], [1]]);
  });

  it.each([
    "date_trunc('day', _timestamp) = '2026-01-01T00:00:00Z'",
    "'2026-01-01 00:00:00 UTC' = date_trunc('day', _timestamp)",
    "date_trunc('month', _timestamp) = '2026-01-01T00:00:00Z'",
    "toStartOfDay(_timestamp) IN ('2026-01-01T00:00:00Z')",
    "toStartOfInterval(_timestamp, INTERVAL 1 DAY) >= '2026-01-01T00:00:00Z'",
    "_timestamp - INTERVAL 1 DAY >= '2025-12-31T00:00:00Z'",
  ])('is a time beside one that is cut: %s', async (condition) => {
    expect(await ids(condition)).toEqual([0, 1]);
  });

  it.each(TIMES)('finds the record of %s, to the microsecond', async (time) => {
    const id = TIMES.indexOf(time);
    expect([await ids(`_timestamp = '${time}'`), await ids(`_timestamp IN ('${time}')`)]).toEqual([
      [id],
      [id],
    ]);
  });

  it.each([
    ['2026-02-30', /no day of the calendar/],
    ['2026-02-30T00:00:00Z', /no day of the calendar/],
    ['soon', /./],
  ])('is refused where it is no time: %s', async (text, message) => {
    expect(await ids(`_timestamp > '${text}'`)).toMatchObject({
      message: expect.stringMatching(message) as string,
    });
  });
});
