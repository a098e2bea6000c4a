import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { DeadLetter, GroupInserter, WritePipeline, WriteProgress } from '@app/writer';
import type { IngestQueue } from '@app/ingest-queue';
import { StreamsProjection } from '@app/streams';
import { openWarehouse, type Warehouse } from '@app/warehouse';
import { openEmbeddedIngestQueue } from '../../libs/ingest-queue/embedded/embedded-ingest-queue.js';

const DATABASE = 'o_many';
const STREAMS = Array.from({ length: 10 }, (_, n) => `S${n}`);
const BATCHES = 100;
const limits = { timeoutSeconds: 10, memoryBytes: 1 << 30, readRows: 1e9, readBytes: 1e12, resultRows: 1e6, resultBytes: 1 << 30 }; // prettier-ignore

describe('small batches of many streams', () => {
  let directory: string;
  let warehouse: Warehouse;
  let queue: IngestQueue;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-many-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory: join(directory, 'engine'),
      limits,
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
    await warehouse.createDatabase(DATABASE);
    for (const table of STREAMS)
      await warehouse.createTable(
        { database: DATABASE, table },
        [{ name: 'n', type: 'Nullable(Int64)' }],
        table,
      );
    queue = openEmbeddedIngestQueue({ directory: join(directory, 'queue'), maxBytes: 1e8 });
  });
  afterAll(async () => {
    await queue.close();
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('are one insert for each stream when they have waited', async () => {
    const records = Array.from({ length: BATCHES * STREAMS.length }, (_, n) => {
      const table = STREAMS[n % STREAMS.length] ?? '';
      const headers = {
        ...{ database: DATABASE, table, streamId: table, ending: '.ndjson' },
        ...{ columns: '["_timestamp","n"]', types: '[["Nullable(Int64)"],[0]]' },
        ...{ rows: '1', recordBytes: '10' },
      };
      const bytes = Buffer.from(`{"_timestamp":0,"n":${n}}\n`);
      return { key: table, headers, payload: { bytes } };
    });
    await queue.append(records);
    const deadLetter = new DeadLetter(join(directory, 'dead-letter'));
    const progress = new WriteProgress(queue, deadLetter);
    const inserter = new GroupInserter(warehouse, directory, new StreamsProjection(), warehouse);
    const logger = pino({ level: 'silent' });
    const writer = new WritePipeline(queue, inserter, deadLetter, progress, logger);
    writer.start();
    await progress.allWritten();
    await writer.stop();
    for (const [first, table] of STREAMS.entries()) {
      const sql = `SELECT count(), uniqExact(n), min(n), uniqExact(_part) FROM ${table}`;
      const found = await warehouse.text({ sql, database: DATABASE, format: 'text' });
      expect(found).toBe(`${BATCHES}\t${BATCHES}\t${first}\t1\n`);
    }
  }, 60_000);
});
