import type { UploadStatus } from '../server/client.js';
import { deltaArchive } from '../server/delta-archive.js';
import { makeParquet } from '../server/make-parquet.js';
import { rounds, roundsMs } from '../rounds.js';
import type { Server } from '../server/start-server.js';
import { nodesUnderTest } from './two-nodes.js';

const ROUNDS = rounds(2, 100);
const TABLE_ROUNDS = rounds(1, 40);
const TIMEOUT_MS = roundsMs(ROUNDS);
/** The next integer that no float has. */
const BEYOND_FLOAT = '9007199254740993';

describe('one stream that changes at two nodes at once', () => {
  const { a, b } = nodesUnderTest();

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

  it.each(['_parquet', '_delta_lake'] as const)(
    'has every column and every row of both, whose tables make it (%s)',
    async (route) => {
      const tables = { a: await table(route, OF_A), b: await table(route, OF_B) };
      for (let round = 0; round < TABLE_ROUNDS; round += 1) {
        const stream = `tables${route}-${round}`;
        // Every other one is there before.
        if (round % 2) await a.client.upload(stream, [{ id: 'first' }]);
        const [ofA, ofB] = await both((server, node) =>
          server.client.uploadTo(`${stream}/${route}`, tables[node]),
        );
        expect([ofA.successful, ofB.successful]).toEqual([1, 1]);
        const rows = await a.client.sql(
          `SELECT id, only_a, only_b, both FROM \`${stream}\` WHERE id != 'first' ORDER BY id`,
        );
        expect(rows).toEqual([
          { id: 'a', only_a: 1, only_b: null, both: 'of a' },
          { id: 'b', only_a: null, only_b: 'one', both: 'of b' },
        ]);
        const [schema, other] = await both(async (server) =>
          (await server.client.call(`/api/default/${stream}/schema`)).json<{ schema: object[] }>(),
        );
        expect(schema.schema).toEqual(other.schema);
      }
    },
    TIMEOUT_MS,
  );

  it.each<[string, string, string, (value: string) => string]>([
    ['values', '_json', '_json', (value) => value],
    ['elements', '_json', '_json', (value) => `[1,${value}]`],
    ['values', '_parquet', '_parquet', (value) => value],
    ['elements', '_parquet', '_parquet', (value) => `[1,${value}]`],
    ['values', '_delta_lake', '_delta_lake', (value) => value],
    ['values', '_parquet', '_json', (value) => value],
    ['values', '_json', '_parquet', (value) => value],
  ])(
    'never rounds an integer among %s because fractions come at the other node (%s, %s)',
    async (kind, integersBy, fractionsBy, shape) => {
      const ofIntegers = await upload(integersBy, shape(BEYOND_FLOAT), 'Int64');
      const ofFractions = await upload(fractionsBy, shape('0.5'), 'Float64');
      const times = [integersBy, fractionsBy].includes('_json') ? ROUNDS : TABLE_ROUNDS;
      const names = Array.from(
        { length: times },
        (_, round) => `numbers-${kind}${integersBy}${fractionsBy}-${round}`,
      );
      for (const name of names) {
        await a.client.upload(name, `[{"x":${shape('1')}}]`);
        const [integers, fractions] = await Promise.all([
          ofIntegers(a, name),
          ofFractions(b, name),
        ]);
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

/** The tables of the two nodes have these columns. */
const OF_A = { id: ["'a'", 'String'], only_a: ['1', 'Int64'], both: ["'of a'", 'String'] } as const;
const OF_B = { both: ["'of b'", 'String'], only_b: ["'one'", 'String'], id: ["'b'", 'String'] } as const; // prettier-ignore

const DELTA_TYPES: Readonly<Record<string, string>> = {
  String: 'string',
  Int64: 'long',
  Float64: 'double',
};

/** A table of one row. @param columns each with an expression of its value, and its type */
function table(
  route: string,
  columns: Readonly<Record<string, readonly [value: string, type: string]>>,
): Buffer | Promise<Buffer> {
  const parts = Object.entries(columns);
  const select = parts.map(([name, [value, type]]) => {
    const cell = `Nullable(${type})`;
    return `CAST(${value}, '${value.startsWith('[') ? `Array(${cell})` : cell}') AS ${name}`;
  });
  const parquet = makeParquet(`SELECT ${select.join(', ')}`);
  if (route === '_parquet') return parquet;
  const types = parts.map(([name, [, type]]) => [name, DELTA_TYPES[type] ?? '']);
  return deltaArchive(parquet, Object.fromEntries(types) as Record<string, string>);
}

/** Sends one row, whose `x` is the value, in the format of the route. */
async function upload(
  route: string,
  value: string,
  type: string,
): Promise<(server: Server, stream: string) => Promise<UploadStatus>> {
  const body = route === '_json' ? `[{"x":${value}}]` : await table(route, { x: [value, type] });
  return (server, stream) => server.client.uploadTo(`${stream}/${route}`, body);
}
