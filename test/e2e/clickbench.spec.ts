import { readFileSync } from 'node:fs';
import { CLICKBENCH, CLICKBENCH_HITS } from '../fixtures/clickbench/clickbench.js';
import { differences } from '../fixtures/tpch/tpch.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { startEdge, type Edge } from '../server/start-edge.js';

describe('ClickBench', () => {
  let server: BorrowedServer;
  let edge: Edge;

  beforeAll(async () => {
    [server, edge] = await Promise.all([
      borrowServer(),
      startEdge(['--table', `hits=${CLICKBENCH_HITS}`]),
    ]);
    const { status, bytes } = await server.client.call('hits/_parquet?wait=true', {
      body: readFileSync(CLICKBENCH_HITS),
    });
    expect([status, bytes.toString()]).toEqual([200, expect.stringContaining('"failed":0')]);
  });
  afterAll(() => Promise.all([server.giveBack(), edge.stop()]));

  it('has 43 statements, of which few find nothing', () => {
    expect(CLICKBENCH).toHaveLength(43);
    expect(CLICKBENCH.filter(({ rows }) => rows.length === 0).length).toBeLessThan(3);
  });

  it.each(CLICKBENCH)('$name is answered alike on both, as by DuckDB', async (statement) => {
    // A stream has its own time besides.
    const sql = statement.sql.replace('SELECT *', 'SELECT * EXCLUDE (_timestamp)');
    const { status, bytes } = await server.client.call('sql', { body: sql });
    const own = await edge.sql(statement.sql);
    for (const [code, text] of [
      [status, bytes.toString()],
      [own.status, own.text],
    ] as const) {
      expect([code, text]).toEqual([200, expect.any(String)]);
      expect(differences(statement, text)).toEqual([]);
    }
  });
});
