import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeAccessLog } from '../fixtures/access-log.js';
import { startServer, type Server } from '../server/start-server.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const LINES = SHORT ? 10_000 : 400_000;
const ROUNDS = SHORT ? 1 : 7;
const STREAMS = 5;
const MIB = 1024 * 1024;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe('bulk beside _json', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Writes the same documents with an action before each. */
  async function asBulk(source: string, name: string, action: (n: number) => string) {
    const path = join(directory, name);
    const file = createWriteStream(path);
    let n = 0;
    for await (const line of createInterface({ input: createReadStream(source) }))
      if (!file.write(`${action(n++)}\n${line}\n`)) await once(file, 'drain');
    file.end();
    await once(file, 'finish');
    return path;
  }

  /** Seconds until every row is queryable. */
  async function seconds(path: string, file: string): Promise<number> {
    const started = performance.now();
    const answer = await server.client.call(`/api/default/${path}?wait=true`, {
      body: createReadStream(file, { highWaterMark: MIB }),
      headers: {
        'content-type': 'application/x-ndjson',
        'content-length': String(statSync(file).size),
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.bytes.subarray(0, 60).toString()).toMatch(/"errors":false|"successful":/);
    return (performance.now() - started) / 1000;
  }

  it('tells its time beside that of the same records as NDJSON', async () => {
    const lines = join(directory, 'access.ndjson');
    await writeAccessLog(lines, LINES);
    const uploads = [
      ['_json', 'json/_json', lines],
      ['bulk, one stream', '_bulk', await asBulk(lines, 'one', () => '{"index":{"_index":"one"}}')],
      [
        `bulk, ${STREAMS} streams in turn`,
        '_bulk',
        await asBulk(lines, 'many', (n) => `{"create":{"_index":"many${n % STREAMS}"}}`),
      ],
    ] as const;
    const times = new Map<string, number[]>(uploads.map(([name]) => [name, []]));
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [name, path, file] of uploads) {
        const time = await seconds(path, file);
        // The first is for warming up, and makes the streams.
        if (round > 0) times.get(name)?.push(time);
      }
    const floor = median(times.get('_json') ?? []);
    report('Elasticsearch bulk beside _json', [
      ['records', LINES.toLocaleString('en')],
      ['bytes, without actions', `${Math.round(statSync(lines).size / 1e6)} MB`],
      ...[...times].map(([name, all]): [string, string] => [
        `${name}, median`,
        `${median(all).toFixed(2)} s (${all.map((s) => s.toFixed(2)).join(', ')}), ${(median(all) / floor).toFixed(2)} of _json`,
      ]),
    ]);
    expect(await server.client.count('one')).toBe(LINES * (ROUNDS + 1));
  }, 600_000);
});
