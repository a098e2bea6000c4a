import type { Server } from '../server/start-server.js';
import { TwoNodes } from './two-nodes.js';

const TIMEOUT_MS = 240_000;
const ROUNDS = 20;
/** The next integer that no float has. */
const BEYOND_FLOAT = '9007199254740993';

describe('one stream that changes at two nodes at once', () => {
  let nodes: TwoNodes;
  let a: Server;
  let b: Server;

  beforeAll(async () => {
    nodes = await TwoNodes.start();
    [a, b] = [nodes.node(0), nodes.node(1)];
  }, TIMEOUT_MS);
  afterAll(() => nodes.dispose(), TIMEOUT_MS);

  const both = <T>(work: (server: Server, name: 'a' | 'b') => Promise<T>) =>
    Promise.all([work(a, 'a'), work(b, 'b')]);

  it(
    'has every column and every row of both, and they agree on its schema',
    async () => {
      const sent: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await both(async (server, name) => {
          const field = `${name}${round}`;
          const status = await server.client.upload('shapes', [
            { [field]: round, id: field },
            { [`same${round}`]: name, id: `same-${field}` },
          ]);
          expect(status).toMatchObject({ successful: 2, failed: 0 });
          sent.push(field, `same-${field}`);
        });
      }
      const rows = await a.client.sql<Record<string, unknown>>('SELECT * FROM shapes');
      expect(rows.map(({ id }) => id).sort()).toEqual(sent.sort());
      for (const { id, ...row } of rows) {
        const [, same, name, round] = /^(same-)?([ab])(\d+)$/.exec(String(id)) ?? [];
        const filled = Object.fromEntries(
          Object.entries(row).filter(
            ([column, value]) => column !== '_timestamp' && value !== null,
          ),
        );
        expect(filled).toEqual(
          same === undefined ? { [String(id)]: Number(round) } : { [`same${round}`]: name },
        );
      }
      const [ofA, ofB] = await both(async (server) =>
        (await server.client.call('/api/default/shapes/schema')).json<{ schema: object[] }>(),
      );
      expect(ofA?.schema).toEqual(ofB?.schema);
      // `_timestamp`, `id`, and of each round one of each node's and one of both.
      expect(ofA?.schema).toHaveLength(2 + 3 * ROUNDS);
    },
    TIMEOUT_MS,
  );

  it.each([
    ['values', (value: string) => value],
    ['elements', (value: string) => `[1,${value}]`],
  ])(
    'never rounds an integer among %s because fractions come at the other node',
    async (kind, shape) => {
      const names = Array.from({ length: ROUNDS }, (_, round) => `numbers-${kind}-${round}`);
      for (const name of names) {
        await a.client.upload(name, `[{"x":${shape('1')}}]`);
        const [integers, fractions] = await both((server, node) =>
          server.client.upload(name, `[{"x":${shape(node === 'a' ? BEYOND_FLOAT : '0.5')}}]`),
        );
        const stored = await a.client.call('/api/default/sql', {
          body: `SELECT toString(x) AS text FROM \`${name}\``,
          headers: { accept: 'application/x-ndjson' },
        });
        const texts = stored.bytes
          .toString()
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { text: string }).text)
          .sort();
        const wanted = ['1', ...(integers.successful ? [BEYOND_FLOAT] : []), ...(fractions.successful ? ['0.5'] : [])]; // prettier-ignore
        expect(texts).toEqual(wanted.map(shape).sort());
        // One of the two fits.
        expect(integers.successful + fractions.successful).toBe(1);
      }
    },
    TIMEOUT_MS,
  );
});
