import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { startEdge, type Edge } from '../server/start-edge.js';

const FOLDER = join(import.meta.dirname, '../fixtures/sql-shapes');
const TABLES = ['cust', 'orders', 'emp'];

interface Answered {
  readonly sql: string;
  readonly rows: readonly (readonly unknown[])[];
}

const ANSWERS = JSON.parse(readFileSync(join(FOLDER, 'answers.json'), 'utf8')) as Answered[];

/** Numbers to eight digits: averages are added up in another order. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(8));
  return Array.isArray(value) ? value.map(rounded) : value;
}

/** Statements of analysts, with DuckDB's answers over the same rows; see the fixture's README. */
describe('SQL by its shapes', () => {
  let server: BorrowedServer;
  let edge: Edge;

  beforeAll(async () => {
    const file = (table: string): string => join(FOLDER, `${table}.parquet`);
    const tables = TABLES.flatMap((table) => ['--table', `${table}=${file(table)}`]);
    [server, edge] = await Promise.all([borrowServer(), startEdge(tables)]);
    for (const table of TABLES)
      await server.client.uploadTo(`${table}/_parquet`, readFileSync(file(table)));
  });
  afterAll(() => Promise.all([server.giveBack(), edge.stop()]));

  it.each(ANSWERS.map(({ sql, rows }) => [sql, rows] as const))('%s', async (sql, rows) => {
    const hosted = await server.client.call('sql', { body: sql });
    const own = await edge.sql(sql);
    for (const [status, text] of [
      [hosted.status, hosted.bytes.toString()],
      [own.status, own.text],
    ] as const) {
      expect([status, text]).toEqual([200, expect.any(String)]);
      const answered = JSON.parse(text) as Readonly<Record<string, unknown>>[];
      expect(answered.map((row) => Object.values(row).map(rounded))).toEqual(
        rows.map((row) => row.map(rounded)),
      );
    }
  });
});
