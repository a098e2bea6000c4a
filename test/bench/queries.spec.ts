import { cpSync, createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAccessLog } from '../fixtures/access-log.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { startBare } from './bare-process.js';
import { startEngineAlone, type EngineAlone } from './engine-directly.js';
import { load, type Asked, type Load } from './load.js';
import { receivedByNode, receivedBySocket, type Received } from './received.js';
import { report } from './report.js';
import type { RunningProgram } from './roapi/start-roapi.js';

const SHORT = process.env.BENCH === 'short';
const LINES = SHORT ? 50_000 : 2_000_000;
const ROUNDS = SHORT ? 4 : 200;
const PASSES = SHORT ? 1 : 3;
const CLIENTS = 64;
/** This many queries of one organization run at a time. */
const RUNNING = 4;
const AUTHORIZATION = `Basic ${Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64')}`;

const QUERIES: Readonly<Record<string, string>> = {
  'a constant': 'SELECT 1 AS one',
  'count of all': 'SELECT count() AS n FROM access',
  'rows of a minute':
    "SELECT host, path, status FROM access WHERE _timestamp >= '2026-01-01 01:00:00' AND _timestamp < '2026-01-01 01:01:00' LIMIT 10",
  'newest ten': 'SELECT * FROM access ORDER BY _timestamp DESC LIMIT 10',
  'by status': 'SELECT status, count() AS n FROM access GROUP BY status ORDER BY n DESC',
  'errors by host':
    'SELECT host, countIf(status >= 500) AS errors FROM access GROUP BY host ORDER BY errors DESC LIMIT 5',
  'quantiles by method':
    'SELECT method, quantiles(0.5, 0.99)(duration) AS q FROM access GROUP BY method ORDER BY method',
  'by hour':
    'SELECT toStartOfHour(_timestamp) AS hour, sum(bytes) AS bytes FROM access GROUP BY hour ORDER BY hour',
  'text within paths': "SELECT count() AS n FROM access WHERE path LIKE '%/items/77%'",
  'distinct addresses': 'SELECT uniq(client_ip) AS n FROM access WHERE cached',
};

const ms = ({ medianMs, p99Ms }: Pick<Load, 'medianMs' | 'p99Ms'>): string =>
  `median ${medianMs.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`;

