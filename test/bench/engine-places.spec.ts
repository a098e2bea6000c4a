import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openSourceEngine, type WarehouseReader } from '@app/warehouse';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import { endless } from '../contract/limits.js';
import { residentBytes } from './process-memory.js';
import { familyProcessorSeconds } from './processor-time.js';
import { reportRows } from './report.js';

/** `BENCH=short` is for CI: it shows that both are asked. */
const SHORT = process.env.BENCH === 'short';
const SECONDS = SHORT ? 0.3 : 4;
const ROUNDS = SHORT ? 1 : 3;
const CLIENTS = 32;
const READERS = 4;
const MIB = 1024 * 1024;

const STATEMENTS: readonly (readonly [string, string, number])[] = [
  ['a constant, one client', 'SELECT 1', 1],
  [`a constant, ${CLIENTS} clients`, 'SELECT 1', CLIENTS],
  [
    `ten rows, ${CLIENTS} clients`,
    'SELECT number, toString(number) AS name FROM numbers(10)',
    CLIENTS,
  ],
  ['sum of 5,000,000 rows', 'SELECT sum(cityHash64(number) % 7) AS s FROM numbers(5000000)', 1],
  ['200,000 rows out', 'SELECT number, hex(number) AS name FROM numbers(200000)', 1],
];

/** One of the two places that the edge program's engine may be in. */
interface Place {
  readonly reader: WarehouseReader;
  readonly startMs: number;
  /** Resident memory that came with the engine, in bytes. */
  readonly bytes: number;
  close(): Promise<void>;
}

const children = (): number[] =>
  readdirSync(`/proc/${process.pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
const memory = (): number =>
  [process.pid, ...children()].reduce((sum, pid) => sum + residentBytes(pid), 0);

async function read(reader: WarehouseReader, sql: string): Promise<number> {
  const answer: Readable = await reader.stream({ sql, format: 'json' });
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return bytes;
}

async function opened(open: () => Promise<Omit<Place, 'startMs' | 'bytes'>>): Promise<Place> {
  const [before, begun] = [memory(), performance.now()];
  const { reader, close } = await open();
  await read(reader, 'SELECT 1');
  return { reader, close, startMs: performance.now() - begun, bytes: memory() - before };
}

/** Answers a second, and processor time of one in microseconds, of the best round. */
async function asked(reader: WarehouseReader, sql: string, clients: number) {
  let best = { perSecond: 0, processorUs: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const [begun, used] = [performance.now(), familyProcessorSeconds(process.pid)];
    let count = 0;
    const client = async (): Promise<void> => {
      while (performance.now() - begun < SECONDS * 1000) {
        expect(await read(reader, sql)).toBeGreaterThan(0);
        count += 1;
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    const perSecond = count / ((performance.now() - begun) / 1000);
    const processorUs = ((familyProcessorSeconds(process.pid) - used) / count) * 1e6;
    if (perSecond > best.perSecond) best = { perSecond, processorUs };
  }
  return best;
}

const shown = ({ perSecond, processorUs }: Awaited<ReturnType<typeof asked>>): string =>
  `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s, ${Math.round(processorUs)} µs`;

describe('the edge program’s engine', () => {
  it('in its process, beside one in a process of its own', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-places-'));
    const limits = endless(60);
    const own = await opened(async () => {
      const { warehouse } = await openEngine({
        directory: join(directory, 'own'),
        limits,
        memoryBytes: 2 ** 31,
        readers: READERS,
        closeEngine: () => Promise.resolve(),
        tell: () => undefined,
      });
      return { reader: warehouse, close: () => warehouse.close() };
    });
    const within = await opened(() =>
      openSourceEngine({
        directory: join(directory, 'within'),
        limits,
        readers: READERS,
        definers: 1,
      }),
    );
    try {
      const rows: string[][] = [];
      for (const [name, sql, clients] of STATEMENTS) {
        const [inProcess, inOwn] = [
          await asked(within.reader, sql, clients),
          await asked(own.reader, sql, clients),
        ];
        rows.push([name, shown(inProcess), shown(inOwn)]);
      }
      reportRows('The edge program’s engine: answers a second, and processor time of one', [
        ['', 'in its process', 'in a process of its own'],
        ...rows,
        ['ready after', ...[within, own].map(({ startMs }) => `${Math.round(startMs)} ms`)],
        ['memory', ...[within, own].map(({ bytes }) => `${Math.round(bytes / MIB)} MiB`)],
      ]);
    } finally {
      await within.close();
      await own.close();
      rmSync(directory, { recursive: true, force: true });
    }
  }, 300_000);
});
