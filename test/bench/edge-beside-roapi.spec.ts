import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../server/start-edge.js';
import { until } from '../server/until.js';
import { startBare } from './bare-process.js';
import { hammered as hammer, type Hammered, type SmallRequest } from './hammered.js';
import { mostMemory, residentBytes } from './process-memory.js';
import { reportRows } from './report.js';
import { fetchPrograms, type Programs } from './roapi/fetch.js';
import { OVER_CSV, OVER_LINEITEM, SMALL, type Question } from './roapi/questions.js';
import { differences } from './roapi/same-answers.js';
import { startRoapi, type RunningProgram } from './roapi/start-roapi.js';
import { writeConfig, writeSmall, writeVisits } from './roapi/write-tables.js';

/** `BENCH=short` is for CI: it shows that both programs answer alike, and its figures say little. */
const SHORT = process.env.BENCH === 'short';
const SCALE = SHORT ? '0.01' : '1';
const CSV_ROWS = SHORT ? 20_000 : 1_000_000;
const ROUNDS = SHORT ? 1 : 3;
const STARTS = SHORT ? 1 : 3;
const CONNECTIONS = 32;
const SECONDS = SHORT ? 0.3 : 3;
const MIB = 1024 * 1024;

type Both<T> = readonly [roapi: T, edge: T];

