import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

const PARQUET = 'application/vnd.apache.parquet';
/** Longer than what is copied; most of it is a hole. */
const LONG_BYTES = 130 * 1024 * 1024;

describe('answers that were given before', () => {
  let folder: string;
  let edge: Edge;
  const file = (): string => join(folder, 'shop.csv');
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-kept-'));
    writeFileSync(file(), 'item,price\ntea,3\npot,12\n');
    edge = await startEdge(['-t', file()]);
  });
  afterAll(async () => {
    await edge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are those of the format that is asked for', async () => {
    const sql = 'SELECT item FROM shop ORDER BY price';
    for (const round of [1, 2]) {
      const json = await edge.sql(sql);
      const csv = await edge.post('/api/sql', sql, { accept: 'text/csv' });
      const ndjson = await edge.post('/api/sql', sql, { accept: 'application/x-ndjson' });
      expect([round, json.json()]).toEqual([round, [{ item: 'tea' }, { item: 'pot' }]]);
      expect([round, csv.text]).toEqual([round, '"item"\n"tea"\n"pot"\n']);
      expect([round, ndjson.text]).toEqual([round, '{"item":"tea"}\n{"item":"pot"}\n']);
    }
  });

  it('are made anew where they are of the time or of chance', async () => {
    for (const call of ['now64(9)', 'rand()', 'generateUUIDv4()', 'NOW64(9)']) {
      const sql = `SELECT item, ${call} AS other FROM shop ORDER BY price`;
      const answers = [await edge.sql(sql), await edge.sql(sql), await edge.sql(sql)];
      expect([call, new Set(answers.map(({ text }) => text)).size]).toEqual([call, 3]);
    }
  });

  it('are made anew when the file is another', async () => {
    const sum = async (): Promise<unknown> =>
      (await edge.sql('SELECT sum(price) AS s FROM shop')).json();
    expect([await sum(), await sum()]).toEqual([[{ s: 15 }], [{ s: 15 }]]);
    writeFileSync(file(), 'item,price\ntea,3\npot,12\njug,20\n');
    await until(async () => JSON.stringify(await sum()) === '[{"s":35}]');
    const read = await edge.get('/api/tables/shop?columns=item&sort=-price&limit=1');
    expect(read.json()).toEqual([{ item: 'jug' }]);
  });

  it('are as many rows as before, by GraphQL with and without variables', async () => {
    const text = '{ shop(filter: {price: {gt: 5}}, sort: [{field: "price"}]) { item } }';
    const first = await edge.post('/api/graphql', text);
    const second = await edge.post('/api/graphql', text);
    expect([first.json(), second.json()]).toEqual([
      [{ item: 'pot' }, { item: 'jug' }],
      [{ item: 'pot' }, { item: 'jug' }],
    ]);
    const query = 'query ($least: NumberCondition) { shop(filter: {price: $least}) { item } }';
    for (const [gt, rows] of [
      [15, 1],
      [0, 3],
    ] as const) {
      const answer = await edge.post('/api/graphql', { query, variables: { least: { gt } } });
      expect(answer.json<{ data: { shop: unknown[] } }>().data.shop).toHaveLength(rows);
    }
  });

  describe('over a file that is read where it lies', () => {
    const at = (): string => join(folder, 'large.parquet');
    const ask = async (): Promise<unknown> =>
      (await edge.sql('SELECT item, sum(price) AS s FROM large GROUP BY item')).json();

    /** Writes a file of one row into the place of the one before, too long to be copied. */
    const write = async (item: string, price: number, seconds: number): Promise<void> => {
      const sql = `SELECT '${item}' AS item, ${price} AS price`;
      const asked = { method: 'POST', body: sql, headers: { accept: PARQUET } };
      const answer = await fetch(`${edge.url}/api/sql`, asked);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const footer = bytes.readUInt32LE(bytes.length - 8) + 8;
      const file = openSync(at(), 'w');
      writeSync(file, bytes, 0, bytes.length - footer, 0);
      writeSync(file, bytes, bytes.length - footer, footer, LONG_BYTES - footer);
      closeSync(file);
      utimesSync(at(), seconds, seconds);
    };
    const register = async (): Promise<void> => {
      const tables = [{ tableName: 'large', uri: at() }];
      expect((await edge.post('/api/table', tables)).status).toBe(200);
    };

    it('stay until the file is another', async () => {
      const before = Math.floor(Date.now() / 1000) - 60;
      await write('tea', 3, before);
      await register();
      expect([await ask(), await ask()]).toEqual([
        [{ item: 'tea', s: 3 }],
        [{ item: 'tea', s: 3 }],
      ]);
      // It looks the same from outside: whoever answers so has not read it.
      await write('pot', 4, before);
      expect(await ask()).toEqual([{ item: 'tea', s: 3 }]);
      await write('jug', 5, before + 1);
      expect([await ask(), await ask()]).toEqual([
        [{ item: 'jug', s: 5 }],
        [{ item: 'jug', s: 5 }],
      ]);
    });

    it('are not kept while it was written a moment ago', async () => {
      const now = Math.floor(Date.now() / 1000) + 600;
      await write('tea', 3, now);
      await register();
      expect([await ask(), await ask()]).toEqual([
        [{ item: 'tea', s: 3 }],
        [{ item: 'tea', s: 3 }],
      ]);
      await write('pot', 4, now);
      // The engine may take this file for the one before. That is its affair: it is asked.
      expect(await ask()).not.toEqual([{ item: 'tea', s: 3 }]);
    });
  });
});
