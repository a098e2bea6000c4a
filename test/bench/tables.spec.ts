import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from '../server/start-server.js';
import { writeParquet } from '../server/make-parquet.js';
import { COLUMNS, selectRows } from './access-rows.js';
import { MemoryWatch } from './process-memory.js';
import { rawInsertSeconds } from './engine-alone.js';
import { report } from './report.js';
import { openEngineOfTables } from './open-engine-of-tables.js';

/** `BENCH=short` is for CI: the same, with fewer rows and rounds. */
const SHORT = process.env.BENCH === 'short';
const FILES = 4;
const ROWS_A_FILE = SHORT ? 20_000 : 500_000;
const ROWS = FILES * ROWS_A_FILE;
const ROUNDS = SHORT ? 1 : 5;
const MIB = 1024 * 1024;
const MEMORY_GROWTH_MAX = 256 * MIB;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const seconds = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} s (${values.map((s) => s.toFixed(2)).join(', ')})`;

/** A table of several files, written by the engine, with a log of one commit. */
function writeDeltaTable(folder: string): void {
  mkdirSync(join(folder, '_delta_log'), { recursive: true });
  const field = (name: string, type: string) => ({ name, type, nullable: true, metadata: {} });
  const schema = {
    type: 'struct',
    fields: [
      field('_timestamp', 'timestamp'),
      ...COLUMNS.map(({ name, delta }) => field(name, delta)),
    ],
  };
  const adds = Array.from({ length: FILES }, (_, index) => {
    const path = `part-${index}.parquet`;
    writeParquet(selectRows(index * ROWS_A_FILE, ROWS_A_FILE), join(folder, path));
    const { size } = statSync(join(folder, path));
    return { add: { path, partitionValues: {}, size, modificationTime: 0, dataChange: true } };
  });
  const metaData = {
    id: '00000000-0000-4000-8000-000000000000',
    format: { provider: 'parquet', options: {} },
    schemaString: JSON.stringify(schema),
    partitionColumns: [],
    configuration: {},
  };
  const actions = [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    { metaData },
    ...adds,
  ];
  writeFileSync(
    join(folder, '_delta_log', `${'0'.repeat(20)}.json`),
    actions.map((action) => JSON.stringify(action)).join('\n'),
  );
}

describe('tables beside the engine alone', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const parquet = join(directory, 'rows.parquet');
  const table = join(directory, 'table');
  const archive = join(directory, 'table.tar');
  let server: Server;

  beforeAll(async () => {
    writeParquet(selectRows(0, ROWS), parquet);
    writeDeltaTable(table);
    execFileSync('tar', ['-C', directory, '-cf', archive, 'table']);
    server = await startServer();
  }, 300_000);
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Seconds from the first byte sent until every row is queryable. */
  async function uploadSeconds(stream: string, format: string, file: string): Promise<number> {
    const started = performance.now();
    const answer = await server.client.call(`/api/default/${stream}/${format}?wait=true`, {
      body: createReadStream(file, { highWaterMark: MIB }),
      headers: { 'content-length': String(statSync(file).size) },
    });
    expect(answer.json()).toEqual({
      code: 200,
      status: [{ name: stream, successful: ROWS, failed: 0 }],
    });
    expect(await server.client.count(stream)).toBe(ROWS);
    return (performance.now() - started) / 1000;
  }

  it.each([
    ['Parquet', '_parquet', parquet, `file('${parquet}', Parquet)`],
    ['Delta Lake', '_delta_lake', archive, `deltaLakeLocal('${table}')`],
  ])(
    '%s: counts exactly, keeps memory bounded, and tells its time',
    async (name, format, file, source) => {
      await server.client.upload('warm', [{ a: 1 }]);
      await openEngineOfTables(server.client, 'warm');
      await server.client.count('warm');
      const memory = new MemoryWatch(server.process.pid ?? 0);
      const names = ['_timestamp', ...COLUMNS.map((column) => column.name)].join(', ');
      const [ours, raw]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        raw.push(rawInsertSeconds(directory, COLUMNS, `SELECT ${names} FROM ${source}`, ROWS));
        ours.push(await uploadSeconds(`rows${format}_${round}`, format, file));
      }
      const growth = memory.stop();
      report(
        `${name} over HTTP beside the raw INSERT … SELECT … FROM ${source.replace(/\(.*/, '(…)')}`,
        [
          ['rows', ROWS.toLocaleString('en')],
          ['bytes', `${Math.round(statSync(file).size / 1e6)} MB`],
          ['raw INSERT, median', seconds(raw)],
          ['HTTP until queryable, median', seconds(ours)],
          ['ratio of medians', (median(raw) / median(ours)).toFixed(2)],
          ['rows a second', Math.round(ROWS / median(ours)).toLocaleString('en')],
          [
            'growth of resident memory, at most',
            `${Math.round(growth / MIB)} MiB over ${Math.round(memory.before / MIB)} MiB`,
          ],
        ],
      );
      expect(growth).toBeLessThan(MEMORY_GROWTH_MAX);
    },
    600_000,
  );
});
