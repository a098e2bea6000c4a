import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compress } from '@cloudpss/zstd/napi';
import { pino } from 'pino';
import type { RecordedEvent } from '@app/event-store';
import {
  DeadLetter,
  GroupInserter,
  DeadLetterRequeue,
  WritePipeline,
  WriteProgress,
} from '@app/writer';
import type { IngestQueue, QueuePosition } from '@app/ingest-queue';
import { StreamsProjection } from '@app/streams';
import { openWarehouse, type LocalEngine, type Warehouse } from '@app/warehouse';
import { openEmbeddedIngestQueue } from '../../libs/ingest-queue/embedded/embedded-ingest-queue.js';
import { until } from '../server/until.js';

const DATABASE = 'o_dead';
const ROWS = 3;
const limits = { timeoutSeconds: 10, memoryBytes: 1 << 30, readRows: 1e9, readBytes: 1e12, resultRows: 1e6, resultBytes: 1 << 30 }; // prettier-ignore

describe('batches that their table does not take', () => {
  let directory: string;
  let engineDirectory: string;
  let warehouse: Warehouse;
  let localEngine: LocalEngine;
  let bytes: Uint8Array;
  let queue: IngestQueue;
  let streams: StreamsProjection;
  let deadLetter: DeadLetter;
  let progress: WriteProgress;
  let writer: WritePipeline | undefined;
  let logged: string[];
  let made = 0;

  beforeAll(async () => {
    engineDirectory = mkdtempSync(join(tmpdir(), 'millrace-dead-engine-'));
    ({ warehouse, localEngine } = await openWarehouse({
      clickHouse: undefined,
      directory: engineDirectory,
      limits,
      readers: 1,
      acceptors: 1,
      files: [engineDirectory],
    }));
    await warehouse.createDatabase(DATABASE);
    const file = join(engineDirectory, 'batch.native.zst');
    await localEngine.run(
      `INSERT INTO FUNCTION file('${file}', Native) SELECT now64(6, 'UTC') AS _timestamp, toNullable(toInt64(number)) AS n FROM numbers(${ROWS})`,
    );
    bytes = readFileSync(file);
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(engineDirectory, { recursive: true, force: true });
  });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-dead-'));
    queue = openEmbeddedIngestQueue({ directory: join(directory, 'queue'), maxBytes: 1e8 });
    streams = new StreamsProjection();
    logged = [];
    deadLetter = new DeadLetter(kept());
    progress = new WriteProgress(queue, deadLetter);
  });
  afterEach(async () => {
    await writer?.stop();
    await queue.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const kept = (): string => join(directory, 'dead-letter');
  const inserter = (): GroupInserter => new GroupInserter(warehouse, directory, streams, warehouse);

  function start(maxWaitMs?: number): WritePipeline {
    const logger = pino({}, { write: (line: string) => void logged.push(line) });
    writer = new WritePipeline(queue, inserter(), deadLetter, progress, logger, maxWaitMs);
    writer.start();
    return writer;
  }

  /** It fails more often than a batch is tried that is itself at fault. */
  const failed = (what: string): Promise<void> =>
    until(() => Promise.resolve(logged.filter((line) => line.includes(what)).length > 3));

  const newStream = (): string => `S${(made += 1)}`;
  /** Appends all payloads in one append, as acceptance does. */
  async function append(stream: string, ...payloads: Uint8Array[]): Promise<QueuePosition[]> {
    const headers = headersOf(stream);
    const records = payloads.map((payload) => ({
      ...{ key: stream, headers },
      payload: { bytes: payload },
    }));
    return [...(await queue.append(records))];
  }
  const headersOf = (stream: string): Record<string, string> => ({
    ...{ database: DATABASE, table: stream, streamId: stream },
    ...{ columns: '["_timestamp","n"]', rows: String(ROWS), recordBytes: '100' },
  });
  /** Batches of lines with these values, the last in a file. */
  async function appendLines(stream: string, ...batches: string[][]): Promise<QueuePosition[]> {
    const types = '[["Nullable(Int64)"],[0]]';
    const records = batches.map((values, index) => {
      const text = values.map((value, row) => `{"_timestamp":${row},"n":${value}}\n`).join('');
      const isLast = index === batches.length - 1;
      const headers = { ...headersOf(stream), types, ending: isLast ? '.ndjson.zst' : '.ndjson' };
      if (!isLast) return { key: stream, headers, payload: { bytes: Buffer.from(text) } };
      const file = join(directory, 'last.ndjson.zst');
      writeFileSync(file, compress(Buffer.from(text), 1));
      return { key: stream, headers, payload: { file } };
    });
    return [...(await queue.append(records))];
  }
  const createTable = (stream: string): Promise<void> =>
    warehouse.createTable(
      { database: DATABASE, table: stream },
      [{ name: 'n', type: 'Nullable(Int64)' }],
      stream,
    );
  const rowsOf = async (stream: string): Promise<string> =>
    warehouse.text({ sql: `SELECT count() FROM ${stream}`, database: DATABASE, format: 'text' });
  const valuesOf = async (stream: string): Promise<string> =>
    warehouse.text({
      sql: `SELECT arrayStringConcat(arraySort(groupArray(toString(n))), ',') FROM ${stream}`,
      database: DATABASE,
      format: 'text',
    });
  const last = (positions: readonly QueuePosition[]): QueuePosition => {
    const position = positions.at(-1);
    if (!position) throw new Error('nothing was appended');
    return position;
  };
  const apply = (stream: string, type: string): void =>
    streams.apply({
      stream: `stream-${stream}`,
      type,
      data: { id: stream, organizationId: 'o', database: DATABASE, name: stream },
    } as unknown as RecordedEvent);

  it('knows no more of a batch that a command has put back meanwhile', async () => {
    const [at, later] = [1n, 2n].map((offset) => ({ partition: 1, offset }));
    if (!at || !later) throw new Error('want two');
    for (const position of [at, later])
      await deadLetter.keep(
        { position, key: 'k', headers: headersOf('S'), payload: { bytes: Buffer.from('ab') } },
        'for a test',
      );
    const [first] = await deadLetter.list();
    if (first) await new DeadLetter(kept()).forget(first);
    expect([deadLetter.holds(at), deadLetter.holds(later)]).toEqual([false, true]);
    expect([...(await deadLetter.bytesByDatabase())]).toEqual([[DATABASE, 2]]);
    expect([deadLetter.size, (await deadLetter.list()).length]).toEqual([1, 1]);
  });

  it('wait for it while it is not there, and are in it when it comes', async () => {
    const stream = newStream();
    const position = last(await append(stream, bytes));
    const working = start();
    await until(() => Promise.resolve(working.tablesWaitedFor === 1));
    expect(() => working.checkWriting()).toThrow(/batches wait for 1 tables/);
    await failed('a write failed');
    await createTable(stream);
    await progress.awaitWritten(position);
    expect([await rowsOf(stream), deadLetter.size]).toEqual([`${ROWS}\n`, 0]);
    expect(working.tablesWaitedFor).toBe(0);
  });

  it('are named when somebody took their file from the queue, and hold up nobody', async () => {
    const [robbed, other] = [newStream(), newStream()];
    for (const stream of [robbed, other]) await createTable(stream);
    const payload = join(directory, 'large.native.zst');
    writeFileSync(payload, bytes);
    const headers = {
      ...{ database: DATABASE, table: robbed, streamId: robbed },
      ...{ columns: '["_timestamp","n"]', rows: String(ROWS), recordBytes: '100' },
    };
    const gone = last([...(await queue.append([{ key: robbed, headers, payload: { file: payload } }]))]); // prettier-ignore
    const payloads = join(directory, 'queue', 'payloads');
    for (const file of readdirSync(payloads)) rmSync(join(payloads, file));
    const positions = await append(robbed, bytes);
    const others = last(await append(other, bytes));
    start();
    const told = { kind: 'INTERNAL', message: expect.stringContaining('are lost') as string };
    await expect(progress.awaitWritten(gone)).rejects.toMatchObject(told);
    await expect(progress.awaitWritten(last(positions), gone)).rejects.toMatchObject(told);
    await progress.awaitWritten(last(positions));
    await progress.awaitWritten(others);
    expect([await rowsOf(robbed), await rowsOf(other)]).toEqual([`${ROWS}\n`, `${ROWS}\n`]);
    expect(logged.some((line) => line.includes("gone from the queue's folder"))).toBe(true);
    // It is listed, and can never be put back.
    const [batch, ...more] = await new DeadLetter(kept()).list();
    expect([batch?.position, batch?.lost, more]).toEqual([gone, true, []]);
    if (batch)
      await expect(
        new DeadLetterRequeue(deadLetter, inserter(), warehouse, streams).one(batch),
      ).rejects.toThrow('are lost');
  });

  it('are kept when it does not come in time, and waiting callers are told', async () => {
    const [lost, there] = [newStream(), newStream()];
    await createTable(there);
    const positions = await append(lost, bytes, bytes);
    const others = last(await append(there, bytes));
    const working = start(300);
    await expect(progress.awaitWritten(last(positions))).rejects.toMatchObject({
      kind: 'SET_ASIDE',
      status: 500,
    });
    await progress.awaitWritten(others);
    expect(working.tablesWaitedFor).toBe(0);
    expect(await deadLetter.list()).toMatchObject(
      positions.map((position) => ({ position, reason: expect.stringContaining(lost) as string })),
    );
    // The writer does not wait as long again for a later batch.
    await expect(progress.awaitWritten(last(await append(lost, bytes)))).rejects.toMatchObject({
      kind: 'SET_ASIDE',
    });
    expect(await rowsOf(there)).toBe(`${ROWS}\n`);
  });

  it('are gone without a trace when their stream is deleted meanwhile', async () => {
    const stream = newStream();
    apply(stream, 'StreamCreated');
    const position = last(await append(stream, bytes));
    const working = start();
    await until(() => Promise.resolve(working.tablesWaitedFor === 1));
    apply(stream, 'StreamDeleted');
    await progress.awaitWritten(position);
    expect([deadLetter.size, working.tablesWaitedFor]).toEqual([0, 0]);
  });

  it('are kept at once when they cannot be read, alone, and an upload of which they are a part is told', async () => {
    const stream = newStream();
    await createTable(stream);
    const positions = await append(stream, bytes, Buffer.from('no batch'), bytes);
    start();
    await expect(progress.awaitWritten(last(positions), positions[0])).rejects.toMatchObject({
      kind: 'SET_ASIDE',
    });
    expect((await deadLetter.list()).map(({ position }) => position)).toEqual([positions[1]]);
    expect(await rowsOf(stream)).toBe(`${2 * ROWS}\n`);
  });

  it('are kept alone when they are lines of which one does not fit, and their neighbours are written', async () => {
    const stream = newStream();
    await createTable(stream);
    const positions = await appendLines(stream, ['1'], ['2', '2.5', '3'], ['4'], ['5', '6']);
    start();
    await expect(progress.awaitWritten(last(positions), positions[0])).rejects.toMatchObject({
      kind: 'SET_ASIDE',
    });
    const [batch, ...more] = await new DeadLetter(kept()).list();
    expect([batch?.position, more]).toEqual([positions[1], []]);
    expect(await valuesOf(stream)).toBe('1,4,5,6\n');
    // The bytes are kept as they came, in a file that somebody can mend. When it is put back, it is
    // read as lines.
    const name = readdirSync(kept()).find((file) => file.endsWith('.ndjson')) ?? '';
    const payload = join(kept(), name);
    const text = readFileSync(payload, 'utf8');
    expect(text).toBe('{"_timestamp":0,"n":2}\n{"_timestamp":1,"n":2.5}\n{"_timestamp":2,"n":3}\n');
    const requeue = new DeadLetterRequeue(deadLetter, inserter(), warehouse, streams);
    if (!batch) throw new Error('nothing was kept');
    await expect(requeue.one(batch)).rejects.toMatchObject({ code: 27 });
    expect((await deadLetter.bytesByDatabase()).get(DATABASE)).toBe(text.length);
    writeFileSync(payload, text.replace('2.5', 'null'));
    expect(await requeue.one(batch)).toBe('stored');
    expect(await valuesOf(stream)).toBe('1,2,3,4,5,6\n');
    expect([deadLetter.size, readdirSync(kept())]).toEqual([0, []]);
  });

  it('stay on the queue as long as they cannot be kept', async () => {
    writeFileSync(kept(), 'a file where the folder should be');
    const stream = newStream();
    await createTable(stream);
    const position = last(await append(stream, Buffer.from('no batch')));
    start();
    const told = progress.awaitWritten(position).catch((error: unknown) => error);
    await failed('cannot be kept in the dead letter');
    expect(queue.depth().records).toBe(1);
    rmSync(kept());
    expect(await told).toMatchObject({ kind: 'SET_ASIDE' });
    expect([deadLetter.size, queue.depth().records]).toEqual([1, 0]);
  });

  describe('put back', () => {
    const requeue = (from: DeadLetter): DeadLetterRequeue =>
      new DeadLetterRequeue(from, inserter(), warehouse, streams);

    it('are read as lines when they were, from inline bytes and from a file', async () => {
      const stream = newStream();
      const positions = await appendLines(stream, ['1', 'null', '3'], ['4']);
      start(1);
      await progress.awaitWritten(last(positions)).catch(() => undefined);
      expect(deadLetter.size).toBe(2);
      await createTable(stream);
      const found = new DeadLetter(kept());
      for (const batch of await found.list())
        expect(await requeue(found).one(batch)).toBe('stored');
      expect([await valuesOf(stream), readdirSync(kept())]).toEqual(['1,3,4\n', []]);
    });

    it('are in their table once, also when it is broken off and done again', async () => {
      const stream = newStream();
      const positions = await append(stream, bytes, bytes);
      start(1);
      await progress.awaitWritten(last(positions)).catch(() => undefined);
      const before = join(directory, 'before');
      cpSync(kept(), before, { recursive: true });
      const [first] = await deadLetter.list();
      if (!first) throw new Error('nothing was kept');
      await expect(requeue(deadLetter).one(first)).rejects.toMatchObject({ code: 60 });
      expect(deadLetter.size).toBe(2);
      await createTable(stream);
      for (const folder of [kept(), before, before]) {
        const found = new DeadLetter(folder);
        for (const batch of await found.list())
          expect(await requeue(found).one(batch)).toBe('stored');
        expect(new DeadLetter(folder).size).toBe(0);
      }
      expect(await rowsOf(stream)).toBe(`${2 * ROWS}\n`);
    });

    it('stay where they are when the table is another stream’s, and go with their own', async () => {
      const stream = newStream();
      await append(stream, bytes);
      start(1);
      await until(() => Promise.resolve(deadLetter.size === 1));
      await warehouse.createTable({ database: DATABASE, table: stream }, [], 'another');
      const [batch] = await deadLetter.list();
      if (!batch) throw new Error('nothing was kept');
      await expect(requeue(deadLetter).one(batch)).rejects.toThrow();
      expect(deadLetter.size).toBe(1);
      apply(stream, 'StreamCreated');
      apply(stream, 'StreamDeleted');
      expect(await requeue(deadLetter).one(batch)).toBe('gone');
      expect([deadLetter.size, await rowsOf(stream)]).toEqual([0, '0\n']);
    });
  });
});
