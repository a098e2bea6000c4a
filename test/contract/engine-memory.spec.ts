import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Warehouse } from '@app/warehouse';
import { mostMemory } from '../bench/process-memory.js';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import type { EngineProcess } from '../../libs/warehouse/engine/engine-process.js';
import { endless } from './limits.js';

const MIB = 1024 * 1024;
const BOUND = 768 * MIB;
/** The program itself, and what Node.js takes around it. */
const PROGRAM = 512 * MIB;
const A = `o_${'a'.repeat(32)}`;
const B = `o_${'b'.repeat(32)}`;
/** Wants 1.6 GB. */
const GREEDY = 'SELECT length(groupArray(number)) AS n FROM numbers(200000000)';
const MEMORY_LIMIT_EXCEEDED = 241;

/** `MILLRACE_ENGINE_MEMORY`. */
describe('the memory of the engine’s process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-memory-'));
  let warehouse: Warehouse;
  let engine: EngineProcess;
  const ask = async (sql: string, database: string): Promise<string> =>
    text(await warehouse.stream({ sql, database, format: 'ndjson' }));

  beforeAll(async () => {
    ({ warehouse, engine } = await openEngine({
      directory,
      // One query may take more than all together.
      limits: { ...endless(60), memoryBytes: 4096 * MIB },
      memoryBytes: BOUND,
      readers: 8,
      closeEngine: () => Promise.resolve(),
      tell: () => undefined,
    }));
    for (const database of [A, B]) await warehouse.createDatabase(database);
    // The first query makes the databases' users.
    for (const database of [A, B]) await ask('SELECT 1', database);
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  // Other systems do not tell what a process has taken.
  const told = process.platform === 'linux' ? it : undefined;
  told?.(
    'is bounded: who asks for more fails, others are answered, and the process stays',
    async () => {
      const { pid } = await engine.ready(0);
      const greedy = Array.from({ length: 4 }, () =>
        ask(GREEDY, A).catch((error: unknown) => error),
      );
      let isDone = false;
      const outcomes = Promise.all(greedy).finally(() => (isDone = true));
      const others = new Set<string>();
      while (!isDone) others.add(await ask('SELECT 1 AS n', B));
      expect(await outcomes).toEqual(
        greedy.map(() => expect.objectContaining({ code: MEMORY_LIMIT_EXCEEDED }) as unknown),
      );
      expect([...others]).toEqual(['{"n":1}\n']);
      expect(mostMemory(pid)).toBeLessThan(BOUND + PROGRAM);
      expect((await engine.ready(0)).pid).toBe(pid);
    },
    120_000,
  );
});
