import { deltaArchive } from '../server/delta-archive.js';
import { makeParquet } from '../server/make-parquet.js';
import { rounds } from '../rounds.js';
import { startServer, type Server } from '../server/start-server.js';

/** A body has so many rows, which is to take the engine a while. */
const ROWS = rounds(50_000, 150_000);
/**
 * Uploads of the flooding organization. Without turns, all of them come before the only upload of
 * another; usually it is 2 to 5, and 11 of `_bulk`, whose lines are received and taken apart while
 * the engine goes on. So of these there are more.
 */
const flooding = (format: string): number => (format === '_bulk' ? 48 : 16);
/**
 * Uploads with a key, which become a batch each. Their connections are many, so that the writer
 * gets behind. Who waits behind them waited 0.6 to 0.9 of the time that they took to be posted, and
 * waits 0.03 of it where small batches are written together.
 */
const KEYED = { uploads: 1200, connections: 32, streams: 4, waitMax: 0.25 };
/** Other work of the machine can only add to the times, so the best of these counts. */
const TRIES = 3;

describe('organizations take turns', () => {
  let server: Server;
  const bodies = new Map<string, Buffer>();

  beforeAll(async () => {
    const line = (n: number): string => `{"n":${n},"t":"text of ${n}"}\n`;
    const lines = Array.from({ length: ROWS }, (_, n) => line(n));
    const parquet = makeParquet(
      `SELECT number AS n, concat('text of ', toString(n)) AS t FROM numbers(${ROWS})`,
    );
    bodies.set('_json', Buffer.from(lines.join('')));
    bodies.set('_csv', Buffer.from(`n,t\n${lines.map((_, n) => `${n},text of ${n}\n`).join('')}`));
    bodies.set('_bulk', Buffer.from(lines.map((each) => `{"index":{}}\n${each}`).join('')));
    bodies.set('_parquet', parquet);
    bodies.set('_delta_lake', await deltaArchive(parquet, { n: 'long', t: 'string' }));
    server = await startServer();
    const founder = { email: 'founder@example.com', password: 'Secret-77', role: 'member' };
    const body = JSON.stringify({ ...founder, first_name: 'F', last_name: 'F' });
    await server.client.call('/api/default/users', { body });
    for (const org of ['flood', 'calm'])
      await server.client.call(`/api/${org}/users/${founder.email}`, { body: '{"role":"admin"}' });
    // The stream is made first, so that nobody has to wait for it.
    for (const org of ['flood', 'calm'])
      await server.client.call(`/api/${org}/logs/_json?wait=true`, { body: '{"n":1,"t":"x"}' });
  });
  afterAll(() => server.stop());

  it.each(['_json', '_csv', '_bulk', '_parquet', '_delta_lake'])(
    'with %s: who sends one does not wait for all of who sends many',
    async (format) => {
      const body = bodies.get(format) ?? '';
      const came: number[] = [];
      const most = (flooding(format) * 3) / 4;
      do came.push(await comeBefore(format, body));
      while (came.length < TRIES && Math.min(...came) > most);
      expect(Math.min(...came)).toBeLessThanOrEqual(most);
    },
    120_000,
  );

  it('who waits for rows does not wait long behind small uploads with keys, each stored once', async () => {
    const { uploads, connections, streams, waitMax } = KEYED;
    const path = (upload: number): string => `/api/flood/keyed${upload % streams}/_json`;
    for (let stream = 0; stream < streams; stream += 1)
      await server.client.call(`${path(stream)}?wait=true`, { body: '{"n":-1}' });
    let next = 0;
    let tries = 0;
    const share = async (): Promise<number> => {
      const end = (tries += 1) * uploads;
      const begun = performance.now();
      const post = async (): Promise<void> => {
        for (let upload = next++; upload < end; upload = next++) {
          const headers = { 'idempotency-key': `key ${upload}` };
          const body = `{"n":${upload}}`;
          const answer = await server.client.call(path(upload), { body, headers });
          expect(answer.status).toBe(200);
        }
        next = end;
      };
      await Promise.all(Array.from({ length: connections }, post));
      const posted = performance.now();
      const body = '{"n":1,"t":"x"}';
      const answer = await server.client.call('/api/calm/logs/_json?wait=true', { body });
      expect(answer.status).toBe(200);
      return (performance.now() - posted) / (posted - begun);
    };
    let least = await share();
    while (tries < TRIES && least > waitMax) least = Math.min(least, await share());
    expect(least).toBeLessThanOrEqual(waitMax);
    const last = await server.client.call(`${path(0)}?wait=true`, { body: '{"n":-1}' });
    expect(last.status).toBe(200);
    for (let stream = 0; stream < streams; stream += 1) {
      const answer = await server.client.call('/api/flood/sql', {
        body: `SELECT count() AS rows, uniqExact(n) AS numbers FROM keyed${stream} WHERE n >= 0`,
      });
      const stored = (tries * uploads) / streams;
      expect(answer.json()).toEqual([{ rows: stored, numbers: stored }]);
    }
  }, 180_000);

  /** @returns how many of the flood are answered before the upload of another organization */
  async function comeBefore(format: string, body: Buffer | string): Promise<number> {
    let answered = 0;
    let begun = (): void => undefined;
    const first = new Promise<void>((resolve) => (begun = resolve));
    const flood = Array.from({ length: flooding(format) }, async () => {
      const answer = await server.client.call(`/api/flood/logs/${format}`, { body });
      expect(answer.status).toBe(200);
      answered += 1;
      begun();
    });
    await first;
    const before = answered;
    const answer = await server.client.call(`/api/calm/logs/${format}`, { body });
    expect(answer.status).toBe(200);
    const came = answered - before;
    await Promise.all(flood);
    return came;
  }
});
