import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable } from '../../libs/warehouse/ddl.js';
import { writeAccessLog } from '../fixtures/access-log.js';
import { startServer, type Server } from '../server/start-server.js';
import { MemoryWatch } from './process-memory.js';
import { report } from './report.js';

/** `BENCH=short` is for CI: the same, with fewer lines and rounds. */
const SHORT = process.env.BENCH === 'short';
const LINES = SHORT ? 400_000 : 2_000_000;
const ROUNDS = SHORT ? 2 : 5;
const MIB = 1024 * 1024;
const MEMORY_GROWTH_MAX = 256 * MIB;

const COLUMNS = [
  ['host', 'Nullable(String)'],
  ['method', 'Nullable(String)'],
  ['path', 'Nullable(String)'],
  ['status', 'Nullable(Int64)'],
  ['bytes', 'Nullable(Int64)'],
  ['duration', 'Nullable(Float64)'],
  ['client_ip', 'Nullable(String)'],
  ['user_agent', 'Nullable(String)'],
  ['cached', 'Nullable(Bool)'],
].map(([name = '', type = '']) => ({ name, type }));

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe('ingest beside the engine alone', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const file = join(directory, 'access.ndjson');
  let server: Server;

  beforeAll(async () => {
    await writeAccessLog(file, LINES);
    server = await startServer();
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Seconds from the first byte sent until every row is queryable. */
  async function uploadSeconds(stream: string): Promise<number> {
    const started = performance.now();
    const answer = await server.client.call(`/api/default/${stream}/_json?wait=true`, {
      body: createReadStream(file, { highWaterMark: MIB }),
      headers: {
        'content-type': 'application/x-ndjson',
        'content-length': String(statSync(file).size),
      },
    });
    expect(answer.json()).toEqual({
      code: 200,
      status: [{ name: stream, successful: LINES, failed: 0 }],
    });
    expect(await server.client.count(stream)).toBe(LINES);
    return (performance.now() - started) / 1000;
  }

  function rawSeconds(round: number): number {
    const data = join(directory, `raw-${round}`);
    const create = createTable({ database: 'raw', table: 't' }, COLUMNS, '');
    const structure = [
      '_timestamp Int64',
      ...COLUMNS.map(({ name, type }) => `${name} ${type}`),
    ].join(', ');
    const script = join(import.meta.dirname, 'raw-insert.mjs');
    expect(existsSync(script)).toBe(true);
    const answer = execFileSync(process.execPath, [script, data, file, create, structure], {
      encoding: 'utf8',
    });
    const { seconds, rows } = JSON.parse(answer) as { seconds: number; rows: number };
    expect(rows).toBe(LINES);
    rmSync(data, { recursive: true, force: true });
    return seconds;
  }

  it('counts exactly, keeps memory bounded, and tells its time beside the raw insert', async () => {
    // Warm, as a server in use is.
    await server.client.upload('warm', [{ a: 1 }]);
    await server.client.count('warm');
    const memory = new MemoryWatch(server.process.pid ?? 0);
    const ours: number[] = [];
    const raw: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      raw.push(rawSeconds(round));
      ours.push(await uploadSeconds(`access_${round}`));
    }
    const growth = memory.stop();
    report('Ingest over HTTP beside the raw INSERT … SELECT … FROM file(…)', [
      ['records', LINES.toLocaleString('en')],
      ['bytes', `${Math.round(statSync(file).size / 1e6)} MB`],
      [
        'raw INSERT, median',
        `${median(raw).toFixed(2)} s (${raw.map((s) => s.toFixed(2)).join(', ')})`,
      ],
      [
        'HTTP until queryable, median',
        `${median(ours).toFixed(2)} s (${ours.map((s) => s.toFixed(2)).join(', ')})`,
      ],
      ['ratio of medians', (median(raw) / median(ours)).toFixed(2)],
      ['records a second', Math.round(LINES / median(ours)).toLocaleString('en')],
      [
        'growth of resident memory, at most',
        `${Math.round(growth / MIB)} MiB over ${Math.round(memory.before / MIB)} MiB`,
      ],
    ]);
    expect(growth).toBeLessThan(MEMORY_GROWTH_MAX);
  }, 300_000);
});
