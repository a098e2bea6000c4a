import { startServer, type Server } from '../server/start-server.js';
import { MemoryWatch } from '../bench/process-memory.js';
import { rounds } from '../rounds.js';

const UPLOADS = rounds(250, 500);
const STREAMS = 8;
/** Every tenth is spooled in several chunks, four of ten in one; the others are a few records. */
const RECORDS = { large: 60_000, medium: 3000, small: 20 };
const PADDING = 'p'.repeat(300);
/**
 * The server may grow by so much over its idle size: 500 bodies of up to 20 MB are 1 GB, and this
 * is half of it.
 */
const GROWTH_MAX_MIB = rounds(500, 700);

interface Outcome {
  readonly id: number;
  readonly status: number;
  readonly retryAfter: string | undefined;
}

function recordsOf(id: number): number {
  if (id % 10 === 0) return RECORDS.large;
  return id % 2 === 0 ? RECORDS.medium : RECORDS.small;
}

function bodyOf(id: number): Buffer {
  const lines: string[] = [];
  for (let n = 0; n < recordsOf(id); n += 1) lines.push(`{"u":${id},"n":${n},"p":"${PADDING}"}\n`);
  return Buffer.from(lines.join(''));
}

describe(`${UPLOADS} uploads at once`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('are each stored once or answered 503 with Retry-After, in bounded memory', async () => {
    const { pid } = server.process;
    if (pid === undefined) throw new Error('no process');
    await server.client.upload('warm', '{"a":1}');
    const memory = new MemoryWatch(pid);
    const send = async (id: number): Promise<Outcome> => {
      const { status, headers } = await server.client.call(
        `/api/default/many${id % STREAMS}/_json`,
        { body: bodyOf(id) },
      );
      return { id, status, retryAfter: headers['retry-after'] };
    };
    const outcomes = await Promise.all(Array.from({ length: UPLOADS }, (_, id) => send(id)));
    for (let stream = 0; stream < STREAMS; stream += 1)
      await server.client.upload(`many${stream}`, '{"u":-1,"n":0,"p":""}');
    const growth = memory.stop() / 2 ** 20;

    const stored = new Map<number, { c: number; d: number }>();
    for (let stream = 0; stream < STREAMS; stream += 1) {
      const rows = await server.client.sql<{ u: number; c: number; d: number }>(
        `SELECT u, count() AS c, uniqExact(n) AS d FROM many${stream} WHERE u >= 0 GROUP BY u`,
      );
      for (const { u, c, d } of rows) stored.set(u, { c, d });
    }
    const wrong = outcomes.filter(({ id, status, retryAfter }) => {
      const { c, d } = stored.get(id) ?? { c: 0, d: 0 };
      if (status === 200) return c !== recordsOf(id) || d !== c;
      return status !== 503 || retryAfter === undefined || c !== 0;
    });
    const taken = outcomes.filter(({ status }) => status === 200).length;
    console.log(`${taken} of ${UPLOADS} taken, memory grew by ${Math.round(growth)} MiB`);
    expect(wrong).toEqual([]);
    expect(taken).toBeGreaterThan(UPLOADS / 2);
    expect(growth).toBeLessThan(GROWTH_MAX_MIB);
  }, 300_000);
});
