import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { edgeInFolder } from '../../server/edge-in-folder.js';
import { ROAPI_FIXTURES } from '../../server/start-edge.js';

interface Action {
  metaData?: { schemaString: string; configuration: Record<string, string> };
}
interface Field {
  name: string;
  metadata: Record<string, unknown>;
}

describe('a Delta table whose columns have other names in its files', () => {
  const own = edgeInFolder('edge-delta-mapping-');

  /** Gives the columns new names, and leaves the files as they are. */
  function renamed(name: string, mode: 'id' | 'name'): void {
    const folder = join(own.folder, name);
    cpSync(join(ROAPI_FIXTURES, 'blogs-delta'), folder, { recursive: true });
    const log = join(folder, '_delta_log/00000000000000000000.json');
    const actions = readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Action); // prettier-ignore
    for (const { metaData } of actions) {
      if (!metaData) continue;
      metaData.configuration = { 'delta.columnMapping.mode': mode };
      const schema = JSON.parse(metaData.schemaString) as { fields: Field[] };
      for (const [at, field] of schema.fields.entries()) {
        field.metadata = {
          'delta.columnMapping.id': at + 1,
          'delta.columnMapping.physicalName': field.name,
        };
        field.name = `shown_${field.name}`;
      }
      metaData.schemaString = JSON.stringify(schema);
    }
    writeFileSync(
      log,
      [{ protocol: { minReaderVersion: 2, minWriterVersion: 5 } }, ...actions.filter((each) => !('protocol' in each))].map((each) => JSON.stringify(each)).join('\n'),
    ); // prettier-ignore
  }

  const register = (tableName: string): Promise<{ status: number; text: string }> =>
    own.edge.post('/api/table', [{ tableName, uri: `${tableName},format=delta` }]);

  it('is read where its log tells the names', async () => {
    renamed('named', 'name');
    expect(await register('named')).toMatchObject({ status: 200 });
    const counted = await own.edge.sql('SELECT count(shown_blog_id) AS n, max(shown_blog_id) > 0 AS has FROM named'); // prettier-ignore
    expect(counted.json()).toEqual([{ n: 263, has: true }]);
  });

  it('is refused where its log tells numbers, for the engine would read nulls', async () => {
    renamed('numbered', 'id');
    const { status, text } = await register('numbered');
    expect([status, text]).toEqual([400, expect.stringContaining('delta.columnMapping.mode is \\"id\\"')]); // prettier-ignore
  });
});
