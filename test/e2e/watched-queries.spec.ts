import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FREQUENT_FUNCTIONS } from '../../apps/console/editor/frequent-functions.js';
import { borrowServer, ROOT, type BorrowedServer } from '../server/borrow-server.js';
import { writeParquet } from '../server/make-parquet.js';
import { startEdge } from '../server/start-edge.js';

const PROGRESS = 'application/vnd.millrace.progress+ndjson';
/** Microseconds since the epoch. */
const NOON = Date.UTC(2026, 10, 25, 12) * 1000;
const MINUTE = 60_000_000;
/** Takes the engine a second or more, and then fails. */
const FAILS_LATE =
  'SELECT sum(cityHash64(number, 1) % 2 + intDiv(1, 499999999 - number)) AS s FROM numbers(500000000)';
/** Takes it longer than any test waits. */
const LONG = 'SELECT sum(cityHash64(number, 1)) AS s FROM numbers(9000000000)';
/** This is far before the query's time is over. */
const SOON_MS = 20_000;

interface Counts {
  readonly elapsed_ms: number;
  readonly rows_read: number;
  readonly bytes_read: number;
}

interface Line {
  readonly row?: unknown;
  readonly progress?: Counts;
  readonly statistics?: Counts & { readonly result_bytes: number };
  readonly error?: { readonly code: number; readonly message: string };
}

