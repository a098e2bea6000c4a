import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessCluster } from '../server/cluster/process-cluster.js';
import { until } from '../server/until.js';
import { writeAccessLog } from '../fixtures/access-log.js';
import { residentBytes } from './process-memory.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const MINUTES = SHORT ? 0.75 : 10;
const SAMPLES = 60;
const START_MS = 240_000;
const MIB = 2 ** 20;
/** What memory may wander by once caches are warm: an insert or a merge more or less. */
const WANDER_MIB = SHORT ? 400 : 200;

/** What one kind of request does, over and over. */
interface Work {
  readonly name: string;
  readonly clients: number;
  readonly pauseMs: number;
  readonly expected: number;
  run(count: number): Promise<number>;
}

class Figures {
  readonly times = new Map<string, number[]>();
  readonly unexpected: string[] = [];
  rows = 0;

  add(name: string, ms: number): void {
    this.times.set(name, [...(this.times.get(name) ?? []), ms]);
  }

  row(name: string): readonly [string, string] {
    const times = [...(this.times.get(name) ?? [])].sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
    return [
      name,
      `${times.length} requests, median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms`,
    ];
  }
}

const LINES = 50_000;

describe(`mixed uploads and queries on the process cluster for ${MINUTES} minutes`, () => {
  let cluster: ProcessCluster;
  const figures = new Figures();
  let log: readonly string[] = [];
  const lines = (rows: number): string => log.slice(0, rows).join('\n');
  const json = { 'content-type': 'application/json' };

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-soak-'));
    const file = join(directory, 'log.ndjson');
    await writeAccessLog(file, LINES);
    log = readFileSync(file, 'utf8').split('\n');
    rmSync(directory, { recursive: true });
    cluster = await ProcessCluster.start({
      variables: { MILLRACE_ORG_QUERIES: '8', MILLRACE_ORG_QUERY_SECONDS: '100000' },
    });
    await cluster.client.upload('soak', lines(100));
    figures.rows = 100;
  }, START_MS);
  afterAll(() => (cluster as ProcessCluster | undefined)?.kill(), START_MS);

  const call = async (path: string, body?: string, headers = {}): Promise<number> => {
    const more = body === undefined ? {} : { body };
    return (await cluster.client.call(path, { headers, ...more })).status;
  };
  const upload = (rows: number) => {
    const body = lines(rows);
    return async (): Promise<number> => {
      const status = await call('/api/default/soak/_json', body);
      if (status === 200) figures.rows += rows;
      return status;
    };
  };
  const ask = (statement: string) => () => call('/api/default/sql', statement);
  const search = {
    query: { sql: 'SELECT * FROM soak', size: 20 },
    aggs: { a: 'SELECT histogram(_timestamp) AS t, count() AS n FROM query GROUP BY t' },
  };
  const works = (): Work[] => [
    { name: 'upload, 5 records', clients: 4, pauseMs: 20, expected: 200, run: upload(5) },
    { name: 'upload, 1,000 records', clients: 2, pauseMs: 100, expected: 200, run: upload(1000) },
    {
      name: 'upload, 50,000 records',
      clients: 1,
      pauseMs: 2000,
      expected: 200,
      run: upload(LINES),
    },
    {
      name: 'sql, count',
      clients: 1,
      pauseMs: 100,
      expected: 200,
      run: ask('SELECT count() FROM soak'),
    },
    {
      name: 'sql, group',
      clients: 1,
      pauseMs: 500,
      expected: 200,
      run: ask('SELECT status, count() AS n FROM soak GROUP BY status ORDER BY n DESC'),
    },
    {
      name: 'tables',
      clients: 1,
      pauseMs: 200,
      expected: 200,
      run: () => call('/api/default/tables/soak?limit=100'),
    },
    {
      name: 'search',
      clients: 1,
      pauseMs: 1000,
      expected: 200,
      run: () => call('/api/default/_search', JSON.stringify(search), json),
    },
    {
      name: 'refused by the guard',
      clients: 1,
      pauseMs: 1000,
      expected: 403,
      run: ask("SELECT * FROM url('http://127.0.0.1/')"),
    },
    {
      name: 'no JSON',
      clients: 1,
      pauseMs: 1000,
      expected: 400,
      run: () => call('/api/default/soak/_json', '{"a":'),
    },
  ];

  async function keepDoing(work: Work, end: number): Promise<void> {
    for (let count = 0; performance.now() < end; count += 1) {
      const startedAt = performance.now();
      const status = await work.run(count).catch((error: unknown) => String(error));
      figures.add(work.name, performance.now() - startedAt);
      if (status !== work.expected) figures.unexpected.push(`${work.name}: ${status}`);
      await sleep(work.pauseMs);
    }
  }

  const memory = (): number[] =>
    cluster.programs.map(({ process: { pid = 0 } }) => residentBytes(pid) / MIB);

  it(
    'answers everything, stores each record once, and needs no more memory at the end',
    async () => {
      const startedAt = performance.now();
      const end = startedAt + MINUTES * 60_000;
      const samples: number[][] = [];
      const watch = async (): Promise<void> => {
        while (performance.now() < end) {
          samples.push(memory());
          await sleep((MINUTES * 60_000) / SAMPLES);
        }
      };
      const all = works();
      await Promise.all([
        watch(),
        ...all.flatMap((work) => Array.from({ length: work.clients }, () => keepDoing(work, end))),
      ]);
      const seconds = (performance.now() - startedAt) / 1000;
      await until(async () => (await cluster.client.count('soak')) >= figures.rows);
      const third = Math.floor(samples.length / 3);
      const names = ['API 1', 'API 2', 'writer 1', 'writer 2', 'projector'];
      const medians = names.map((name, index) => {
        const of = (from: number): number =>
          median(samples.slice(from, from + third).map((each) => each[index] ?? 0));
        return { name, middle: of(third), last: of(samples.length - third) };
      });
      report(`Soak: mixed uploads and queries on the process cluster, ${MINUTES} minutes`, [
        ['records stored', `${figures.rows}, ${Math.round(figures.rows / seconds)} a second`],
        ['unexpected answers', String(figures.unexpected.length)],
        ...all.map(({ name }) => figures.row(name)),
        ...medians.map(({ name, middle, last }): readonly [string, string] => [
          `memory of ${name}`,
          `${middle.toFixed(0)} MiB in the middle third, ${last.toFixed(0)} MiB in the last`,
        ]),
      ]);
      expect(figures.unexpected).toEqual([]);
      expect(await cluster.client.count('soak')).toBe(figures.rows);
      const grown = medians.filter(({ middle, last }) => last - middle > WANDER_MIB);
      expect(grown).toEqual([]);
      for (const { status } of cluster.programs) {
        const text = await (await fetch(`${status}/metrics`)).text();
        expect(text).not.toMatch(/^millrace_dead_letters_total [1-9]/m);
        expect(text).not.toMatch(/kind="INTERNAL"/);
      }
    },
    (MINUTES + 4) * 60_000,
  );
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
