import { join } from 'node:path';
import { edgeInFolder } from '../../server/edge-in-folder.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/delta');
type Rows = readonly Readonly<Record<string, unknown>>[];
const ids = (...all: readonly number[]): Rows => all.map((id) => ({ id }));
/** Rows of tables that need more of a reader than the files of Parquet, in the order of their ids. */
const TABLES: Readonly<Record<string, Rows>> = {
  'inline-deletion-vector': ids(1, 2, 4),
  'v2-checkpoint-json': ids(1, 2, 3, 5, 6, 7, 8, 9, 11),
  'v2-checkpoint-parquet': ids(1, 2, 3, 5, 6, 7, 8, 9, 11),
  'type-widened': [
    { id: 1, n: 1 },
    { id: 2, n: null },
    { id: 3, n: 2000000000 },
  ],
  checkpointed: [
    { id: 0, part: 'even' },
    { id: 2, part: 'even' },
    { id: 3, part: 'odd' },
    { id: 4, part: 'even' },
  ],
  'column-mapping-name': [
    { id: 1, 'after it': 'one', inner: { a: 1, b: [] }, pairs: { k: 1 }, part: 'p q', 'new,col': null },
    { id: 2, 'after it': 'two', inner: { a: null, b: [] }, pairs: {}, part: null, 'new,col': null },
    { id: 3, 'after it': 'three', inner: { a: 3, b: [] }, pairs: {}, part: 'r/s', 'new,col': 33 },
  ],
}; // prettier-ignore

describe('Delta tables of others', () => {
  const own = edgeInFolder('edge-delta-tables-');
  const register = async (name: string, more = ''): Promise<readonly [number, string]> => {
    const uri = `${join(FIXTURES, name)},format=delta${more}`;
    const { status, text } = await own.edge.post('/api/table', [{ tableName: 't', uri }]);
    return [status, text];
  };
  const ask = async (statement: string): Promise<unknown> =>
    JSON.parse((await own.edge.sql(statement)).text);

  it.each(Object.entries(TABLES))('has the rows that its log says: %s', async (name, rows) => {
    for (const more of ['', ',materialize=true']) {
      expect((await register(name, more))[0]).toBe(200);
      expect(await ask('SELECT * FROM t ORDER BY id')).toEqual(rows);
      expect(await ask('SELECT count() AS n FROM t')).toEqual([{ n: rows.length }]);
    }
  });

  it('shows no row that a deletion vector takes away', async () => {
    for (const more of ['', ',materialize=true']) {
      expect((await register('deletion-vectors', more))[0]).toBe(200);
      const counts = await ask('SELECT count() AS n, uniqExact(id) AS ids FROM t');
      expect(counts).toEqual([{ n: 1994, ids: 1994 }]);
      expect(await ask('SELECT count() AS n FROM t')).toEqual([{ n: 1994 }]);
      expect(await ask('SELECT id FROM t WHERE id IN (1002, 1005)')).toEqual([]);
    }
  }); // prettier-ignore

  it.each([
    ['types', 'has a day before 1900 or after 2299'],
    ['column-mapping-id', 'delta.columnMapping.mode'],
  ])('is refused with the reason: %s', async (name, reason) => {
    expect(await register(name)).toEqual([400, expect.stringContaining(reason)]);
  });
});