const linesOf = (text: string): readonly Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('a query that somebody watches', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
    const minutes = [0, 1, 2, 3, 4].map((n) => ({
      _timestamp: NOON + n * MINUTE,
      n,
      text: `}\n{`,
    }));
    await server.client.upload('minutes', minutes);
    await server.client.upload('others', [
      { _timestamp: NOON + MINUTE, other: 1 },
      { _timestamp: NOON + 9 * MINUTE, other: 9 },
    ]);
  });
  afterAll(() => server.giveBack());

  const sql = (body: string, query = '', headers: Record<string, string> = {}) =>
    server.client.call(`sql${query}`, { body, headers });
  const watched = async (body: string, query = '', headers: Record<string, string> = {}) => {
    const answer = await sql(body, query, { accept: PROGRESS, ...headers });
    const { 'content-encoding': encoding } = answer.headers;
    return { ...answer, text: () => String(encoding ? gunzipSync(answer.bytes) : answer.bytes) };
  };

  it.each([{}, { 'accept-encoding': 'gzip, br' }])(
    'comes as lines of rows, and ends with what it took, for %j',
    async (headers) => {
      const answer = await watched('SELECT n, text FROM minutes ORDER BY n', '', headers);
      expect([answer.status, answer.headers['content-type']]).toEqual([
        200,
        `${PROGRESS}; charset=utf-8`,
      ]);
      const lines = linesOf(answer.text()).filter(({ progress }) => !progress);
      expect(lines).toEqual([
        ...[0, 1, 2, 3, 4].map((n) => ({ row: { n, text: '}\n{' } })),
        {
          statistics: {
            elapsed_ms: expect.any(Number) as number,
            rows_read: 5,
            bytes_read: expect.any(Number) as number,
            result_bytes: 5 * '{"n":0,"text":"}\\n{"}\n'.length,
          },
        },
      ]);
    },
  );

  it('tells all that was read, of many rows too, and of none', async () => {
    const many = linesOf((await watched('SELECT number FROM numbers(300000)')).text());
    expect(many.filter(({ row }) => row !== undefined)).toHaveLength(300_000);
    expect(many.at(-1)?.statistics?.rows_read).toBe(300_000);
    const none = linesOf((await watched('SELECT n FROM minutes WHERE n > 99')).text());
    expect(none.at(-1)).toMatchObject({ statistics: { result_bytes: 0 } });
  });

  it('tells how far it is while it works, and a late failure in its words', async () => {
    const lines = linesOf((await watched(FAILS_LATE)).text());
    const read = lines.flatMap(({ progress }) => (progress ? [progress.rows_read] : []));
    expect(read.length).toBeGreaterThan(0);
    expect(read).toEqual([...read].sort((one, other) => one - other));
    expect(read.at(-1)).toBeGreaterThan(1_000_000);
    expect(lines.at(-1)?.error).toMatchObject({
      code: 400,
      message: expect.stringMatching(/[Dd]ivision by zero/) as string,
    });
  });

  it('says the first of its progress at once, compressed or not', async () => {
    const { url, organization } = server;
    const first = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const begun = performance.now();
        const auth = `${ROOT.email}:${ROOT.password}`;
        const sent = request(
          new URL(`/api/${organization}/sql`, url),
          { method: 'POST', auth, headers: { accept: PROGRESS, ...headers } },
          (response) =>
            response.once('data', () => {
              sent.destroy();
              resolve(performance.now() - begun);
            }),
        );
        sent.on('error', reject).end(LONG);
      });
    expect(await first({})).toBeLessThan(SOON_MS);
    expect(await first({ 'accept-encoding': 'gzip' })).toBeLessThan(SOON_MS);
  });

  it('fails as any other where it fails at once, and is never what * means', async () => {
    const failed = await sql('SELECT m FROM minutes', '', { accept: PROGRESS });
    expect([failed.status, failed.headers['content-type'], failed.json()]).toEqual([
      400,
      'application/json; charset=utf-8',
      expect.objectContaining({ code: 400 }),
    ]);
    const any = await sql('SELECT 1 AS one', '', { accept: '*/*' });
    expect(any.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each([
    ['SELECT n FROM minutes ORDER BY n', [1, 2, 3]],
    ['SELECT n FROM minutes WHERE n = 0 OR n = 3 OR true ORDER BY n', [1, 2, 3]],
    ['SELECT m.n AS n FROM minutes AS m ORDER BY n', [1, 2, 3]],
    ['SELECT n FROM (SELECT * FROM minutes) ORDER BY n', [1, 2, 3]],
    [
      'WITH minutes AS (SELECT n + 10 AS n FROM minutes) SELECT n FROM minutes ORDER BY n',
      [11, 12, 13],
    ],
    ['SELECT n FROM minutes WHERE n IN (SELECT n FROM minutes) ORDER BY n', [1, 2, 3]],
    ['SELECT count() AS n FROM minutes', [3]],
    ['SELECT max(n) AS n FROM minutes', [3]],
    ['SELECT minutes.other AS n FROM others AS minutes', [1]],
    ['SELECT n FROM minutes, others ORDER BY n', [1, 2, 3]],
    ['SELECT n FROM Minutes ORDER BY N', [1, 2, 3]],
    ['SELECT 7 AS n', [7]],
  ])('reads nothing outside of its time: %s', async (statement, expected) => {
    const query = `?start_time=${NOON + MINUTE}&end_time=${NOON + 4 * MINUTE}`;
    for (const accept of ['application/json', 'text/csv', PROGRESS]) {
      const answer = await sql(statement, query, { accept });
      const text = answer.bytes.toString();
      const numbers =
        accept === 'application/json'
          ? answer.json<{ n: number }[]>().map(({ n }) => n)
          : accept === PROGRESS
            ? linesOf(text).flatMap(({ row }) => (row ? [(row as { n: number }).n] : []))
            : text.trimEnd().split('\n').slice(1).map(Number);
      expect([accept, numbers]).toEqual([accept, expected]);
    }
  });

  it.each([
    [`?start_time=${NOON + 3 * MINUTE}`, [3, 4]],
    [`?end_time=${NOON + MINUTE}`, [0]],
    ['?start_time=0&end_time=0', [0, 1, 2, 3, 4]],
    [`?start_time=${NOON}&end_time=${NOON}`, []],
  ])('takes one end alone, and none: %s', async (query, expected) => {
    const statement = encodeURIComponent('SELECT n FROM minutes ORDER BY n');
    const browsed = await server.client.call(`sql${query}&query=${statement}`);
    expect(browsed.json<{ n: number }[]>().map(({ n }) => n)).toEqual(expected);
  });

  it.each([
    [
      '?start_time=1764072000',
      /start_time should be microseconds since 1970, such as \d+, not "1764072000"/,
    ],
    ['?start_time=yesterday', /start_time should be microseconds since 1970/],
    [`?start_time=${NOON + 1}&end_time=${NOON}`, /start_time must not be after end_time/],
    [`?start_time=${NOON}&start_time=${NOON}`, /stands there twice/],
    ['?start=1', /unknown parameter "start"/],
  ])('says what is wrong with %s', async (query, message) => {
    const answer = await sql('SELECT 1', query);
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringMatching(message),
    ]);
  });

  it('lists what statements may call, as the engine spells it', async () => {
    const names = (await server.client.call('sql/functions')).json<string[]>();
    expect(names).toEqual(
      expect.arrayContaining(['count', 'toStartOfHour', 'quantileTDigest', 'date_trunc']),
    );
    for (const refused of ['file', 'url', 'remote', 'currentDatabase', 'sleep', 'match_all'])
      expect(names).not.toContain(refused);
  });

  it('knows each function that the console offers before others', async () => {
    const unknown: string[] = [];
    for (const name of FREQUENT_FUNCTIONS) {
      const answer = await sql(`SELECT ${name}(1)`);
      if (/there is no function|is not allowed/.test(answer.bytes.toString())) unknown.push(name);
    }
    expect(unknown).toEqual([]);
  });
});

it('is reported and bounded by the edge program as well', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-watched-'));
  writeParquet(
    `SELECT fromUnixTimestamp64Micro(toInt64(${NOON} + number * ${MINUTE}), 'UTC') AS _timestamp, number AS n FROM numbers(4)`,
    join(directory, 'minutes.parquet'),
  );
  const edge = await startEdge(['--table', 'minutes=minutes.parquet'], { directory });
  try {
    const range = `?start_time=${NOON + MINUTE}&end_time=${NOON + 3 * MINUTE}`;
    for (const [query, count] of [
      [range, 2],
      ['', 4],
    ] as const) {
      const answer = await edge.post(`/api/sql${query}`, 'SELECT count() AS n FROM minutes');
      expect([query, answer.json()]).toEqual([query, [{ n: count }]]);
    }
    const headers = { accept: PROGRESS };
    const answer = await edge.post('/api/sql', 'SELECT n FROM minutes ORDER BY n', headers);
    const lines = linesOf(answer.text).filter(({ progress }) => !progress);
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toMatchObject({ statistics: { rows_read: 4 } });
    const names = (await edge.get('/api/sql/functions')).json<string[]>();
    expect(names).toContain('toStartOfHour');
  } finally {
    await edge.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
