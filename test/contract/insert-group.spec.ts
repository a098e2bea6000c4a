import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GroupInserter } from '@app/writer';
import type { Delivery, QueuedRecord } from '@app/ingest-queue';
import { StreamsProjection } from '@app/streams';
import type { LocalEngine, Warehouse, WarehouseWriter } from '@app/warehouse';
import { openLocalEngine } from '../server/open-local-engine.js';
import { openClickHouse } from '../../libs/warehouse/clickhouse/open-clickhouse.js';
import { groupBatches, type BatchGroup } from '../../libs/writer/group-batches.js';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { Wire } from '../doubles/clickhouse/wire.js';
import { MemoryWriter } from '../doubles/warehouse-writer/memory-writer.js';

const TABLE = { database: 'o_groups', table: 'events' };
const LIMITS = { timeoutSeconds: 20, memoryBytes: 1e9, readRows: 1e9, readBytes: 1e12, resultRows: 1e8, resultBytes: 1e10 }; // prettier-ignore

const nothing = {
  dropRejected: () => Promise.resolve(),
  removeRejected: () => Promise.resolve(),
};

/** Each is a group of its own: two of them have more rows than one insert takes. */
const recordAt = (offset: bigint, bytes: Uint8Array): QueuedRecord => ({
  key: 'k',
  headers: { ...TABLE, streamId: '01S', columns: '["n"]', rows: '300000', recordBytes: '1' },
  payload: { bytes },
  position: { partition: 0, offset },
});

const deliveryOf = (records: readonly QueuedRecord[]): Delivery => ({
  partition: 0,
  epoch: 1n,
  records,
  commit: () => Promise.resolve(),
  release: () => Promise.resolve(),
});

describe('two groups of one stream that are inserted at once', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-groups-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /**
   * Inserts the first group of a table. When this resolves, the writer knows which rows the table
   * had before.
   */
  async function begin(
    writer: WarehouseWriter,
    schema: Pick<Warehouse, 'dropRejected' | 'removeRejected'>,
    bytes: Uint8Array,
  ): Promise<{ inserter: GroupInserter; lower: BatchGroup; upper: BatchGroup }> {
    const records = [0n, 1n, 2n].map((offset) => recordAt(offset, bytes));
    const inserter = new GroupInserter(writer, directory, new StreamsProjection(), schema);
    await inserter.begin(deliveryOf(records));
    const [first, lower, upper, ...more] = groupBatches(records).groups;
    if (!first || !lower || !upper || more.length > 0) throw new Error('want three groups');
    await inserter.insert(first);
    return { inserter, lower, upper };
  }

  describe('into ClickHouse (double)', () => {
    let server: ClickHouseDouble;
    let wire: Wire;
    let engine: ReturnType<typeof openLocalEngine>;
    let warehouse: Warehouse;
    beforeAll(async () => {
      server = await ClickHouseDouble.start(join(directory, 'server'));
      wire = await Wire.to(server.port);
      engine = openLocalEngine(directory);
      warehouse = await openClickHouse({
        address: { urls: [server.url.replace(/\d+$/, String(wire.port))], cluster: undefined },
        directory: join(directory, 'sending'),
        limits: LIMITS,
        localEngine: engine,
        closeEngine: () => engine.close(),
      });
      await warehouse.createDatabase(TABLE.database);
      await warehouse.createTable(TABLE, [{ name: 'n', type: 'Int64' }], '01S');
    });
    afterAll(async () => {
      await warehouse.close();
      await wire.close();
      await server.stop();
    });

    it('are there once when both answers are lost, whichever looks first what became of it', async () => {
      const bytes = await batchOf(engine, join(directory, 'batch.native.zst'));
      const { inserter, lower, upper } = await begin(warehouse, warehouse, bytes);
      wire.loseAnswers(true);
      const lost = await Promise.allSettled([inserter.insert(lower), inserter.insert(upper)]);
      wire.loseAnswers(false);
      expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      for (const group of [upper, lower]) await inserter.insert(group);
      const told = await warehouse.text({
        sql: 'SELECT count(), uniqExact(_offset) FROM events',
        database: TABLE.database,
        format: 'text',
      });
      expect(told).toBe('900\t3\n');
    });
  });

  it('are there once when the one with the greater offset reads back first', async () => {
    const writer = new MemoryWriter();
    const { inserter, lower, upper } = await begin(writer, nothing, new Uint8Array());
    for (const offset of [1n, 2n]) writer.loseAnswerOf(offset);
    for (const group of [lower, upper])
      await expect(inserter.insert(group)).rejects.toMatchObject({ code: 210 });
    for (const group of [upper, lower]) await inserter.insert(group);
    expect(writer.stored).toEqual([0n, 1n, 2n]);
  });

  it('are there once when one fails while the other is being told what was there before', async () => {
    const writer = new MemoryWriter();
    const { inserter, lower, upper } = await begin(writer, nothing, new Uint8Array());
    let arrive = (): void => undefined;
    writer.loseAnswerOf(2n, new Promise((resolve) => (arrive = resolve)));
    writer.refuse(1n);
    const failing = inserter.insert(upper).catch((error: unknown) => error);
    await expect(inserter.insert(lower)).rejects.toMatchObject({ code: 210 });
    const tell = writer.holdReads();
    const again = inserter.insert(lower);
    arrive();
    expect(await failing).toMatchObject({ code: 210 });
    tell();
    await again;
    await inserter.insert(upper);
    expect(writer.stored).toEqual([0n, 2n, 1n]);
  });
});

