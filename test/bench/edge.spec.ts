import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environment } from '../../bin/prepare.mjs';
import { writeParquet } from '../server/make-parquet.js';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../server/start-edge.js';
import { mostMemory } from './process-memory.js';
import { report } from './report.js';

/** `BENCH=short` is for CI: the same, with fewer rows and rounds. */
const SHORT = process.env.BENCH === 'short';
const ROWS = SHORT ? 50_000 : 5_000_000;
const ROUNDS = SHORT ? 1 : 5;
const STARTS = SHORT ? 1 : 7;
const MIB = 1024 * 1024;

/** Like an access log's. */
const MADE = [
  "fromUnixTimestamp64Milli(toInt64(1700000000000 + n * 37), 'UTC') AS time",
  "concat('web-', toString(n % 40)) AS host",
  "['GET','POST','PUT','DELETE'][n % 4 + 1] AS method",
  "concat('/api/items/', toString(cityHash64(n) % 100000)) AS path",
  'toInt32(200 + n % 5 * 100) AS status',
  'toInt64(cityHash64(n, 1) % 100000) AS bytes',
  'cityHash64(n, 2) % 1000000 / 1e6 AS duration',
  'toString(cityHash64(n, 3)) AS session',
  'n % 7 = 0 AS cached',
].join(', ');

const QUERIES: readonly (readonly [string, string])[] = [
  ['count', 'SELECT count() FROM t'],
  ['sum of a column', 'SELECT sum(bytes) FROM t'],
  ['minimum and maximum', 'SELECT min(time), max(time) FROM t'],
  ['count of a filter', 'SELECT count() FROM t WHERE status = 500'],
  ['filter on text', "SELECT count() FROM t WHERE host = 'web-7'"],
  ['LIKE', "SELECT count() FROM t WHERE path LIKE '%/items/42%'"],
  ['range of time', "SELECT count() FROM t WHERE time < '2023-11-15 00:00:00'"],
  ['group by few', 'SELECT status, count() FROM t GROUP BY status ORDER BY status'],
  ['group by two', 'SELECT host, method, avg(duration) FROM t GROUP BY host, method ORDER BY 1, 2'],
  [
    'group by many',
    'SELECT path, count() AS n FROM t GROUP BY path ORDER BY n DESC, path LIMIT 10',
  ],
  ['distinct, exact', 'SELECT uniqExact(session) FROM t'],
  ['distinct, about', 'SELECT uniq(session) FROM t'],
  ['quantiles', 'SELECT quantiles(0.5, 0.9, 0.99)(duration) FROM t'],
  ['top rows', 'SELECT * FROM t ORDER BY bytes DESC, session LIMIT 10'],
  ['first rows', 'SELECT * FROM t LIMIT 100'],
  ['one row', "SELECT * FROM t WHERE session = '10577349846663553072'"],
  ['by the hour', 'SELECT toStartOfHour(time) AS hour, count() FROM t GROUP BY hour ORDER BY hour'],
  ['conditional sums', 'SELECT countIf(cached), sumIf(bytes, status >= 400) FROM t'],
  [
    'window',
    'SELECT host, n, rank() OVER (ORDER BY n DESC) FROM (SELECT host, count() AS n FROM t GROUP BY host) ORDER BY host',
  ],
  ['100,000 rows out', 'SELECT time, path, bytes FROM t LIMIT 100000'],
];

const ms = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'edge-bench-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function answer(edge: Edge, sql: string): Promise<number> {
  const started = performance.now();
  const { status } = await edge.sql(sql);
  expect(status).toBe(200);
  return (performance.now() - started) / 1000;
}

describe('the edge program', () => {
  it('answers 20 queries over a Parquet file beside the engine alone', async () => {
    const file = join(folder, 't.parquet');
    writeParquet(`SELECT ${MADE} FROM (SELECT number AS n FROM numbers(${ROWS}))`, file);
    const statements = QUERIES.map(([, sql]) =>
      sql.replaceAll(' FROM t', ` FROM file('${file}', Parquet) AS t`),
    );
    const script = join(import.meta.dirname, 'queries-alone.mjs');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script, join(folder, 'engine'), JSON.stringify(statements), String(ROUNDS)],
      { env: environment() },
    );
    const alone = JSON.parse(stdout) as { seconds: number[]; memoryBytes: number };
    const edge = await startEdge(['-t', `t=${file}`], { directory: folder });
    const figures: [string, string][] = [];
    let all = 0;
    try {
      for (const [index, [name, sql]] of QUERIES.entries()) {
        let best = Infinity;
        for (let round = 0; round < ROUNDS; round += 1)
          best = Math.min(best, await answer(edge, sql));
        all += best;
        figures.push([name, `${ms(best)}, the engine alone ${ms(alone.seconds[index] ?? 0)}`]);
      }
      const aloneAll = alone.seconds.reduce((sum, each) => sum + each, 0);
      const memory = mostMemory(edge.pid);
      figures.push(
        ['all of them', `${ms(all)}, the engine alone ${ms(aloneAll)}`],
        [
          'most resident memory',
          `${Math.round(memory / MIB)} MiB, the engine alone ${Math.round(alone.memoryBytes / MIB)} MiB`,
        ],
      );
    } finally {
      await edge.stop();
    }
    const size = Math.round(statSync(file).size / MIB);
    report(
      `Edge: 20 queries over ${ROWS} rows of Parquet, ${size} MiB, the best of ${ROUNDS}`,
      figures,
    );
  }, 900_000);

  it('starts and answers', async () => {
    const starts: number[] = [];
    const tables = ['uk_cities_with_headers.csv', 'blogs.parquet', 'spacex_launches.json'];
    for (let round = 0; round < STARTS; round += 1) {
      const started = performance.now();
      const edge = await startEdge(
        tables.flatMap((name, index) => ['-t', `t${index}=${join(ROAPI_FIXTURES, name)}`]),
      );
      await answer(edge, 'SELECT count() FROM t0');
      starts.push(performance.now() - started);
      await edge.stop();
    }
    report('Edge: from the command to the first answer, three fixture files', [
      ['median', `${Math.round(median(starts))} ms`],
      ['all', starts.map((each) => `${Math.round(each)} ms`).join(', ')],
    ]);
  }, 300_000);
});
