import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { borrowServer, type BorrowedServer } from '../../server/borrow-server.js';
import { edgeInFolder } from '../../server/edge-in-folder.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/parquet');

/** Files that nobody reads here as they are, and what is said of them here and in an upload. */
const REFUSED: readonly (readonly [file: string, here: string, uploaded: string])[] = [
  ['rows-not-counted', 'its footer says that it has 0 rows, and its row groups have 6', 'it should have 0 rows and has 6'],
  ['encrypted-column', 'it is encrypted Parquet, which is not read here', 'it is encrypted, which is not read here'],
  ['encrypted-footer', 'it is no Parquet file, or was cut off, or is encrypted', 'it is encrypted, which is not read here'],
  ['wide-deltas', 'column "v" has integers of 32 bits whose differences are written with 33', 'column "v" has integers of 32 bits whose differences are written with 33'],
  ['wide-deltas-within', 'column "v.list.element.n" has integers of 32 bits', 'column "v.list.element.n" has integers of 32 bits'],
  ['wrong-checksums', 'column "FRUIT" has other bytes than its checksums say', 'checksum'],
]; // prettier-ignore

describe('Parquet of strangers', () => {
  const own = edgeInFolder('edge-parquet-strangers-');
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const register = async (file: string, more = ''): Promise<string> => {
    const uri = `${join(FIXTURES, `${file}.parquet`)}${more}`;
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri }]);
    return made.status === 200 ? '' : made.text;
  };
  const upload = (file: string) =>
    server.client.call(`${file.replaceAll('-', '_')}/_parquet?wait=true`, {
      body: readFileSync(join(FIXTURES, `${file}.parquet`)),
    });

  it.each(REFUSED)('%s is refused, and says why', async (file, here, uploaded) => {
    for (const more of ['', ',materialize=false']) {
      const told = await register(file, more);
      expect(told).toContain(JSON.stringify(here).slice(1, -1));
      expect(told).not.toContain('file/uri');
    }
    const { status, bytes } = await upload(file);
    expect([status, bytes.toString()]).toEqual([400, expect.stringContaining(JSON.stringify(uploaded).slice(1, -1))]);
  }); // prettier-ignore

  it.each([
    ['decimal-in-64-bits', '_c0', ['79205949.2', '98684298.7', '54024799.8']],
    ['decimal-in-12-bytes', 'val_fixed', ['2.05', '20.25']],
  ])('decimals in more bytes than their digits need are read: %s', async (file, column, values) => {
    const sql = `SELECT DISTINCT CAST(${column} AS VARCHAR) AS x FROM`;
    for (const more of ['', ',materialize=false']) {
      expect(await register(file, more)).toBe('');
      const rows = (await own.edge.sql(`${sql} t`)).json<{ x: string }[]>();
      expect(rows.map(({ x }) => x)).toEqual(expect.arrayContaining(values));
    }
    expect((await upload(file)).json()).toMatchObject({ status: [{ failed: 0 }] });
    const rows = await server.client.sql(`${sql} ${file.replaceAll('-', '_')}`);
    expect(rows).toEqual(expect.arrayContaining(values.map((x) => ({ x }))));
  });

  it('rows of several row groups keep their order in a copy', async () => {
    expect(await register('row-groups', ',materialize=true')).toBe('');
    const rows = (await own.edge.sql('SELECT id FROM t')).json<{ id: number }[]>();
    const ids = rows.map(({ id }) => id);
    expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 100_000 }, (_, id) => id));
    // The copy has two blocks, which two threads may answer in any order.
    expect(ids.filter((id, place) => id < (ids[place - 1] ?? 0)).length).toBeLessThanOrEqual(1);
  });

  it('times in 96 bits beyond those of 64 are refused, with the column', async () => {
    expect(await register('before-1582')).toContain('has a time in 96 bits before 1678');
  });

  it('a wrong index of pages does not keep anybody from the rows', async () => {
    const sql =
      'SELECT count() AS n, min(timestamp) AS low, max(timestamp) AS high, sum(length(bids)) AS bids, sum(length(asks)) AS asks FROM';
    const rows = [{ n: 1411, low: 1735251109024, high: 1735257595476, bids: 12760, asks: 26541 }];
    for (const more of ['', ',materialize=false']) {
      expect(await register('wrong-page-index', more)).toBe('');
      expect((await own.edge.sql(`${sql} t`)).json()).toEqual(rows);
    }
    expect((await upload('wrong-page-index')).json()).toMatchObject({ status: [{ failed: 0 }] });
    expect(await server.client.sql(`${sql} wrong_page_index`)).toEqual(rows);
  });
});
