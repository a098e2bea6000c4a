import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import { endless } from '../contract/limits.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const ORGANIZATIONS = SHORT ? 20 : 2000;
const TABLES = 2;
const ROUNDS = SHORT ? 1 : 4;

it(`is back with ${ORGANIZATIONS} organizations`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-back-'));
  const { warehouse, engine } = await openEngine({
    directory,
    limits: endless(60),
    memoryBytes: 2 ** 31,
    readers: 4,
    closeEngine: () => Promise.resolve(),
    tell: () => undefined,
  });
  try {
    const databases = Array.from(
      { length: ORGANIZATIONS },
      () => `o_${randomBytes(16).toString('hex')}`,
    );
    for (const database of databases) {
      await warehouse.createDatabase(database);
      for (let table = 0; table < TABLES; table += 1)
        await warehouse.createTable(
          { database, table: `t${table}` },
          [
            { name: 'id', type: 'Nullable(Int64)' },
            { name: 'name', type: 'Nullable(String)' },
          ],
          `01${table}`,
        );
    }
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { pid } = await engine.ready(0);
      const killedAt = performance.now();
      process.kill(pid, 'SIGKILL');
      const database = databases[round] ?? '';
      const sql = `SELECT count() FROM ${database}.t0`;
      for (;;) {
        try {
          await text(await warehouse.stream({ sql, database, format: 'text' }));
          break;
        } catch (error) {
          if (performance.now() - killedAt > 60_000) throw error;
        }
      }
      times.push(performance.now() - killedAt);
    }
    report('The engine is back after SIGKILL', [
      [
        `${ORGANIZATIONS} organizations of ${TABLES} tables`,
        times.map((ms) => `${Math.round(ms)} ms`).join(', '),
      ],
    ]);
  } finally {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  }
}, 900_000);