const run = promisify(execFile);
const ms = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`;
const times = ([roapi, edge]: Both<number>): string => `${(edge / roapi).toFixed(2)} ×`;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const programs = await fetchPrograms();
if (typeof programs === 'string')
  it('does not compare with ROAPI: it cannot be had here', () => {
    process.stdout.write(`\nNo comparison with ROAPI, which cannot be had here: ${programs}\n\n`);
    expect(programs).not.toBe('');
  });
else compareWith(programs);

function compareWith({ roapi, tpchgen }: Programs): void {
  describe('the edge program beside ROAPI', () => {
    let folder: string;
    beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'edge-beside-roapi-'))));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const both = async <T>(
      config: string,
      use: (both: Both<RunningProgram>) => Promise<T>,
      prepare: (edge: Edge) => Promise<void> = () => Promise.resolve(),
    ): Promise<T> => {
      const started: RunningProgram[] = [];
      try {
        const theirs = await startRoapi(roapi, config);
        started.push(theirs);
        const ours = await startEdge(['-c', config], { directory: folder });
        started.push(ours);
        await prepare(ours);
        return await use([theirs, ours]);
      } finally {
        for (const program of started) await program.stop();
      }
    };

    it('answers small requests', async () => {
      const config = writeSmall(folder);
      const rows = await both(config, async (pair) => {
        const bare = await startBare('bare-route.mjs');
        try {
          const lines: string[][] = [];
          for (const small of SMALL) lines.push(await compareSmall(pair, bare, small));
          return lines;
        } finally {
          await bare.stop();
        }
      });
      const of = (name: string): string[] => [`${name}: requests/s`, 'processor time of one'];
      reportRows(`Edge beside ROAPI: small requests, ${CONNECTIONS} clients`, [
        ['', ...of('ROAPI'), ...of('edge'), 'edge to ROAPI', 'edge to a bare route'],
        ...rows,
      ]);
    }, 600_000);

    it('answers over CSV', async () => {
      const file = join(folder, 'visits.csv');
      writeVisits(file, CSV_ROWS);
      const config = join(folder, 'csv.yaml');
      writeConfig(config, { visits: file });
      const rows = await both(config, (pair) => answered(pair, OVER_CSV));
      reportRows(
        `Edge beside ROAPI: CSV of ${CSV_ROWS.toLocaleString('en')} rows, the best of ${ROUNDS}`,
        rows,
      );
    }, 600_000);

    it('answers analytical queries over Parquet', async () => {
      const made = ['parquet', '-s', SCALE, '--tables', 'lineitem', '-o', folder, '-q'];
      await run(tpchgen, made);
      const config = join(folder, 'parquet.yaml');
      writeConfig(config, { lineitem: join(folder, 'lineitem.parquet') });
      const compared = async (pair: Both<RunningProgram>): Promise<string[][]> => {
        const lines = await answered(pair, OVER_LINEITEM);
        const memory = pair.map(({ pid }) => `${Math.round(mostMemory(pid) / MIB)} MiB`);
        return [...lines, ['most resident memory', ...memory, '', '']];
      };
      const rows = await both(config, compared, async (edge) => {
        // A table of this size gets a copy in memory when it is asked for the second time. ROAPI
        // has all rows in memory before it listens.
        if (SHORT) return;
        let asks = 0;
        await until(async () => {
          const sql = `SELECT sum(l_tax) + ${(asks += 1)} AS s FROM lineitem`;
          expect((await edge.sql(sql)).status).toBe(200);
          return edge.output().includes('lineitem: held in memory now, ');
        });
      });
      reportRows(
        `Edge beside ROAPI: lineitem of TPC-H at scale ${SCALE}, each by its default, the best of ${ROUNDS}`,
        rows,
      );
    }, 900_000);

    it('starts', async () => {
      const config = join(folder, 'start.yaml');
      writeConfig(config, { cities: join(ROAPI_FIXTURES, 'uk_cities_with_headers.csv') });
      const start: Both<() => Promise<RunningProgram>> = [
        () => startRoapi(roapi, config),
        () => startEdge(['-c', config], { directory: folder }),
      ];
      const first: Both<number[]> = [[], []];
      const resident: Both<number[]> = [[], []];
      for (let round = 0; round < STARTS; round += 1)
        for (const which of [0, 1] as const) {
          const started = performance.now();
          const program = await start[which]();
          resident[which].push(residentBytes(program.pid) / MIB);
          await ask(program, { name: '', method: 'GET', path: '/api/tables/cities?limit=1' });
          first[which].push(performance.now() - started);
          await program.stop();
        }
      reportRows(`Edge beside ROAPI: a start with a CSV of 37 rows, the median of ${STARTS}`, [
        ['', 'ROAPI', 'edge'],
        ['from the command to the first answer', ...first.map((all) => ms(median(all)))],
        [
          'resident before the first query',
          ...resident.map((all) => `${Math.round(median(all))} MiB`),
        ],
      ]);
    }, 300_000);
  });
}

interface Answer {
  readonly ms: number;
  readonly status: number | undefined;
  readonly body: string;
}

/** Sends a request and resolves when the last byte of the answer is here. */
function ask({ url }: Pick<RunningProgram, 'url'>, small: SmallRequest): Promise<Answer> {
  const { method } = small;
  const [path = '', body] = [small.path, small.body].map((each) => each?.replace('{n}', '1'));
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method }, (response) => {
      text(response).then(
        (all) =>
          resolve({ ms: performance.now() - started, status: response.statusCode, body: all }),
        reject,
      );
    });
    sent.on('error', reject).end(body);
  });
}

async function expectAlike(pair: Both<RunningProgram>, small: SmallRequest): Promise<Both<number>> {
  const [theirs, ours] = [await ask(pair[0], small), await ask(pair[1], small)];
  expect([small.name, theirs.status, theirs.status === 200 ? '' : theirs.body]).toEqual([
    small.name,
    200,
    '',
  ]);
  expect([small.name, ours.status, ours.status === 200 ? '' : ours.body]).toEqual([
    small.name,
    200,
    '',
  ]);
  if (small.name === 'key-value') expect(ours.body).toBe(theirs.body);
  else if (small.name === 'schema') expect(fieldNames(ours.body)).toEqual(fieldNames(theirs.body));
  else {
    const wanted = rowsOf(theirs.body);
    expect({ name: small.name, differences: differences(wanted, rowsOf(ours.body)) }).toEqual({
      name: small.name,
      differences: [],
    });
    expect(wanted).not.toBe('[]');
  }
  return [theirs.ms, ours.ms];
}

/** The query itself goes about a table: `{data: {cities: […]}}` of GraphQL is its rows here. */
function rowsOf(body: string): string {
  const answer = JSON.parse(body) as { readonly data?: Readonly<Record<string, unknown>> };
  return answer.data ? JSON.stringify(Object.values(answer.data)[0]) : body;
}

const fieldNames = (body: string): readonly string[] =>
  (JSON.parse(body) as { fields: readonly { name: string }[] }).fields.map(({ name }) => name);

/**
 * Asks both in turns, and compares what they answer each time. Each round asks a statement that
 * nobody has asked before, and then the same once more, which the edge program may have kept.
 * @returns lines of a table
 */
async function answered(
  pair: Both<RunningProgram>,
  questions: readonly Question[],
): Promise<string[][]> {
  const lines: string[][] = [['', 'ROAPI', 'edge', 'edge to ROAPI', 'edge, the same again']];
  const best = questions.map((): [number, number, number] => [Infinity, Infinity, Infinity]);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [at, { name, sql }] of questions.entries()) {
      const asked = {
        name,
        method: 'POST',
        path: '/api/sql',
        body: `WITH round_${round} AS (SELECT ${round} AS n) ${sql}`,
      } as const;
      const [theirs, ours] = await expectAlike(pair, asked);
      const again = await ask(pair[1], asked);
      const [roapi, edge, kept] = best[at] ?? [Infinity, Infinity, Infinity];
      best[at] = [Math.min(roapi, theirs), Math.min(edge, ours), Math.min(kept, again.ms)];
    }
  for (const [at, { name }] of questions.entries()) {
    const [roapi, edge, kept] = best[at] ?? [0, 0, 0];
    lines.push([name, ms(roapi), ms(edge), times([roapi, edge]), ms(kept)]);
  }
  return lines;
}

const BARE: SmallRequest = { name: 'a bare route', method: 'GET', path: '/give' };

/** A line of the table: the same small request to both, and to a route that does nothing. */
async function compareSmall(
  pair: Both<RunningProgram>,
  bare: RunningProgram,
  small: SmallRequest,
): Promise<string[]> {
  await expectAlike(pair, small);
  const floor = small.method === 'GET' && (await hammered(bare, BARE));
  const [theirs, ours] = await inTurns(pair, small);
  return [
    small.name,
    ...[theirs, ours].flatMap(({ perSecond, microseconds }) => [
      Math.round(perSecond).toLocaleString('en'),
      `${Math.round(microseconds)} µs`,
    ]),
    (ours.perSecond / theirs.perSecond).toFixed(2),
    floor
      ? `${(ours.perSecond / floor.perSecond).toFixed(2)} (${Math.round(floor.microseconds)} µs)`
      : '',
  ];
}

/** The second of two runs, so that nobody is asked cold. */
async function inTurns(pair: Both<RunningProgram>, small: SmallRequest): Promise<Both<Hammered>> {
  for (const program of pair) await hammered(program, small);
  return [await hammered(pair[0], small), await hammered(pair[1], small)];
}

const hammered = (program: RunningProgram, small: SmallRequest): Promise<Hammered> =>
  hammer(program, small, { connections: CONNECTIONS, seconds: SECONDS });
