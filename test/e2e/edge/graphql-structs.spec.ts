import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from '../../server/start-edge.js';

const NULLS = join(import.meta.dirname, '../../fixtures/parquet/null-objects-zstd-1.parquet');
const ROWS = [
  { id: 1, s: { a: 1, 'b-c': 'x', in: { z: [1, 2] } }, runs: [{ k: 1, of: { n: 'p' } }, { k: 2 }] },
  { id: 2, runs: [] },
];

describe('structs in GraphQL', () => {
  let folder: string;
  let edge: Edge;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-structs-'));
    const file = join(folder, 'lines.ndjson');
    writeFileSync(file, ROWS.map((row) => JSON.stringify(row)).join('\n'));
    edge = await startEdge(['-t', `lines=${file}`, '-t', `nulls=${NULLS}`]);
  });
  afterAll(async () => {
    await edge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (query: string): Promise<unknown> => {
    const { text } = await edge.post('/api/graphql', JSON.stringify({ query }), {
      'content-type': 'application/json',
    });
    return (JSON.parse(text) as { data?: unknown }).data ?? text;
  };

  it('are selected field by field, through lists and nulls', async () => {
    const rows = await ask(
      '{ lines(sort: [{field: "id"}]) { id s { __typename one: a b_c in { z } } runs { k of { n } } } }',
    );
    expect(rows).toEqual({
      lines: [
        {
          id: 1,
          s: { __typename: 'lines_s', one: 1, b_c: 'x', in: { z: [1, 2] } },
          runs: [
            { k: 1, of: { n: 'p' } },
            { k: 2, of: null },
          ],
        },
        { id: 2, s: null, runs: [] },
      ],
    });
    expect(await ask('{ nulls(sort: [{field: "id"}], limit: 3) { s { in { z } b } } }')).toEqual({
      nulls: [{ s: { in: { z: 0 }, b: 'b0' } }, { s: null }, { s: { in: { z: null }, b: null } }],
    });
  });

  it('are asked for by their keys in SQL, in lists too', async () => {
    const { text } = await edge.sql("SELECT runs[1]['k'] + 1 AS k, runs[1]['of']['n'] AS n, s['in']['z'][2] AS z FROM lines WHERE runs[1]['k'] > 0"); // prettier-ignore
    expect(JSON.parse(text)).toEqual([{ k: 2, n: 'p', z: 2 }]);
    expect((await edge.sql("SELECT runs[1]['nope'] FROM lines")).status).toBe(400);
  });

  it('are selected whole, too, and one by one told in the schema', async () => {
    expect(await ask('{ nulls(sort: [{field: "id"}], limit: 2) { s } }')).toEqual({
      nulls: [{ s: { a: 0, b: 'b0', in: { z: 0 } } }, { s: null }],
    });
    const type = await ask('{ __type(name: "nulls_s") { fields { name type { name } } } }');
    expect(type).toMatchObject({
      __type: {
        fields: [{ name: 'a' }, { name: 'b' }, { name: 'in', type: { name: 'nulls_s_in' } }],
      },
    });
    expect(await ask('{ nulls { s { c } } }')).toContain('Cannot query field \\"c\\"');
  });
});
