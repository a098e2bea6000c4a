import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ddl } from '../../libs/warehouse/ddl/ddl.js';
import { startServer, type Server } from '../server/start-server.js';
import { MemoryWatch } from './process-memory.js';
import { report } from './report.js';

/** `BENCH=short` is for CI: the same, with fewer lines and rounds. */
const SHORT = process.env.BENCH === 'short';
const LINES = SHORT ? 40_000 : 2_000_000;
const ROUNDS = SHORT ? 1 : 5;
const MIB = 1024 * 1024;

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

interface UploadBench {
  readonly title: string;
  readonly write: (path: string, lines: number) => Promise<void>;
  readonly route: '_json' | '_csv';
  readonly contentType: string;
  /** The engine's name of it. */
  readonly format: 'JSONEachRow' | 'CSVWithNames';
  readonly variables?: Readonly<Record<string, string>>;
}

/** Growth of the server's resident memory over its uploads, in bytes. Prints the figures. */
export async function uploadBesideEngine(bench: UploadBench): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const file = join(directory, 'access.log');
  await bench.write(file, LINES);
  const server = await startServer(bench.variables ? { variables: bench.variables } : {});
  try {
    // A server in use is warm, so this one is warmed first.
    await server.client.upload('warm', [{ a: 1 }]);
    await server.client.count('warm');
    const memory = new MemoryWatch(server.process.pid ?? 0);
    const ours: number[] = [];
    const raw: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      raw.push(rawSeconds(join(directory, `raw-${round}`), file, bench));
      ours.push(await uploadSeconds(server, `access_${round}`, file, bench));
    }
    const growth = memory.stop();
    report(bench.title, [
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
    return growth;
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Measures from the first byte sent until every row is queryable. */
async function uploadSeconds(
  { client }: Server,
  stream: string,
  file: string,
  { route, contentType }: UploadBench,
): Promise<number> {
  const started = performance.now();
  const answer = await client.call(`/api/default/${stream}/${route}?wait=true`, {
    body: createReadStream(file, { highWaterMark: MIB }),
    headers: { 'content-type': contentType, 'content-length': String(statSync(file).size) },
  });
  expect(answer.json()).toEqual({
    code: 200,
    status: [{ name: stream, successful: LINES, failed: 0 }],
  });
  expect(await client.count(stream)).toBe(LINES);
  return (performance.now() - started) / 1000;
}

function rawSeconds(data: string, file: string, { format }: UploadBench): number {
  const [create = ''] = new Ddl(undefined).createTable(
    { database: 'raw', table: 't' },
    COLUMNS,
    '',
  );
  const structure = ['_timestamp Int64', ...COLUMNS.map(({ name, type }) => `${name} ${type}`)];
  const script = join(import.meta.dirname, 'raw-insert.mjs');
  const answer = execFileSync(
    process.execPath,
    [script, data, file, create, structure.join(', '), format],
    { encoding: 'utf8' },
  );
  const { seconds, rows } = JSON.parse(answer) as { seconds: number; rows: number };
  expect(rows).toBe(LINES);
  rmSync(data, { recursive: true, force: true });
  return seconds;
}
