import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RequestOrganization } from '@app/platform';
import {
  Catalog,
  Guard,
  OrganizationQueries,
  QueryPipeline,
  type TableDescription,
} from '@app/query';
import { openWarehouse, type LocalEngine, type QueryLimits, type Warehouse } from '@app/warehouse';

export const OWN: RequestOrganization = {
  id: 'A',
  name: 'a',
  database: `o_${'a'.repeat(32)}`,
  share: 'A',
};
/** Database of an organization that nobody here may read. */
export const OTHER = `o_${'b'.repeat(32)}`;
/** This text is in the other organization's tables and in files beside the data. */
export const CANARY = 'CANARY-9d1c';
const COLUMNS = [
  { name: 'id', type: 'Nullable(Int64)' },
  { name: 'name', type: 'Nullable(String)' },
  { name: 'v', type: 'Nullable(Float64)' },
  { name: 'tags', type: 'Array(Nullable(String))' },
  { name: 'doc', type: 'JSON' },
];
/** Its further columns have the names of functions that need no brackets. */
export const PEOPLE = 'people';
const NAMED_AS_FUNCTIONS = ['user', 'schema', 'database', 'current_user', 'session_user'];
/** Streams of OWN; each has three rows, with id 0, 1, 2. */
export const STREAMS = ['t', 'u', 'web-1.access', 'system.tables', PEOPLE];

const columnsOf = (table: string): readonly { name: string; type: string }[] =>
  table === PEOPLE
    ? [...COLUMNS, ...NAMED_AS_FUNCTIONS.map((name) => ({ name, type: 'Nullable(String)' }))]
    : COLUMNS;

class FixedCatalog extends Catalog {
  tables(): readonly TableDescription[] {
    return STREAMS.map((name) => ({ name, columns: columnsOf(name) }));
  }
  table(_organization: RequestOrganization, name: string): TableDescription | undefined {
    return this.tables().find((table) => table.name === name);
  }
}

export interface GuardedEngine {
  /** Holds `canary.txt`, `canary.csv` and the empty folder `out` beside the engine's own. */
  readonly directory: string;
  readonly warehouse: Warehouse;
  readonly guard: Guard;
  readonly queries: QueryPipeline;
  /** The answer to a statement of OWN, as JSON text. */
  run(sql: string, values?: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

interface Opened {
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
  close(): Promise<void>;
}

/** The embedded engine. */
async function openEmbedded(directory: string, limits: QueryLimits): Promise<Opened> {
  const opened = await openWarehouse({
    clickHouse: undefined,
    directory: join(directory, 'engine'),
    limits,
    readers: 4,
    acceptors: 1,
    files: [directory],
  });
  return { ...opened, close: () => opened.warehouse.close() };
}

/**
 * A real engine with OWN's streams, another organization beside, and the guard before it.
 * @param open keeps what it has below `engine` in the directory.
 */
export async function openGuardedEngine(
  open: (directory: string, limits: QueryLimits) => Promise<Opened> = openEmbedded,
): Promise<GuardedEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-guard-'));
  const limits = {
    timeoutSeconds: 3,
    memoryBytes: 1 << 29,
    readRows: 1e10,
    readBytes: 1e12,
    resultRows: 100_000,
    resultBytes: 1 << 28,
  };
  const { warehouse, localEngine, close } = await open(directory, limits);
  writeFileSync(join(directory, 'canary.txt'), CANARY);
  writeFileSync(join(directory, 'canary.csv'), `token\n${CANARY}\n`);
  mkdirSync(join(directory, 'out'));
  const fill = async (database: string, table: string, name: string): Promise<void> => {
    await warehouse.createDatabase(database);
    const known = columnsOf(table);
    await warehouse.createTable({ database, table }, known, '01S');
    const more = known.slice(COLUMNS.length).map((column) => `, 'own' AS ${column.name}`);
    const file = join(directory, 'batch.native');
    await localEngine.run(
      `INSERT INTO FUNCTION file('${file}', Native) SELECT toDateTime64('2026-01-01 00:00:00', 6, 'UTC') AS _timestamp, number AS id, '${name}' AS name, number / 2 AS v, ['x', toString(number)] AS tags, '{"a":{"b":1}}'::JSON AS doc${more.join('')} FROM numbers(3)`,
    );
    const columns = ['_timestamp', ...known.map((column) => column.name)];
    await warehouse.insert({
      table: { database, table },
      streamId: '01S',
      columns,
      batches: [{ position: { partition: 0, offset: 1n }, file }],
    });
  };
  for (const table of STREAMS) await fill(OWN.database, table, 'own');
  for (const table of ['secret', 't']) await fill(OTHER, table, CANARY);
  // Only its admins find it in the catalog.
  await warehouse.createAuditTable(OWN.database);
  const guard = new Guard(warehouse, new FixedCatalog());
  const organizations = new OrganizationQueries({
    running: 4,
    waiting: 100,
    waitSeconds: 10,
    seconds: 1e9,
    resultBytes: 1e15,
    readRows: 1e15,
    readBytes: 1e18,
  });
  const queries = new QueryPipeline(guard, warehouse, organizations);
  return {
    directory,
    warehouse,
    guard,
    queries,
    run: async (sql, values = {}) => {
      const signal = AbortSignal.timeout(10_000);
      return text(await queries.run({ sql, values, organization: OWN, format: 'json', signal }));
    },
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
