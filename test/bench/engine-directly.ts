import { openEngine } from '../../libs/warehouse/engine/index.js';
import { readSettings } from '../../libs/warehouse/sql/read-settings.js';

/** The engine's own HTTP interface, asked past Millrace. */
export interface EngineAlone {
  readonly headers: Readonly<Record<string, string>>;
  /** The address of the engine, with the database that has the table. */
  url(this: void, query?: string): URL;
  close(this: void): Promise<void>;
}

const LIMITS = {
  timeoutSeconds: 60,
  memoryBytes: 2 ** 31,
  readRows: 1e10,
  readBytes: 1e12,
  resultRows: 1e7,
  resultBytes: 2 ** 32,
};

/** @param directory with the tables of a server in `store`; nobody else may have it */
export async function startEngineAlone(directory: string, table: string): Promise<EngineAlone> {
  const { warehouse, engine } = await openEngine({
    directory,
    limits: LIMITS,
    memoryBytes: 2 ** 32,
    readers: 4,
    closeEngine: () => Promise.resolve(),
    tell: () => undefined,
  });
  const found = (await warehouse.tables()).find((each) => each.table === table);
  if (!found) throw new Error(`there is no table ${table}`);
  const { origin, path } = await engine.ready(10_000);
  const { username, password } = engine.users.admin;
  const settings = { ...readSettings(LIMITS), output_format_json_array_of_rows: 1 };
  const url = (query?: string): URL => {
    const at = new URL(`${origin}${path}`);
    at.searchParams.set('database', found.database);
    at.searchParams.set('default_format', 'JSONEachRow');
    for (const [name, value] of Object.entries(settings)) at.searchParams.set(name, String(value));
    // A GET is read-only by itself, and may not say so again.
    at.searchParams.delete('readonly');
    if (query !== undefined) at.searchParams.set('query', query);
    return at;
  };
  return {
    headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
    url,
    close: () => warehouse.close(),
  };
}
