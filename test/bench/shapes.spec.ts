import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from '../server/start-server.js';
import { GENERATED_SHAPES } from './generated-shapes.js';
import { PACKAGE_SHAPES } from './package-shapes.js';
import { reportRows } from './report.js';
import { runShape, type Run } from './shape-beside-engine.js';
import { writeShape } from './shape-files.js';

/** `BENCH=short` is for a quick look: the same, with fewer bytes and runs. */
const SHORT = process.env.BENCH === 'short';
const BYTES = SHORT ? 500_000 : 80_000_000;
const RUNS = SHORT ? 1 : 5;
/** A shape that has taken so long is not run again, so that all are done within half an hour. */
const ENOUGH_MS = 50_000;

const HEAD = [
  ...['shape', 'records', 'rejected', 'runs', 'ours, s', 'engine, s', 'ratio'],
  ...['processor, ours, s', 'processor, engine, s', 'ratio of processor'],
];

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** One shape's line of the report. */
interface Line {
  readonly name: string;
  readonly records: number;
  readonly rejected: number;
  readonly runs: readonly Run[];
}

describe('ingest of many shapes beside the engine alone', () => {
  const measured: Line[] = [];
  const leftOut: string[] = [];
  let streams = 0;
  let shared: Server | undefined;

  /**
   * Each shape has a server of its own, so that alone it costs what it costs among the others. A
   * quick look uses one server for all.
   */
  const serverOfShape = async (): Promise<Server> =>
    SHORT ? (shared ??= await startServer()) : startServer();

  afterAll(async () => {
    await shared?.stop();
    if (measured.length === 0) return;
    const title = `Shapes: ${BYTES / 1e6} MB of NDJSON over HTTP until queryable beside the engine's INSERT … SELECT … FROM file(…)`;
    reportRows(title, [HEAD, ...tableOf(measured)]);
    if (leftOut.length > 0) process.stdout.write(`Not to be had: ${leftOut.join('; ')}\n\n`);
  });

  it.each([...GENERATED_SHAPES, ...PACKAGE_SHAPES])(
    '$name: counts exactly, changes nothing, and tells its time',
    async ({ name, open }) => {
      const shape = await open();
      if (!shape) {
        leftOut.push(name);
        return;
      }
      const folder = mkdtempSync(join(tmpdir(), 'millrace-shape-'));
      const server = await serverOfShape();
      try {
        const files = await writeShape(shape, folder, BYTES);
        const runs: Run[] = [];
        const began = performance.now();
        while (runs.length < RUNS && (runs.length === 0 || performance.now() - began < ENOUGH_MS)) {
          const stream = `shape_${(streams += 1)}`;
          const isChecked = runs.length === 0;
          runs.push(await runShape(server, shape, files, { folder, stream, isChecked }));
        }
        measured.push({ name, records: files.records, rejected: files.rejected, runs });
      } finally {
        if (server !== shared) await server.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    600_000,
  );
});

function tableOf(lines: readonly Line[]): readonly (readonly string[])[] {
  const shapes = lines.map(({ name, records, rejected, runs }) => {
    const ours = median(runs.map((run) => run.ours.seconds));
    const engine = median(runs.map((run) => run.engine.seconds));
    const processor = median(runs.map((run) => run.ours.processor));
    const ofEngine = median(runs.map((run) => run.engine.processor));
    const counts = [records, rejected, runs.length].map((count) => count.toLocaleString('en'));
    return {
      cells: [name, ...counts],
      figures: [ours, engine, engine / ours, processor, ofEngine, ofEngine / processor],
    };
  });
  const over = (of: (values: readonly number[]) => number): number[] =>
    HEAD.slice(4).map((_, place) => of(shapes.map(({ figures }) => figures[place] ?? 0)));
  return [
    ...shapes,
    { cells: ['mean', '', '', ''], figures: over(mean) },
    { cells: ['least', '', '', ''], figures: over((values) => Math.min(...values)) },
  ].map(({ cells, figures }) => [...cells, ...figures.map((figure) => figure.toFixed(2))]);
}
