import { metricsText, type RequestOrganization } from '@app/platform';
import {
  Catalog,
  Guard,
  OrganizationQueries,
  QueryPipeline,
  type TableDescription,
} from '@app/query';
import { PacedError } from '@app/warehouse';
import { CountedReader } from './counted-reader.js';
import { openGuardedEngine, OWN, type GuardedEngine } from './guarded-engine.js';

const COLUMNS = [
  { name: 'id', type: 'Nullable(Int64)' },
  { name: 'name', type: 'Nullable(String)' },
];

class FewTables extends Catalog {
  tables(): readonly TableDescription[] {
    return ['t', 'u'].map((name) => ({ name, columns: COLUMNS }));
  }
  table(_organization: RequestOrganization, name: string): TableDescription | undefined {
    return this.tables().find((table) => table.name === name);
  }
}

class LastingCatalog extends FewTables {
  override readonly hasLastingTables = true;
}

const ALL = new OrganizationQueries({
  running: 4,
  waiting: 100,
  waitSeconds: 10,
  seconds: 1e9,
  resultBytes: 1e15,
  readRows: 1e15,
  readBytes: 1e18,
});

/** The guard judges a statement as it is where values come with it, needed or not. */
const AS_IT_IS = { unused: '' };

/**
 * No value may be taken from these places, because a column is named after its text, or was by its
 * length.
 */
const LISTS = [
  (values: readonly string[]) =>
    `SELECT id, (SELECT max(id) FROM u WHERE ${values.map((value) => `name = '${value}'`).join(' OR ')}) FROM t WHERE id > 5`,
  (values: readonly string[]) =>
    `SELECT CASE WHEN id IN (SELECT id FROM u WHERE name IN (${values.map((value) => `'${value}'`).join(', ')})) THEN 1 ELSE 0 END FROM t WHERE id > 5`,
  (values: readonly string[]) =>
    `SELECT id IS DISTINCT FROM (SELECT max(id) FROM u WHERE ${values.map((value) => `name = '${value}'`).join(' OR ')}) FROM t WHERE id > 5`,
  (values: readonly string[]) =>
    `SELECT id AS where, CASE WHEN ${values.map((value) => `name = '${value}'`).join(' OR ')} OR id > 3 THEN 1 ELSE 0 END FROM t WHERE id > 5`,
  (values: readonly string[]) =>
    `SELECT id AS from, (SELECT max(id) FROM u WHERE ${values.map((value) => `name = '${value}'`).join(' OR ')}) FROM t WHERE id > 5`,
  (values: readonly string[]) =>
    `SELECT s.* FROM (SELECT id, (SELECT max(id) FROM u WHERE ${values.map((value) => `name = '${value}'`).join(' OR ')}) FROM t WHERE id > 5) AS s`,
];

describe('a shape of statements', () => {
  let engine: GuardedEngine;
  let reader: CountedReader;
  let guard: Guard;
  beforeAll(async () => {
    engine = await openGuardedEngine();
    reader = new CountedReader(engine.warehouse);
    guard = new Guard(reader, new FewTables());
  });
  afterAll(() => engine.close());

  /** The admitted statement, or the words of its refusal. */
  async function told(judged: Promise<object>): Promise<object> {
    try {
      // If a value differs, a statement with the same columns must differ, too.
      return { ...(await judged), alike: undefined };
    } catch (error) {
      const { name, message, detail } = error as Error & { detail?: string };
      return { name, message, detail };
    }
  }

  it.each(LISTS)('takes no value from what names a column: %#', async (of) => {
    const other = new Guard(engine.warehouse, new FewTables());
    for (let count = 4; count <= 12; count += 1) {
      const names = Array.from({ length: count }, (_, at) => String.fromCharCode(97 + at));
      const sql = of(names);
      const kin = sql.replace('id > 5', 'id > 6');
      const fresh = new Guard(reader, new FewTables());
      await told(fresh.admit(kin, OWN));
      expect([sql, await told(fresh.admit(sql, OWN))]).toEqual([
        sql,
        await told(other.admit(sql, OWN, AS_IT_IS)),
      ]);
    }
  });

  it('asks the engine of a probe only after one of its shape was admitted, and then no more', async () => {
    const fresh = new Guard(reader, new FewTables());
    await fresh.admit('SELECT 1', OWN);
    const asked = async (sql: string): Promise<number> => {
      const before = reader.asked;
      await told(fresh.admit(sql, OWN));
      return reader.asked - before;
    };
    const statement = (value: number): string => `SELECT id FROM t WHERE id > ${value}`;
    const first = await asked(statement(11));
    expect(first).toBeGreaterThan(0);
    expect(await asked(statement(11))).toBe(0);
    expect(await asked(statement(12))).toBeLessThanOrEqual(first);
    expect(await asked(statement(13))).toBe(0);
    const refused = (value: number): string => `SELECT file('x') FROM t WHERE id > ${value}`;
    const once = await asked(refused(11));
    expect(await asked(refused(12))).toBe(once);
  });

  it('is not given up for what happens while its probe is judged', async () => {
    const fresh = new Guard(reader, new FewTables());
    const statement = (value: number): string => `SELECT name FROM t WHERE id < ${value}`;
    await fresh.admit(statement(11), OWN);
    const before = reader.asked;
    reader.fails = new PacedError(1);
    expect(await told(fresh.admit(statement(12), OWN))).toMatchObject({
      message: new PacedError(1).message,
    });
    expect(reader.asked - before).toBe(1);
    await fresh.admit(statement(13), OWN);
    const known = reader.asked;
    await fresh.admit(statement(14), OWN);
    expect(reader.asked).toBe(known);
  });

  it('is counted once where it is refused', async () => {
    const refusals = async (): Promise<number> => {
      const lines = (await metricsText()).text.split('\n');
      const counts = lines.filter((line) => line.startsWith('millrace_guard_refusals_total{'));
      return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    const before = await refusals();
    for (const value of [11, 12, 13])
      await told(guard.admit(`SELECT file('y') FROM t WHERE id > ${value}`, OWN));
    expect((await refusals()) - before).toBe(3);
  });

  it('keeps the types of its own columns', async () => {
    const statement = (most: number): string =>
      `WITH w AS (SELECT count() AS n FROM t WHERE id < ${most}) SELECT toDateTime64('2026-01-01 00:00:00', (SELECT n FROM w)) AS c FROM t`;
    const signal = AbortSignal.timeout(30_000);
    const pipeline = new QueryPipeline(
      guard,
      engine.warehouse,
      ALL,
      undefined,
      new LastingCatalog(),
    );
    const typeOf = async (most: number): Promise<string | undefined> =>
      (await pipeline.columns({ sql: statement(most), organization: OWN, signal }))[0]?.type;
    await typeOf(8);
    expect(await typeOf(9)).toBe('Nullable(DateTime64(3))');
    expect(await typeOf(1)).toBe('Nullable(DateTime64(1))');
  });
});
