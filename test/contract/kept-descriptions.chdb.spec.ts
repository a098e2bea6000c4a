import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { SourceReader, TableRegistry } from '@app/edge';
import { createLogger } from '@app/platform';
import { Guard, OrganizationQueries, QueryPipeline } from '@app/query';
import type { WarehouseQuery } from '@app/warehouse';
import { sourcesUnderTest } from './sources-under-test.js';

const PLENTY = 1e15;

/** Records the statements that it gets. */
class WritingReader extends SourceReader {
  readonly asked: string[] = [];

  override stream(query: WarehouseQuery): Promise<Readable> {
    this.asked.push(query.sql);
    return super.stream(query);
  }
}

describe('the description of a statement over tables of files', () => {
  const sources = sourcesUnderTest();

  it('is asked for once, and again when the tables are others', async () => {
    const log = createLogger('silent');
    const { workshop, engine, folder } = sources;
    const registry = new TableRegistry(workshop, log);
    const reader = new WritingReader(engine.reader, registry, log);
    const organizations = new OrganizationQueries({
      ...{ running: 1, waiting: 1, waitSeconds: 60, seconds: PLENTY },
      ...{ resultBytes: PLENTY, readRows: PLENTY, readBytes: PLENTY },
    });
    const guard = new Guard(reader, registry);
    const queries = new QueryPipeline(guard, reader, organizations, undefined, registry);
    const answer = async (sql: string): Promise<string> => {
      const { database, release } = registry.hold();
      const organization = { id: 'edge', name: 'edge', share: 'edge', database };
      const { signal } = new AbortController();
      const rows = await queries.run({ sql, organization, format: 'csv', signal });
      return text(rows).finally(release);
    };
    const described = (): number =>
      reader.asked.splice(0).filter((sql) => sql.startsWith('DESCRIBE')).length;

    writeFileSync(join(folder, 't.ndjson'), '{"a":[1,2]}\n');
    const table = { name: 't', uri: 't.ndjson', options: { format: 'ndjson' as const } };
    await registry.open([table]);
    const asJson = '"a"\n"[1,2]"\n';
    expect(await answer('SELECT * FROM t')).toBe(asJson);
    expect(described()).toBe(1);
    expect(await answer('SELECT * FROM t')).toBe(asJson);
    expect(described()).toBe(0);
    writeFileSync(join(folder, 't.ndjson'), '{"a":"text","b":[3]}\n');
    await registry.change({ reload: ['t'] });
    expect(await answer('SELECT * FROM t')).toBe('"a","b"\n"text","[3]"\n');
    expect(described()).toBe(1);
  });
});
