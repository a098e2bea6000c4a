import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../../server/start-edge.js';

const fixture = (name: string): string => join(ROAPI_FIXTURES, name);

const FORMATS: Readonly<Record<string, string>> = { 'c=c.csv': 'csv', 'row=row.csv': 'csv' };

describe('tables whose files are lost', () => {
  let folder: string;
  let server: Server;
  let edge: Edge;
  const path = (name: string): string => join(folder, name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-lost-'));
    mkdirSync(path('folder'));
    for (const name of ['a.parquet', 'cut.parquet', 'folder/b.parquet', 'kept.parquet'])
      copyFileSync(fixture('blogs.parquet'), path(name));
    copyFileSync(fixture('uk_cities_with_headers.csv'), path('c.csv'));
    copyFileSync(fixture('sqlite/sample.db'), path('s.db'));
    cpSync(fixture('blogs-delta'), path('delta'), { recursive: true });
    writeFileSync(path('row.csv'), 'a,b\n1,x\n');
    server = createServer((_request, response) => response.end('a,b\n1,x\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const tables = [
      ...['a=a.parquet', 'c=c.csv', 'row=row.csv', 'cut=cut.parquet', 'folder=folder'].map(
        (table) => `${table},format=${FORMATS[table] ?? 'parquet'},materialize=false`,
      ),
      ...['kept.parquet', 'delta=delta,format=delta', 's=s.db,table=uk_cities'],
      `http=http://127.0.0.1:${port}/x.csv`,
    ];
    edge = await startEdge(
      tables.flatMap((table) => ['-t', table]),
      { directory: folder },
    );
    for (const name of ['a.parquet', 'c.csv', 's.db', 'delta', 'folder/b.parquet'])
      rmSync(path(name), { recursive: true });
    writeFileSync(path('row.csv'), 'a,b\n1,x\nno number,y\n');
    writeFileSync(path('cut.parquet'), 'PAR1');
    server.closeAllConnections();
    server.close();
  });
  afterAll(async () => {
    await edge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['a', 'not there any more'],
    ['c', 'not there any more'],
    ['s', 'not there any more'],
    ['folder', 'not there any more'],
    ['delta', 'not there'],
    ['http', 'does not answer'],
    ['row', 'at row 2'],
    ['cut', 'not what it was'],
  ])('answer what is wrong, with the name and without the place: %s', async (table, reason) => {
    const { status, text } = await edge.sql(`SELECT * FROM ${table}`);
    expect(`${status} ${text}`).toContain(`503 {"code":503,"message":"table \\"${table}\\" `);
    expect(text).toContain(reason);
    expect(text).not.toMatch(/edge-lost|127\.0\.0\.1/);
    expect((await edge.get(`/api/tables/${table}`)).status).toBe(503);
    expect((await edge.sql('SELECT count() AS n FROM kept')).json()).toEqual([{ n: 500 }]);
  });

  it('are told from the others of a statement', async () => {
    const { status, text } = await edge.sql('SELECT 1 FROM kept, c');
    expect(`${status} ${text}`).toMatch(/^503 .*table \\"c\\" cannot/);
  });

  it('are not made anew by who reads them', () => {
    expect(existsSync(path('s.db'))).toBe(false);
  });

  it('are named with their place in the log', () => {
    expect(edge.output()).toContain(path('c.csv'));
  });

  it('are not what a statement is answered that fails on their rows', async () => {
    const { status, text } = await edge.sql(
      "SELECT blog_id FROM kept WHERE toUInt8(concat('x', toString(assumeNotNull(blog_id)))) + 1 = 1",
    );
    expect(`${status} ${text}`).toMatch(/^400 .*Cannot parse string/);
    expect(text).not.toContain('edge-lost');
  });
});
