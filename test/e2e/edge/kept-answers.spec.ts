import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

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
});
