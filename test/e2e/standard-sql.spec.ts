import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  STANDARD_MISTAKES,
  STANDARD_STATEMENTS,
  STANDARD_TABLES,
} from '../fixtures/standard-statements.js';
import { startEdge, type Edge } from '../server/start-edge.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const add = (a: bigint, b: bigint): bigint => a + b;
const subtract = (a: bigint, b: bigint): bigint => a - b;
const multiply = (a: bigint, b: bigint): bigint => a * b;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One statement means one thing, in the hosted service and in the edge program. */
describe('standard SQL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-standard-'));
  let server: BorrowedServer;
  let edge: Edge;

  beforeAll(async () => {
    const tables = Object.entries(STANDARD_TABLES).map(([name, lines]) => {
      writeFileSync(join(directory, `${name}.ndjson`), `${lines.join('\n')}\n`);
      return ['--table', `${name}=${join(directory, `${name}.ndjson`)}`];
    });
    [server, edge] = await Promise.all([borrowServer(), startEdge(tables.flat())]);
    for (const [name, lines] of Object.entries(STANDARD_TABLES))
      await server.client.upload(
        name,
        lines.map((line) => JSON.parse(line) as object),
      );
  });
  afterAll(async () => {
    await Promise.all([server.giveBack(), edge.stop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  const hosted = async (sql: string): Promise<Answer> => {
    const { status, bytes } = await server.client.call('sql', { body: sql });
    return { status, text: bytes.toString() };
  };

  it.each(STANDARD_STATEMENTS)('answers %s', async (sql, rows) => {
    for (const answer of [await hosted(sql), await edge.sql(sql)]) {
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      const received = JSON.parse(answer.text) as object[];
      // Names of columns count, and so does their order.
      expect(JSON.stringify(received)).toBe(JSON.stringify(rows));
    }
  });

  it.each(STANDARD_MISTAKES)('refuses %s', async (sql, message) => {
    for (const { status, text } of [await hosted(sql), await edge.sql(sql)]) {
      expect(status === 404 ? 400 : status).toBe(400);
      expect(text).toMatch(message);
    }
  });

  it('answers sums and products of integers exactly, or not at all', async () => {
    const whole = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: -(2n ** 33n), max: 2n ** 33n }),
    );
    const operators = { '+': add, '-': subtract, '*': multiply } as const;
    await fc.assert(
      fc.asyncProperty(whole, whole, fc.constantFrom('+', '-', '*'), async (a, b, operator) => {
        const rows = `SELECT toInt64('${a}') AS a, toInt64('${b}') AS b`;
        const one = `SELECT toString(a ${operator} b) AS x FROM (${rows})`;
        const sum = `SELECT toString(sum(n)) AS x FROM (SELECT a AS n FROM (${rows}) UNION ALL SELECT b FROM (${rows}))`;
        for (const [sql, exact] of [
          [one, operators[operator](a, b)],
          [sum, a + b],
        ] as const) {
          const answer = await edge.sql(sql);
          const fits = exact >= -(2n ** 63n) && exact < 2n ** 63n;
          const wanted = fits ? JSON.stringify({ x: String(exact) }) : 'leaves 64 bits';
          expect(answer.text).toContain(wanted);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('parts texts as Postgres does', async () => {
    const text = fc.stringMatching(/^[ab,é]{0,12}$/);
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (given, n) => {
        const sql = `SELECT split_part(x, ',', ${n}) AS p, strpos(x, 'b') AS s FROM (SELECT '${given}' AS x)`;
        const [row] = JSON.parse((await edge.sql(sql)).text) as object[];
        const place = [...given].indexOf('b') + 1;
        expect(row).toEqual({ p: given.split(',')[n - 1] ?? '', s: place });
      }),
      { numRuns: 40 },
    );
  });

  it('tells what tables and columns there are', async () => {
    for (const ask of [hosted, (sql: string) => edge.sql(sql)]) {
      const tables = JSON.parse((await ask('SHOW TABLES')).text) as { table_name: string }[];
      const names = tables.map((row) => row.table_name);
      expect(names).toEqual(expect.arrayContaining(['names', 'sales']));
      const columns = JSON.parse((await ask('DESCRIBE names;')).text) as object[];
      expect(columns).toContainEqual({ column_name: 'v', data_type: 'Int64', is_nullable: 'YES' });
      expect(JSON.parse((await ask('SHOW COLUMNS FROM names')).text)).toEqual(columns);
      const ofStatement = await ask('DESCRIBE SELECT v, count(*) AS n FROM names GROUP BY v');
      expect(JSON.parse(ofStatement.text)).toEqual([
        { column_name: 'v', data_type: 'Int64', is_nullable: 'YES' },
        { column_name: 'n', data_type: 'UInt64', is_nullable: 'NO' },
      ]);
      expect((await ask('DESCRIBE SELECT nothing FROM names')).text).toMatch(/nothing/);
      expect((await ask('SELECT * FROM information_schema.tables')).text).toMatch(/SHOW TABLES/);
    }
  });

  it('tells the organization by the name that its callers know', async () => {
    const sql = 'SELECT current_database(), current_catalog() AS c';
    const names = (answer: Answer): unknown => JSON.parse(answer.text);
    const own = server.organization;
    expect(names(await hosted(sql))).toEqual([{ 'current_database()': own, c: own }]);
    expect(names(await edge.sql(sql))).toEqual([{ 'current_database()': 'edge', c: 'edge' }]);
  });

  it('lets SETTINGS bring back what the engine has by itself, and lift no bounds', async () => {
    const sql = 'SELECT sales.id, names.v FROM sales LEFT JOIN names ON sales.k = names.k';
    const engine = await hosted(`${sql} WHERE sales.id = 2 SETTINGS join_use_nulls = 0`);
    expect(JSON.parse(engine.text)).toEqual([{ id: 2, v: null }]);
    const union = 'SELECT 1 AS n UNION SELECT 1 SETTINGS union_default_mode = ';
    expect(JSON.parse((await hosted(`${union}'ALL'`)).text)).toHaveLength(2);
    for (const bound of ['max_execution_time = 0', 'max_rows_to_read = 0', 'readonly = 0'])
      expect((await hosted(`SELECT sum(v) FROM sales SETTINGS ${bound}`)).status).toBe(403);
  });
});
