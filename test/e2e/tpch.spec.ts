import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences, TPCH, TPCH_FOLDER, TPCH_TABLES } from '../fixtures/tpch/tpch.js';
import { deltaArchive } from '../server/delta-archive.js';
import { startEdge, type Edge } from '../server/start-edge.js';
import { borrowServer, ROOT, type BorrowedServer } from '../server/borrow-server.js';

interface Field {
  readonly name: string;
  readonly data_type: string | Readonly<Record<string, readonly unknown[]>>;
}

const DELTA_TYPES: Readonly<Record<string, string>> = {
  Int64: 'long',
  Int32: 'integer',
  Utf8: 'string',
  Date32: 'date',
};

function deltaType({ data_type: type }: Field): string {
  if (typeof type === 'string') return DELTA_TYPES[type] ?? 'string';
  return `decimal(${String(type.Decimal128)})`;
}

/** The benchmark's 22 statements, as analysts write them, over its tables however they came. */
describe('TPC-H', () => {
  /** An account that adds somebody to a new organization founds that organization. */
  const analyst = { email: 'analyst@tpch.example.com', password: 'a-Long-password-1' };
  let server: BorrowedServer;
  let edge: Edge;
  const parquet = (table: string): Buffer => readFileSync(join(TPCH_FOLDER, `${table}.parquet`));
  const typed = new Map<string, string>();

  beforeAll(async () => {
    const tables = TPCH_TABLES.flatMap((table) => [
      '--table',
      `${table}=${join(TPCH_FOLDER, `${table}.parquet`)}`,
    ]);
    [server, edge] = await Promise.all([borrowServer(), startEdge(tables)]);
    const post = async (path: string, body: object, credentials = ROOT): Promise<void> => {
      const { status, bytes } = await server.client.call(path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        credentials,
      });
      expect([status, bytes.toString()]).toEqual([200, expect.any(String)]);
    };
    const role = { first_name: 'A', last_name: 'N', role: 'admin' };
    const second = { email: 'second@tpch.example.com', password: analyst.password };
    await post('/api/default/users', { ...analyst, ...role });
    await post('/api/default/users', { ...second, ...role });
    for (const organization of ['parquet', 'csv', 'delta'])
      await post(`/api/${organization}/users/${second.email}`, { role: 'viewer' }, analyst);
    const schemas = (await edge.get('/api/schema')).json<
      Record<string, { readonly fields: readonly Field[] }>
    >();
    for (const table of TPCH_TABLES) {
      const csv = await edge.post('/api/sql', `SELECT * FROM ${table}`, { accept: 'text/csv' });
      const fields = schemas[table]?.fields ?? [];
      const types = Object.fromEntries(fields.map((field) => [field.name, deltaType(field)]));
      for (const [route, body] of [
        [`parquet/${table}/_parquet`, parquet(table)],
        [`csv/${table}/_csv`, csv.text],
        [`delta/${table}/_delta_lake`, await deltaArchive(parquet(table), types)],
      ] as const) {
        const { status, bytes } = await server.client.call(`/api/${route}?wait=true`, {
          body,
          credentials: analyst,
        });
        expect([status, bytes.toString()]).toEqual([200, expect.stringContaining('"failed":0')]);
      }
    }
    for (const organization of ['parquet', 'csv', 'delta']) {
      const { bytes } = await server.client.call(`/api/${organization}/sql`, {
        body: 'DESCRIBE lineitem',
        credentials: analyst,
      });
      typed.set(organization, bytes.toString());
    }
  });
  afterAll(() => Promise.all([server.giveBack(), edge.stop()]));

  it.each(TPCH)('answers $name on the edge', async (statement) => {
    const { status, text } = await edge.sql(statement.sql);
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(differences(statement, text)).toEqual([]);
  });

  /** CSV says nothing of decimals: their fractions are floats there. */
  describe.each([
    ['parquet', {}],
    ['delta', {}],
    ['csv', { isApproximate: true }],
  ])('uploaded as %s', (organization, how) => {
    it('has the days that were sent', () => {
      expect(typed.get(organization)).toMatch(/"l_shipdate","data_type":"Date32"/);
    });

    it.each(TPCH)('answers $name', async (statement) => {
      const { status, bytes } = await server.client.call(`/api/${organization}/sql`, {
        body: statement.sql,
        credentials: analyst,
      });
      expect([status, bytes.toString()]).toEqual([200, expect.any(String)]);
      expect(differences(statement, bytes.toString(), how)).toEqual([]);
    });
  });
});
