import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessCluster } from '../server/cluster/process-cluster.js';
import { rounds } from '../rounds.js';
import { until } from '../server/until.js';
import { writeAccessLog } from '../fixtures/access-log.js';
import { residentBytes } from './process-memory.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const MINUTES = SHORT ? 0.1 : rounds(10, 60);
const SAMPLES = 60;
const START_MS = 240_000;
const MIB = 2 ** 20;
/**
 * The bound on the growth of the least memory of a process from one third of the time to the next.
 * It is the least memory because an insert or a merge is no leak; caches are warm after the first
 * third.
 */
const RISE_MAX_MIB = SHORT ? 200 : 80;

/** The soak sends one kind of request like this, over and over. */
interface Work {
  readonly name: string;
  readonly clients: number;
  readonly pauseMs: number;
  readonly expected: number;
  run(): Promise<number>;
}

class Figures {
  readonly times = new Map<string, number[]>();
  readonly unexpected: string[] = [];
  /** Counts acknowledged uploads by how many lines they had. */
  readonly acknowledged = new Map<number, number>();

  get rows(): number {
    return [...this.acknowledged].reduce((sum, [rows, times]) => sum + rows * times, 0);
  }

  took(rows: number): void {
    this.acknowledged.set(rows, (this.acknowledged.get(rows) ?? 0) + 1);
  }

  /** Tells how often each line must be there: an upload has the first lines of the log. */
  timesOfLines(lines: number): readonly { times: number; lines: number }[] {
    const found = new Map<number, number>();
    for (let line = 0; line < lines; line += 1) {
      let times = 0;
      for (const [rows, uploads] of this.acknowledged) if (line < rows) times += uploads;
      found.set(times, (found.get(times) ?? 0) + 1);
    }
    return [...found]
      .map(([times, count]) => ({ times, lines: count }))
      .sort((a, b) => a.times - b.times);
  }

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
    log = readFileSync(file, 'utf8').trimEnd().split('\n');
    rmSync(directory, { recursive: true });
    cluster = await ProcessCluster.start({
      variables: { MILLRACE_ORG_QUERIES: '8', MILLRACE_ORG_QUERY_SECONDS: '100000' },
    });
    await cluster.client.upload('soak', lines(100));
    figures.took(100);
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
      if (status === 200) figures.took(rows);
      return status;
    };
  };
  const ask = (statement: string) => () => call('/api/default/sql', statement);
  /** Rows never go, and none is there that nobody sent. */
  let counted = 0;
  const count = async (): Promise<number> => {
    const answer = await cluster.client.call('/api/default/sql', {
      body: 'SELECT count() AS n FROM soak',
    });
    if (answer.status !== 200) return answer.status;
    const [{ n = 0 } = {}] = answer.json<{ n?: number }[]>();
    if (n < counted) figures.unexpected.push(`${n} rows after ${counted}`);
    counted = n;
    return answer.status;
  };
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
      run: count,
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
    while (performance.now() < end) {
      const startedAt = performance.now();
      const status = await work.run().catch((error: unknown) => String(error));
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
      const needs = names.map((name, index) => {
        const of = (from: number) =>
          spread(samples.slice(from, from + third).map((each) => each[index] ?? 0));
        return { name, middle: of(third), last: of(samples.length - third) };
      });
      report(`Soak: mixed uploads and queries on the process cluster, ${MINUTES} minutes`, [
        ['records stored', `${figures.rows}, ${Math.round(figures.rows / seconds)} a second`],
        ['unexpected answers', String(figures.unexpected.length)],
        ...all.map(({ name }) => figures.row(name)),
        ...needs.map(({ name, middle, last }): readonly [string, string] => [
          `memory of ${name}`,
          `${middle.least} to ${middle.most} MiB in the middle third, ${last.least} to ${last.most} MiB in the last`,
        ]),
      ]);
      expect(figures.unexpected).toEqual([]);
      expect(await cluster.client.count('soak')).toBe(figures.rows);
      const lines = await cluster.client.sql(
        `SELECT times, count() AS lines FROM (
           SELECT count() AS times FROM soak GROUP BY _timestamp, host, path, bytes, client_ip
         ) GROUP BY times ORDER BY times`,
      );
      expect(lines).toEqual(figures.timesOfLines(LINES));
      const grown = needs.filter(({ middle, last }) => last.least - middle.least > RISE_MAX_MIB);
      expect(grown).toEqual([]);
      for (const { status } of cluster.programs) {
        const text = await (await fetch(`${status}/metrics`)).text();
        expect(text).not.toMatch(/^millrace_dead_letters_total [1-9]/m);
        expect(text).not.toMatch(/kind="INTERNAL".*\} [1-9]/);
        expect(text).not.toMatch(/^millrace_projection_failing 1/m);
      }
      const complaints = cluster.programs.flatMap((program) =>
        program
          .output()
          .split('\n')
          .filter((line) => /"level":[56]0/.test(line)),
      );
      expect(complaints).toEqual([]);
    },
    (MINUTES + 4) * 60_000,
  );
});

function spread(values: readonly number[]): { least: number; most: number } {
  return { least: Math.round(Math.min(...values)), most: Math.round(Math.max(...values)) };
}
