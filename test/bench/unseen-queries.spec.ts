import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAccessLog } from '../fixtures/access-log.js';
import { ROOT, startServer } from '../server/start-server.js';
import { startEdge } from '../server/start-edge.js';
import { familyProcessorSeconds } from './processor-time.js';
import { reportRows } from './report.js';

const SHORT = process.env.BENCH === 'short';
const LINES = 2000;
const STATEMENTS = SHORT ? 20 : 500;
const WARMING = SHORT ? 5 : 100;
const FIRST_MS = Date.UTC(2026, 0, 1);

/** Statements of a dashboard: of round `n`, the same each time or not. */
const KINDS: Readonly<Record<string, (n: number, time: (n: number) => string) => string>> = {
  'asked before': () => statement(1),
  'new by a literal': (n) => statement(n),
  'new by a time': (n, time) =>
    `SELECT method, count() AS n FROM access WHERE _timestamp >= ${time(n)} AND _timestamp < ${time(n + 60)} GROUP BY method ORDER BY n DESC`,
  'wholly new': (n) =>
    `SELECT host AS host${n}, count() AS n${n}, max(bytes + ${n}) AS most${n} FROM access WHERE status >= 400 AND bytes > ${n} GROUP BY host ORDER BY n${n} DESC LIMIT 5`,
};

const statement = (n: number): string =>
  `SELECT host, count() AS n, max(bytes) AS most FROM access WHERE status >= 400 AND bytes > ${100_000 + n} AND path LIKE '/search%' GROUP BY host ORDER BY n DESC LIMIT 5`;
const asText = (n: number): string =>
  `'${new Date(FIRST_MS + n * 1000).toISOString().slice(0, 19).replace('T', ' ')}'`;
/** A file of JSON has times as its numbers. */
const asMillis = (n: number): string => String(FIRST_MS + n * 1000);

interface Asked {
  readonly pid: number;
  readonly ask: (sql: string) => Promise<number>;
  readonly time: (n: number) => string;
}

/** The cost is processor time, which other work on the machine changes little. */
async function costs({ pid, ask, time }: Asked, program: string): Promise<readonly string[]> {
  const cells = [program];
  for (const [kind, of] of Object.entries(KINDS)) {
    for (let n = 0; n < WARMING; n += 1)
      expect([kind, await ask(of(n, time))]).toEqual([kind, 200]);
    const before = familyProcessorSeconds(pid);
    for (let n = 1000; n < 1000 + STATEMENTS; n += 1)
      expect([kind, await ask(of(n, time))]).toEqual([kind, 200]);
    const seconds = familyProcessorSeconds(pid) - before;
    cells.push(`${((seconds * 1000) / STATEMENTS).toFixed(2)} ms`);
  }
  return cells;
}

/** The bench tells what a statement costs that nobody has asked before. */
describe('statements that are new', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-unseen-'));
  const file = join(directory, 'access.ndjson');
  beforeAll(() => writeAccessLog(file, LINES));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const rows: (readonly string[])[] = [['program', ...Object.keys(KINDS)]];
  afterAll(() => reportRows('Processor time of a statement', rows));

  it('costs of the server', async () => {
    const variables = {
      MILLRACE_ORG_QUERY_SECONDS: '100000',
      MILLRACE_ORG_RESULT_BYTES: '1000000000000',
      MILLRACE_ORG_READ_ROWS: '1000000000000000',
      MILLRACE_ORG_READ_BYTES: '1000000000000000',
    };
    const server = await startServer({ dataDirectory: join(directory, 'data'), variables });
    try {
      const uploaded = await server.client.call('/api/default/access/_json?wait=true', {
        body: createReadStream(file),
        headers: { 'content-length': String(statSync(file).size) },
      });
      expect(uploaded.json()).toMatchObject({ status: [{ successful: LINES, failed: 0 }] });
      const authorization = `Basic ${Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64')}`;
      const of = (accept: string): Asked => ({
        pid: server.process.pid ?? 0,
        time: asText,
        ask: async (body) => {
          const headers = { authorization, accept };
          const url = `${server.url}/api/default/sql`;
          const answer = await fetch(url, { method: 'POST', headers, body });
          await answer.text();
          return answer.status;
        },
      });
      rows.push(await costs(of('application/json'), 'server, JSON'));
      rows.push(await costs(of('text/csv'), 'server, CSV'));
    } finally {
      await server.stop();
    }
  }, 900_000);

  it('costs of the edge program', async () => {
    const edge = await startEdge(['-t', `access=${file}`], { directory });
    const ask = async (sql: string): Promise<number> => (await edge.sql(sql)).status;
    try {
      rows.push(await costs({ pid: edge.pid, ask, time: asMillis }, 'edge, JSON'));
    } finally {
      await edge.stop();
    }
  }, 900_000);
});
