import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openWarehouse, type Warehouse } from '@app/warehouse';
import { LIMITS } from './limits.js';

const LONG =
  'SELECT sum(sipHash64(a, b)) AS s FROM (SELECT arrayJoin(range(1000000)) AS a) ARRAY JOIN range(100000) AS b';
const ORGANIZATIONS = 2;

describe('queries of some organizations that take long', () => {
  let directory: string;
  let warehouse: Warehouse;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-long-queries-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: { ...LIMITS, timeoutSeconds: 60 },
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('keep no short one of another waiting, though they take every place', async () => {
    const leaving = new AbortController();
    const ended: string[] = [];
    const ask = async (name: string, sql: string, signal?: AbortSignal): Promise<void> => {
      const database = warehouse.newDatabase();
      await warehouse.createDatabase(database);
      const query = { sql, database, format: 'json' as const, ...(signal ? { signal } : {}) };
      await buffer(await warehouse.stream(query)).finally(() => ended.push(name));
    };
    const long = Array.from({ length: ORGANIZATIONS }, (_, n) =>
      ask(`long ${n}`, LONG, leaving.signal).catch(() => undefined),
    );
    await ask('short', 'SELECT 1 AS one');
    expect(ended).toEqual(['short']);
    leaving.abort(new Error('the client has left'));
    await Promise.all(long);
  });
});