describe('queries over HTTP beside the engine’s own HTTP interface', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  let server: Server;
  let engine: EngineAlone;
  let relay: RunningProgram;

  beforeAll(async () => {
    const file = join(directory, 'access.log');
    await writeAccessLog(file, LINES);
    const dataDirectory = join(directory, 'data');
    const variables = {
      MILLRACE_ORG_QUERIES: String(RUNNING),
      MILLRACE_ORG_QUERY_SECONDS: '100000',
      MILLRACE_ORG_RESULT_BYTES: '1000000000000',
      MILLRACE_ORG_READ_ROWS: '1000000000000000',
      MILLRACE_ORG_READ_BYTES: '1000000000000000',
    };
    server = await startServer({ dataDirectory, variables });
    const uploaded = await server.client.call('/api/default/access/_json?wait=true', {
      body: createReadStream(file),
      headers: { 'content-length': String(statSync(file).size) },
    });
    expect(uploaded.json()).toMatchObject({ status: [{ successful: LINES, failed: 0 }] });
    // Two engines have the same tables, so neither warms the other's caches.
    await server.stop();
    cpSync(join(dataDirectory, 'warehouse', 'store'), join(directory, 'alone', 'store'), {
      recursive: true,
    });
    server = await startServer({ dataDirectory, variables });
    engine = await startEngineAlone(join(directory, 'alone'), 'access');
    relay = await startBare('bare-relay.mjs', engine.url().origin);
  }, 300_000);
  afterAll(async () => {
    await relay.stop();
    await engine.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const directly = (sql: string, connections: number, requests: number): Promise<Load> =>
    load(asked(sql, connections, requests));
  /** Measures the cost of one more hop through Node.js, where nothing is done with the bytes. */
  const relayed = (sql: string, connections: number, requests: number): Promise<Load> => {
    const { pathname, search } = engine.url();
    const url = new URL(pathname + search, relay.url);
    return load({ ...asked(sql, connections, requests), url });
  };
  const asked = (sql: string, connections: number, requests: number): Asked => ({
    url: engine.url(),
    headers: engine.headers,
    body: sql,
    connections,
    requests,
  });
  const overHttp = (body: string, connections: number, requests: number): Promise<Load> =>
    load({
      url: new URL('/api/default/sql', server.url),
      headers: { authorization: AUTHORIZATION },
      body,
      connections,
      requests,
    });

  it('ten queries, one client', async () => {
    const figures: [string, string][] = [];
    for (const [name, sql] of Object.entries(QUERIES)) {
      await overHttp(sql, 1, 3);
      const own: Load[] = [];
      const bare: Load[] = [];
      const http: Load[] = [];
      await directly(sql, 1, 3);
      // They take turns, so that other work of the machine meets both.
      for (let pass = 0; pass < PASSES; pass += 1) {
        own.push(await directly(sql, 1, ROUNDS));
        bare.push(await relayed(sql, 1, ROUNDS));
        http.push(await overHttp(sql, 1, ROUNDS));
      }
      const [best, hop, floor] = [fastest(http), fastest(bare), fastest(own)];
      const more = ({ medianMs }: Load): string =>
        `${(medianMs - floor.medianMs).toFixed(2)} ms more`;
      figures.push([
        name,
        `engine ${ms(floor)}; bare relay ${more(hop)}; HTTP ${ms(best)}, ${more(best)}`,
      ]);
    }
    report(`Ten queries over ${LINES.toLocaleString('en')} rows, one client`, figures);
    expect(figures).toHaveLength(10);
  }, 600_000);

  it('rows out', async () => {
    const sql = 'SELECT * FROM access';
    const url = new URL(`/api/default/sql?query=${encodeURIComponent(sql)}`, server.url);
    const headers = { authorization: AUTHORIZATION };
    const own: number[] = [];
    const bare: number[] = [];
    const counted: number[] = [];
    const read: number[] = [];
    const { pathname, search } = engine.url(sql);
    const hop = new URL(pathname + search, relay.url);
    let bytes = 0;
    for (let pass = 0; pass < PASSES; pass += 1) {
      own.push(megabytesASecond(await receivedBySocket(engine.url(sql), engine.headers)));
      bare.push(megabytesASecond(await receivedBySocket(hop, engine.headers)));
      counted.push(megabytesASecond(await receivedBySocket(url, headers)));
      const answer = await receivedByNode(url, headers);
      bytes = answer.bytes;
      read.push(megabytesASecond(answer));
    }
    const show = (rates: readonly number[]): string =>
      `${median(rates).toFixed(0)} MB/s (${rates.map((rate) => rate.toFixed(0)).join(', ')})`;
    const ratio = (rates: readonly number[]): string => (median(rates) / median(own)).toFixed(2);
    report('All rows as JSON', [
      ['rows', LINES.toLocaleString('en')],
      ['bytes', `${Math.round(bytes / 1e6)} MB`],
      ['engine’s own HTTP interface, counted at the socket, median', show(own)],
      ['bare relay, counted at the socket, median', show(bare)],
      ['HTTP, counted at the socket, median', show(counted)],
      ['HTTP, read by Node’s client, median', show(read)],
      [
        'ratios of medians',
        `${ratio(counted)}, of the bare relay ${ratio(bare)}; by Node’s client ${ratio(read)}`,
      ],
    ]);
    expect(bytes).toBeGreaterThan(LINES);
  }, 600_000);

  it('64 clients', async () => {
    const figures: [string, string][] = [];
    for (const name of ['a constant', 'rows of a minute', 'by status']) {
      const sql = QUERIES[name] ?? '';
      await overHttp(sql, CLIENTS, CLIENTS);
      await directly(sql, CLIENTS, CLIENTS);
      const own = await directly(sql, CLIENTS, ROUNDS * RUNNING);
      const bare = await relayed(sql, CLIENTS, ROUNDS * RUNNING);
      const http = await overHttp(sql, CLIENTS, ROUNDS * RUNNING);
      const ratio = ({ perSecond }: Load): string => (perSecond / own.perSecond).toFixed(2);
      figures.push([
        name,
        `engine: ${Math.round(own.perSecond)} a second, ${ms(own)}; bare relay: ratio ${ratio(bare)}; HTTP: ${Math.round(http.perSecond)} a second, ${ms(http)}; ratio ${ratio(http)}`,
      ]);
    }
    report(
      `${CLIENTS} clients of one organization, ${RUNNING} of their queries at a time`,
      figures,
    );
    expect(figures).toHaveLength(3);
  }, 600_000);
});

const fastest = (loads: readonly Load[]): Load =>
  loads.reduce((a, b) => (b.medianMs < a.medianMs ? b : a));
const megabytesASecond = ({ ms, bytes }: Received): number => bytes / 1e6 / (ms / 1000);
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
