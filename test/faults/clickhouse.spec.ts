import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeadLetter, GroupInserter, DeadLetterRequeue } from '@app/writer';
import { StreamsProjection } from '@app/streams';
import type { Warehouse } from '@app/warehouse';
import { openLocalEngine } from '../server/open-local-engine.js';
import { openClickHouse } from '../../libs/warehouse/clickhouse/open-clickhouse.js';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { Wire } from '../doubles/clickhouse/wire.js';
import { seededRandom } from '../fixtures/seeded-random.js';

const ROWS = 1000;
const LOOK_MS = 5;
const LIMITS = {
  timeoutSeconds: 20,
  memoryBytes: 1e9,
  readRows: 1e9,
  readBytes: 1e12,
  resultRows: 1e8,
  resultBytes: 1e10,
};

describe('ClickHouse that fails (double)', () => {
  let directory: string;
  let engine: ReturnType<typeof openLocalEngine>;
  let file: string;
  let server: ClickHouseDouble;
  let wire: Wire;
  let warehouse: Warehouse;
  let opened: Warehouse[];
  /** Each test has a partition and a table of its own: they share a server, which takes its time to start. */
  let partition = 0;
  let table: { readonly database: string; readonly table: string };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-clickhouse-faults-'));
    engine = openLocalEngine(directory);
    file = join(directory, 'batch.native.zst');
    await engine.run(
      `INSERT INTO FUNCTION file('${file}', Native) SELECT now64(6, 'UTC') AS _timestamp, toInt64(number) AS n FROM numbers(${ROWS})`,
    );
    server = await ClickHouseDouble.start(mkdtempSync(join(directory, 'server-')));
  });
  afterAll(async () => {
    await server.stop();
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    opened = [];
    partition += 1;
    table = { database: `o_faults${partition}`, table: 'events' };
    wire = await Wire.to(server.port);
    warehouse = await open(wire.port);
    await warehouse.createDatabase(table.database);
    await warehouse.createTable(table, [{ name: 'n', type: 'Int64' }], '01S');
  });
  afterEach(async () => {
    for (const each of opened) await each.close();
    await wire.close();
  });

  const urlAt = (port: number): string => server.url.replace(/\d+$/, String(port));

  /** Opens the warehouse as another process would. */
  async function open(...ports: readonly number[]): Promise<Warehouse> {
    const warehouse = await openClickHouse({
      address: { urls: ports.map(urlAt), cluster: undefined },
      directory: mkdtempSync(join(directory, 'sending-')),
      limits: LIMITS,
      localEngine: engine,
      closeEngine: () => Promise.resolve(),
    });
    opened.push(warehouse);
    return warehouse;
  }

  const insert = (by: Warehouse, offset: bigint, epoch?: bigint): Promise<void> =>
    by.insert({
      table,
      streamId: '01S',
      columns: ['_timestamp', 'n'],
      batches: [{ position: { partition, offset }, file }],
      ...(epoch === undefined ? {} : { fence: { partition, epoch } }),
    });
  const counts = (): Promise<string> =>
    warehouse.text({
      sql: 'SELECT count(), uniqExact(_offset), uniqExact(_offset, _row) FROM events',
      database: table.database,
      format: 'text',
    });
  const running = (): Promise<string> =>
    warehouse.text({
      sql: "SELECT count() FROM system.processes WHERE query_id != ''",
      format: 'text',
    });

  /**
   * Stores as the writer does: after a failure it reads back what is there, and sends again what is
   * missing.
   */
  async function store(offset: bigint, failed = 0): Promise<number> {
    for (let failures = failed; ; failures += 1) {
      try {
        if (
          failures === 0 ||
          !(await warehouse.storedOffsets(table, partition, offset)).has(offset)
        )
          await insert(warehouse, offset);
        return failures;
      } catch (error) {
        expect(error).toMatchObject({ name: 'WarehouseError' });
        expect([210, 236, 394]).toContain((error as { code: number }).code);
      }
    }
  }

  describe('writers', () => {
    it('stores nothing of a writer whose partition another process has claimed since', async () => {
      const successor = await open(server.port);
      await warehouse.claim(partition, 1n);
      await insert(warehouse, 1n, 1n);
      await successor.claim(partition, 2n);
      await expect(insert(warehouse, 2n, 1n)).rejects.toMatchObject({ name: 'FencedError' });
      await insert(successor, 3n, 2n);
      expect(await counts()).toBe('2000\t2\t2000\n');
    });

    it('leaves a partition to its new writer when the old one reads back', async () => {
      const successor = await open(server.port);
      await warehouse.claim(partition, 1n);
      await successor.claim(partition, 2n);
      const outrun = { name: 'FencedError' };
      await expect(warehouse.claim(partition, 1n)).rejects.toMatchObject(outrun);
      await expect(warehouse.storedOffsets(table, partition, 0n, 1n)).rejects.toMatchObject(outrun);
      await insert(successor, 1n, 2n);
      expect(await counts()).toBe('1000\t1\t1000\n');
    });

    it('puts a batch back beside the writer of its partition, which goes on under its next epoch', async () => {
      await warehouse.claim(partition, 5n);
      await insert(warehouse, 1n, 5n);
      const deadLetter = new DeadLetter(mkdtempSync(join(directory, 'dead-')));
      const position = { partition, offset: 0n };
      const headers = {
        ...{ ...table, streamId: '01S', columns: '["_timestamp","n"]' },
        ...{ rows: String(ROWS), recordBytes: '1' },
      };
      await deadLetter.keep({ position, key: 'k', headers, payload: { file } }, 'for a test');
      const [batch] = await deadLetter.list();
      if (!batch) throw new Error('it was kept');
      const other = await open(server.port);
      const streams = new StreamsProjection();
      const inserter = new GroupInserter(other, directory, streams, other);
      expect(await new DeadLetterRequeue(deadLetter, inserter, other, streams).one(batch)).toBe(
        'stored',
      );
      await expect(insert(warehouse, 2n, 5n)).rejects.toMatchObject({ name: 'FencedError' });
      await warehouse.claim(partition, 6n);
      await insert(warehouse, 2n, 6n);
      expect([await counts(), deadLetter.size]).toEqual(['3000\t3\t3000\n', 0]);
    });

    it('gives a writer without an epoch one of its own: of two on a server the second goes on', async () => {
      const second = await open(server.port);
      await insert(warehouse, 1n);
      await insert(second, 2n);
      await expect(insert(warehouse, 3n)).rejects.toMatchObject({ name: 'FencedError' });
      await insert(second, 4n);
      expect(await counts()).toBe('3000\t3\t3000\n');
    });

    it('ends an insert of an older epoch that is still being sent', async () => {
      await warehouse.claim(partition, 1n);
      const url = new URL(server.url);
      url.search = new URLSearchParams({
        query: `INSERT INTO ${table.database}.events (n) FORMAT TabSeparated`,
        query_id: `millrace-insert-${partition}-1-1-zombie`,
      }).toString();
      const zombie = request(url, { method: 'POST' });
      const ended = new Promise((resolve) => zombie.once('close', resolve));
      zombie.once('error', () => undefined);
      zombie.write('1\n2\n');
      while ((await running()) !== '2\n') await sleep(LOOK_MS);
      const successor = await open(server.port);
      await successor.claim(partition, 2n);
      await ended;
      expect(await successor.storedOffsets(table, partition, 0n)).toEqual(new Set());
    });

    it('finds out what became of an insert whose answer was lost', async () => {
      await insert(warehouse, 1n);
      wire.loseAnswers(true);
      await expect(insert(warehouse, 2n)).rejects.toMatchObject({ code: 210 });
      wire.loseAnswers(false);
      expect(await warehouse.storedOffsets(table, partition, 0n)).toEqual(new Set([1n, 2n]));
      await insert(warehouse, 3n);
      expect(await counts()).toBe('3000\t3\t3000\n');
    });

    it('doubles nothing when inserts sent to a server that hangs arrive after they were given up', async () => {
      await insert(warehouse, 0n);
      for (let offset = 1n; offset <= 8n; offset += 1n) {
        server.pause();
        const sent = wire.nextRequest();
        const failing = insert(warehouse, offset).catch((error: unknown) => error);
        await sent;
        wire.cut();
        expect(await failing).toMatchObject({ code: 210 });
        server.resume();
        await store(offset, 1);
      }
      expect(await counts()).toBe('9000\t9\t9000\n');
    });

    it('loses and doubles nothing through five SIGKILLs of the server', async () => {
      const random = seededRandom(7);
      const { port } = server;
      const offsets = 60n;
      let failures = 0;
      let stopping = false;
      const killing = (async () => {
        for (let kills = 0; kills < 5; kills += 1) {
          for (
            let requests = Math.floor(random() * 12) + 1;
            requests > 0 && !stopping;
            requests -= 1
          )
            await wire.nextRequest();
          if (stopping) return kills;
          await server.kill();
          server = await ClickHouseDouble.start(server.directory, port);
        }
        return 5;
      })();
      for (let offset = 0n; offset < offsets; offset += 1n) failures += await store(offset);
      stopping = true;
      void warehouse.text({ sql: 'SELECT 1', format: 'text' });
      expect(await killing).toBe(5);
      expect(failures).toBeGreaterThan(0);
      expect(await counts()).toBe(`${offsets * 1000n}\t${offsets}\t${offsets * 1000n}\n`);
    }, 120_000);
  });

  describe('readers', () => {
    it('are told of a failure in the middle of the rows', async () => {
      const stream = await warehouse.stream({
        sql: "SELECT number, throwIf(number = 3000000, 'too far') FROM numbers(10000000)",
        format: 'ndjson',
      });
      const failed: unknown = await text(stream).catch((error: unknown) => error);
      expect(failed).toMatchObject({ name: 'WarehouseError', code: 395 });
      expect((failed as Error).message).toMatch(/^too far/);
    });

    it('never take a cut answer for a whole one', async () => {
      const stream = await warehouse.stream({
        sql: 'SELECT number FROM numbers(100000000)',
        format: 'ndjson',
      });
      await once(stream, 'readable');
      const reading = text(stream).catch((error: unknown) => error);
      await server.kill();
      expect(await reading).toMatchObject({ code: 210 });
      server = await ClickHouseDouble.start(server.directory);
    });

    it('end a query on the server by going away', async () => {
      const going = new AbortController();
      const stream = await warehouse.stream({
        sql: 'SELECT number FROM numbers(900000000)',
        format: 'ndjson',
        signal: going.signal,
      });
      stream.once('error', () => undefined);
      expect(await running()).toBe('2\n');
      going.abort();
      while ((await running()) !== '1\n') await sleep(LOOK_MS);
    });

    it('find the server again when it is back, and say where it was not', async () => {
      const { port } = server;
      await server.kill();
      const failed: unknown = await counts().catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 210, type: 'NETWORK_ERROR' });
      expect((failed as Error).message).toContain(`ClickHouse at 127.0.0.1:${wire.port}`);
      server = await ClickHouseDouble.start(server.directory, port);
      expect(await counts()).toBe('0\t0\t0\n');
    });

    it('go on at another node of the same cluster', async () => {
      const other = await Wire.to(server.port);
      const both = await open(wire.port, other.port);
      const one = () => both.text({ sql: 'SELECT 1', format: 'text' });
      expect(await one()).toBe('1\n');
      await wire.close();
      expect(await one()).toBe('1\n');
      await insert(both, 1n);
      wire = await Wire.to(server.port);
      await other.close();
      await expect(one()).rejects.toMatchObject({ code: 210 });
    });

    it('say nothing of the password when it is wrong', async () => {
      const url = `http://millrace:Wrong-99@127.0.0.1:${server.port}`;
      const failed: unknown = await openClickHouse({
        address: { urls: [url], cluster: undefined },
        directory,
        limits: LIMITS,
        localEngine: engine,
        closeEngine: () => Promise.resolve(),
      }).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 516 });
      expect(String(failed)).not.toContain('Wrong-99');
    });
  });
});