describe('the known tables of a partition', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-groups-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('is bounded, however many streams are made: the table that was used last is read once', async () => {
    const writer = new MemoryWriter();
    const inserter = new GroupInserter(writer, directory, new StreamsProjection(), nothing);
    let offset = 0n;
    const insertInto = async (table: string): Promise<void> => {
      const record = recordAt(offset, new Uint8Array());
      const records = [{ ...record, headers: { ...record.headers, table, streamId: table } }];
      offset += 1n;
      await inserter.begin(deliveryOf(records));
      for (const group of groupBatches(records).groups) await inserter.insert(group);
    };
    await insertInto('old');
    await insertInto('used');
    for (let n = 0; n < 4096; n += 1) {
      await insertInto(`s${n}`);
      if (n % 1000 === 0) await insertInto('used');
    }
    for (const table of ['used', 'old']) await insertInto(table);
    const readsOf = (table: string): number =>
      writer.readOf.filter((each) => each === table).length;
    expect([readsOf('used'), readsOf('s0'), readsOf('old')]).toEqual([1, 1, 2]);
  });
});

describe('batches of several streams', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-groups-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 9 }));

  it('come in any order, and a stream that comes again is read back', async () => {
    const writer = new MemoryWriter();
    const inserter = new GroupInserter(writer, directory, new StreamsProjection(), nothing);
    const deliver = async (table: string, ...offsets: readonly bigint[]): Promise<void> => {
      const records = offsets.map((offset) => {
        const record = recordAt(offset, new Uint8Array());
        return { ...record, headers: { ...record.headers, table, streamId: table, rows: '1' } };
      });
      await inserter.begin(deliveryOf(records));
      for (const group of groupBatches(records).groups) await inserter.insert(group);
    };
    await deliver('flood', 1n, 2n);
    await deliver('calm', 9n);
    await deliver('flood', 3n, 4n);
    expect(writer.readOf).toEqual(['flood', 'calm']);
    // They were not committed, and come in other groups.
    await deliver('flood', 4n, 5n);
    await deliver('calm', 9n, 10n);
    await deliver('flood', 3n);
    expect(writer.readOf.slice(2)).toEqual(['flood', 'calm', 'flood']);
    expect(writer.stored).toEqual([1n, 2n, 9n, 3n, 4n, 5n, 10n]);
  });
});

async function batchOf(engine: LocalEngine, file: string): Promise<Uint8Array> {
  await engine.run(
    `INSERT INTO FUNCTION file('${file}', Native) SELECT toInt64(number) AS n FROM numbers(300)`,
  );
  return readFileSync(file);
}
