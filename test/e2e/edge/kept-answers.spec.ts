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

    it('are given at once until the file is another', async () => {
      const slow =
        'SELECT item, price, max(sipHash64(r)) > 0 AS big FROM large ARRAY JOIN range(30000000) AS r GROUP BY item, price';
      const timed = async (sql = slow): Promise<number> => {
        const begun = performance.now();
        const answer = await edge.sql(sql);
        expect(answer.json()).toEqual([{ item: 'tea', price: 3, big: true }]);
        return performance.now() - begun;
      };
      await write('tea', 3, secondsAgo(60));
      await register();
      // A file that was written a moment ago is read each time.
      const read = await timed();
      await until(async () => (await timed()) < read / 4);
      // Since then the file is known to be settled, and the first answer is kept.
      const another = slow.replace('> 0', '> 1');
      expect(await timed(another)).toBeGreaterThan((await timed(another)) * 4);
      await write('pot', 4, secondsAgo(60));
      expect((await edge.sql(slow)).json()).toEqual([{ item: 'pot', price: 4, big: true }]);
    });

    it('are of what is there when a file is written over again and again', async () => {
      await register();
      for (let round = 1; round <= 5; round += 1) {
        await write(`tea ${round}`, round, secondsAgo(60 * round));
        const now = [{ item: `tea ${round}`, s: round }];
        expect([await ask(), await ask()]).toEqual([now, now]);
      }
    });
  });
});

const secondsAgo = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;
