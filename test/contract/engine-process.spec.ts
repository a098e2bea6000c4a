import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { PacedError, type EngineEvent, type Warehouse } from '@app/warehouse';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import { minorFaults } from '../bench/processor-time.js';
import { endless } from './limits.js';

/** Works on one block for minutes, whatever it is told. */
const DEAF = 'SELECT arrayLevenshteinDistance(range(400000), range(1, 400001))';
const LIMIT_SECONDS = 2;
const A = `o_${'a'.repeat(32)}`;
const B = `o_${'b'.repeat(32)}`;
const TABLE = { database: A, table: 't' };

describe('the engine’s process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-engine-'));
  const events: EngineEvent[] = [];
  let warehouse: Warehouse;
  const started = (): readonly EngineEvent[] => events.filter(({ type }) => type === 'started');

  beforeAll(async () => {
    ({ warehouse } = await openEngine({
      directory,
      limits: endless(LIMIT_SECONDS),
      memoryBytes: 2 ** 30,
      readers: 8,
      closeEngine: () => Promise.resolve(),
      tell: (event) => events.push(event),
    }));
    for (const database of [A, B]) await warehouse.createDatabase(database);
    await warehouse.createTable(TABLE, [{ name: 'n', type: 'Nullable(Int64)' }], '01S');
    await ask('SELECT 1', A);
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const ask = async (sql: string, database: string): Promise<string> =>
    text(await warehouse.stream({ sql, database, format: 'ndjson' }));
  const pid = (): number => {
    const last = started().at(-1);
    return last?.type === 'started' ? last.pid : 0;
  };

  it('answers what is asked while it is dead, once it is back', async () => {
    const before = started().length;
    process.kill(pid(), 'SIGKILL');
    const begun = performance.now();
    const answers = await Promise.all([1, 2, 3].map((n) => ask(`SELECT ${n} AS n`, A)));
    expect(answers).toEqual(['{"n":1}\n', '{"n":2}\n', '{"n":3}\n']);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(started()).toHaveLength(before + 1);
  });

  it('cuts an answer that it has begun, so that nobody takes it for whole', async () => {
    const sql = 'SELECT number, repeat(toString(number), 20) AS s FROM numbers(4000000)';
    const rows = await warehouse.stream({ sql, database: A, format: 'ndjson' });
    process.kill(pid(), 'SIGKILL');
    await expect(text(rows)).rejects.toMatchObject({ code: 210 });
    expect(await ask('SELECT 1 AS n', A)).toBe('{"n":1}\n');
  });

  it('keeps the secret of its address and its passwords to us', async () => {
    const last = started().at(-1);
    expect(last).toMatchObject({ type: 'started' });
    expect(JSON.stringify(events)).not.toMatch(/password|127\.0\.0\.1/);
    await expect(ask('SELECT * FROM system.users', A)).rejects.toMatchObject({ code: 497 });
  });

  it('is ended where it cannot end a query past its limit; its organization waits, no other', async () => {
    const before = started().length;
    const begun = performance.now();
    const deaf = ask(DEAF, A).catch((error: unknown) => error);
    const others: string[] = [];
    let isDone = false;
    const finished = deaf.finally(() => (isDone = true));
    while (!isDone) others.push(await ask('SELECT 1 AS n', B));
    await finished;
    expect(await deaf).toMatchObject({ code: 159 });
    // This is the limit, the time that the engine gets to end the query, and its end. A busy
    // machine takes longer.
    expect(performance.now() - begun).toBeLessThan(LIMIT_SECONDS * 1000 + 10_000);
    expect(new Set(others)).toEqual(new Set(['{"n":1}\n']));
    while (started().length === before) await delay(20);
    await expect(ask('SELECT 1', A)).rejects.toBeInstanceOf(PacedError);
    expect(await ask('SELECT 1 AS n', B)).toBe('{"n":1}\n');
    expect(started()).toHaveLength(before + 1);
  }, 120_000);

  // Its memory worker looks at the system for five seconds before it does that.
  it('keeps its memory from one block to the next, however long it has run', async () => {
    const [engine, begun] = [pid(), performance.now()];
    const faults = async (): Promise<number> => {
      const before = minorFaults(engine);
      await ask('SELECT sum(cityHash64(number) % 7) AS s FROM numbers(5000000)', B);
      return minorFaults(engine) - before;
    };
    while (performance.now() - begun < 7000) await faults();
    expect(pid()).toBe(engine);
    expect(Math.min(await faults(), await faults(), await faults())).toBeLessThan(8000);
  }, 120_000);

  it('is refused to a second process', async () => {
    const second = openEngine({
      directory,
      limits: endless(LIMIT_SECONDS),
      memoryBytes: 2 ** 30,
      readers: 1,
      closeEngine: () => Promise.resolve(),
      tell: () => undefined,
    });
    await expect(second).rejects.toThrow('is in use by another process');
    expect(await ask('SELECT 1 AS n', B)).toBe('{"n":1}\n');
  }, 120_000);
});
