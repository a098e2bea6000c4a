import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { exactJson } from '../fixtures/tpch/tpch.js';
import { startEdge, type Edge } from '../server/start-edge.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
/**
 * Integers of every width, decimals, dates and times, made by pyarrow; `solid` allows no nulls, and
 * columns of `other` have other types than those of `calm` with their names.
 */
const TABLES = {
  calm: 'typed.parquet',
  solid: 'typed-without-nulls.parquet',
  other: 'typed-otherwise.parquet',
} as const;
/** Statements, and what DuckDB 2.0.0 answers, as we write it. */
const STATEMENTS = exactJson(
  readFileSync(join(FIXTURES, 'typed-statements.json'), 'utf8'),
) as readonly (readonly [sql: string, rows: readonly object[]])[];

/** Other databases answer these with an error, and so do we: never with another value. */
const REFUSED: readonly (readonly [sql: string, message: RegExp])[] = [
  ['SELECT CAST(i64 AS INTEGER) FROM calm', /cannot be safely converted|beyond/],
  ['SELECT a.i64 * a.i64 FROM calm AS a', /leaves 64 bits/],
  ['SELECT calm.i64 * other.i64 FROM calm, other', /leaves 64 bits/],
  ['SELECT (a.i64 * 2) + a.i64 FROM calm AS a', /leaves 64 bits/],
  ['SELECT CAST(u64 AS BIGINT) FROM calm', /cannot be safely converted|beyond/],
  ["SELECT CAST(CAST('inf' AS DOUBLE) AS DECIMAL(30, 2))", /beyond it/],
  ["SELECT CAST(x AS DECIMAL(30, 2)) FROM (SELECT CAST('nan' AS DOUBLE) AS x)", /beyond it/],
  ['SELECT CAST(CAST(d9 AS VARCHAR) AS BIGINT) FROM calm', /cannot be read as BIGINT/],
  ['SELECT CAST(CAST(d9 AS VARCHAR(20)) AS DATE) FROM calm', /cannot be read as Date32/],
  ["SELECT CAST('-' AS DECIMAL(10, 2))", /cannot be read as decimal/i],
  ["SELECT CAST(x AS DECIMAL(10, 2)) FROM (SELECT concat('1.2', '.3') AS x)", /beyond it/],
  [
    "SELECT id FROM calm WHERE d9 = '1.2.3'",
    /'1.2.3' is compared with a decimal, and is no number/,
  ],
  ["SELECT id FROM calm WHERE d9 IN (1.5, '-')", /'-' is compared with a decimal/],
  ['SELECT CAST(300 AS TINYINT)', /cannot be safely converted/],
  ['SELECT CAST(1e30 AS BIGINT)', /cannot be safely converted/],
  ["SELECT CAST('99999999999' AS INTEGER)", /beyond it/],
  ['SELECT CAST(d9 AS DECIMAL(4, 2)) FROM calm', /beyond it/],
  ['SELECT CAST(12345 AS DECIMAL(4, 2))', /beyond it/],
  ["SELECT CAST('2024-02-30' AS DATE)", /no day of the calendar/],
  ["SELECT DATE '2024-02-30'", /no day of the calendar/],
  ["SELECT DATE '9999-12-31'", /years 1900 to 2299/],
  ["SELECT CAST(concat('2024-02-3', '0') AS DATE)", /no date/],
  ["SELECT CAST('20240230' AS DATE)", /no day of the calendar/],
  ["SELECT DATE '2024/02/30'", /no day of the calendar/],
  ["SELECT CAST(concat('2024023', '0') AS DATE)", /no date/],
  ["SELECT CAST(concat('2024/02/3', '0') AS DATE)", /no date/],
  ["SELECT id FROM calm WHERE dt = '20240230'", /no day of the calendar/],
  ['SELECT CAST(20240131 AS DATE)', /a number is no date/],
  ['SELECT CAST(s AS DATE) FROM calm WHERE id = 1', /cannot be read|Cannot parse/],
  ["SELECT id FROM calm WHERE dt = '2024-02-30'", /no day of the calendar/],
  ["SELECT id FROM calm WHERE tz = 'soon'", /./],
];

describe('SQL over typed columns', () => {
  let server: BorrowedServer;
  let edge: Edge;

  beforeAll(async () => {
    const file = (name: string): string => join(FIXTURES, 'parquet', name);
    const tables = Object.entries(TABLES).map(([name, from]) => `${name}=${file(from)}`);
    [server, edge] = await Promise.all([
      borrowServer(),
      startEdge(tables.flatMap((table) => ['--table', table])),
    ]);
    for (const [name, from] of Object.entries(TABLES)) {
      const { status, bytes } = await server.client.call(`${name}/_parquet?wait=true`, {
        body: readFileSync(file(from)),
      });
      expect([status, bytes.toString()]).toEqual([200, expect.stringContaining('"failed":0')]);
    }
  });
  afterAll(() => Promise.all([server.giveBack(), edge.stop()]));

  const hosted = async (sql: string): Promise<{ status: number; text: string }> => {
    const { status, bytes } = await server.client.call('sql', { body: sql });
    return { status, text: bytes.toString() };
  };

  it.each(STATEMENTS)('answers %s', async (sql, rows) => {
    for (const { status, text } of [await edge.sql(sql), await hosted(sql)]) {
      expect([status, text]).toEqual([200, expect.any(String)]);
      expect(exactJson(text)).toEqual(rows);
    }
  });

  it.each(REFUSED)('refuses %s', async (sql, message) => {
    for (const { status, text } of [await edge.sql(sql), await hosted(sql)]) {
      expect([status, text]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  it('answers remainders of decimals as of whole numbers with as many digits', async () => {
    const digits = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    const scale = fc.integer({ min: 0, max: 6 });
    await fc.assert(
      fc.asyncProperty(digits, scale, digits, scale, async (a, left, b, right) => {
        const divisor = b === 0n ? 1n : b;
        const scales = Math.max(left, right);
        const scaled = (value: bigint, scale: number) => value * 10n ** BigInt(scales - scale);
        const exact = scaled(a, left) % scaled(divisor, right);
        const rows = `SELECT CAST('${pointed(a, left)}' AS Decimal(30, ${left})) AS a, CAST('${pointed(divisor, right)}' AS Decimal(30, ${right})) AS b`;
        const sql = `SELECT a % b = CAST('${pointed(exact, scales)}' AS Decimal(30, ${scales})) AS x FROM (${rows})`;
        expect(exactJson((await edge.sql(sql)).text)).toEqual([{ x: true }]);
      }),
      { numRuns: 60 },
    );
  });
});

/** A whole number with so many of its digits behind the point. */
function pointed(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return value < 0n ? `-${text}` : text;
}
