import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openWarehouse, type Warehouse } from '@app/warehouse';
import { endless } from './limits.js';

const LONG = 'SELECT sum(sipHash64(number)) AS s FROM numbers(999999999999)';
const SHORT = 'SELECT 1 AS one';
/** So many may last at a time where one begins at a time. */
const ORGANIZATIONS = 2;

describe('queries of some organizations that take long', () => {
  let directory: string;
  let warehouse: Warehouse;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-long-queries-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: endless(60),
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
    const databases = Array.from({ length: ORGANIZATIONS + 1 }, () => warehouse.newDatabase());
    for (const database of databases) await warehouse.createDatabase(database);
    const [own, ...others] = databases;
    const { signal } = leaving;
    const ask = async (sql: string, database = ''): Promise<void> => {
      try {
        await buffer(await warehouse.stream({ sql, database, format: 'json', signal }));
      } finally {
        ended.push(sql);
      }
    };
    const long = others.map((database) => ask(LONG, database).catch(() => undefined));
    await ask(SHORT, own);
    expect(ended).toEqual([SHORT]);
    leaving.abort(new Error('the client has left'));
    await Promise.all(long);
  });
});
