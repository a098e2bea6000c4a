import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldNameProblem, streamNameProblem } from '@app/streams';
import {
  quoteIdentifier,
  REMOVED_AT_ONCE,
  UNTYPED,
  type LocalEngine,
  type TableName,
  type Warehouse,
} from '@app/warehouse';
import { rounds } from '../rounds.js';
import { describeLines } from './lines-batches.js';
import { describeTypes } from './typed-columns.js';

/** A warehouse to test, and an engine that makes batch files which the warehouse can read. */
export interface WarehouseUnderTest {
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
  /** True for the double, which has the same engine as the suite that runs on the engine itself. */
  readonly isDouble?: boolean;
  /** Absolute path for a batch file of this name. */
  batchFile(name: string): string;
  dispose(): Promise<void>;
}

/**
 * The engine answers these names for every table, though they are not its columns. Table functions
 * do so, too.
 */
const VIRTUAL_COLUMNS = [
  ...['_part', '_part_index', '_part_uuid', '_part_offset', '_part_granule_offset'],
  ...['_part_starting_offset', '_part_data_version', '_partition_id', '_partition_value'],
  ...['_sample_factor', '_disk_name', '_distance', '_block_number', '_block_offset', '_row_exists'],
  ...['_table', '_database', '_shard_num', '_replica_num', '_shard_count', '_delete_tmp', '_idx'],
  ...['_path', '_file', '_size', '_time', '_etag', '_headers', '_tags', '_row_number', '_null'],
  ...['_sign', '_version', '_is_deleted', '_dummy', '_stream_id', '_exact', '_nested', '_int'],
];

/** Takes every fourth name: the suite on the engine itself takes all, and so does the campaign. */
const some = (names: readonly string[]): readonly string[] =>
  names.filter((_, at) => at % rounds(4, 1) === 0);

const TABLE: TableName = { database: 'o_contract', table: 'events' };
const STREAM_ID = '01S';
const COLUMNS = [
  { name: 'n', type: 'Nullable(Int64)' },
  { name: 'who', type: 'Nullable(String)' },
];

export function warehouseContract(name: string, open: () => Promise<WarehouseUnderTest>): void {
  describe(`Warehouse contract: ${name}`, () => {
    let under: WarehouseUnderTest;
    let warehouse: Warehouse;

    beforeAll(async () => {
      under = await open();
      warehouse = under.warehouse;
    });
    afterAll(() => under.dispose());
    beforeEach(async () => {
      await warehouse.createDatabase(TABLE.database);
      await warehouse.dropTable(TABLE);
      await warehouse.createTable(TABLE, COLUMNS, STREAM_ID);
    });

    const batch = async (file: string, rows: number, from = 0): Promise<string> => {
      const path = under.batchFile(file);
      await under.localEngine.run(
        `INSERT INTO FUNCTION file('${path}', Native) SELECT toDateTime64('2026-01-01 00:00:00', 6, 'UTC') AS _timestamp, toNullable(toInt64(number + ${from})) AS n, toNullable(concat('p', toString(number))) AS who FROM numbers(${rows})`,
      );
      return path;
    };
    const columns = ['_timestamp', 'n', 'who'];
    const query = (sql: string): Promise<string> =>
      warehouse.text({ sql, database: TABLE.database, format: 'text' });

    describe('writer', () => {
      it('makes one part of several batches, each row with its position', async () => {
        const first = await batch('a.native.zst', 150_000);
        const second = await batch('b.native.lz4', 10, 7);
        await warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns,
          batches: [
            { position: { partition: 3, offset: 41n }, file: first },
            { position: { partition: 3, offset: 42n }, file: second },
          ],
        });
        expect(
          await query(
            'SELECT count(), uniqExact(_offset), uniqExact(_offset, _row), max(_row), any(_partition) FROM events',
          ),
        ).toBe('150010\t2\t150010\t149999\t3\n');
        expect(await query('SELECT uniqExact(_part) FROM events')).toBe('1\n');
      });

      it('answers which offsets are stored, per partition, from an offset on', async () => {
        const file = await batch('c.native.zst', 3);
        for (const offset of [5n, 6n, 9n]) {
          await warehouse.insert({
            table: TABLE,
            streamId: STREAM_ID,
            columns,
            batches: [{ position: { partition: 0, offset }, file }],
          });
        }
        expect(await warehouse.storedOffsets(TABLE, 0, 6n)).toEqual(new Set([6n, 9n]));
        expect(await warehouse.storedOffsets(TABLE, 1, 0n)).toEqual(new Set());
      });

      it('stores two equal batches twice: the engine folds nothing', async () => {
        const file = await batch('d.native.zst', 3);
        for (const offset of [1n, 2n]) {
          await warehouse.insert({
            table: TABLE,
            streamId: STREAM_ID,
            columns,
            batches: [{ position: { partition: 0, offset }, file }],
          });
        }
        expect(await query('SELECT count() FROM events')).toBe('6\n');
      });

      it('stores fields whatever they are called, also as the values of a position', async () => {
        const names = ['0', '7', 'rowNumberInAllBlocks()', '_path', '_file'];
        const table = { database: TABLE.database, table: 'named' };
        await warehouse.createTable(
          table,
          names.map((name) => ({ name, type: 'Nullable(String)' })),
          STREAM_ID,
        );
        const file = under.batchFile('named.native');
        const values = names.map((name, index) => `toNullable('v${index}') AS \`${name}\``);
        await under.localEngine.run(
          `INSERT INTO FUNCTION file('${file}', Native) SELECT toDateTime64('2026-01-01 00:00:00', 6, 'UTC') AS _timestamp, ${values.join(', ')} FROM numbers(2)`,
        );
        await warehouse.insert({
          table,
          streamId: STREAM_ID,
          columns: ['_timestamp', ...names],
          batches: [{ position: { partition: 0, offset: 7n }, file }],
        });
        expect(
          await query(
            'SELECT `0`, `7`, `rowNumberInAllBlocks()`, `_path`, `_file`, _partition, _offset, _row FROM named ORDER BY _row',
          ),
        ).toBe('v0\tv1\tv2\tv3\tv4\t0\t7\t0\nv0\tv1\tv2\tv3\tv4\t0\t7\t1\n');
        await warehouse.dropTable(table);
      });

      it('stores nothing of an insert that fails half-way', async () => {
        const good = await batch('e.native.zst', 1000);
        const insert = warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns,
          batches: [
            { position: { partition: 0, offset: 1n }, file: good },
            { position: { partition: 0, offset: 2n }, file: under.batchFile('missing.native.zst') },
          ],
        });
        await expect(insert).rejects.toMatchObject({ name: 'WarehouseError' });
        expect(await query('SELECT count() FROM events')).toBe('0\n');
      });
    });

    describeLines(() => under);
    describeTypes(() => under);

    describe('fencing of writers', () => {
      // A server remembers the claims of earlier runs.
      const base = BigInt(Date.now());
      const insertAs = (epoch: bigint, offset: bigint, file: string) =>
        warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns,
          batches: [{ position: { partition: 21, offset }, file }],
          fence: { partition: 21, epoch },
        });

      it('stores nothing of an insert sent by an older epoch', async () => {
        const file = await batch('fenced.native.zst', 7);
        await warehouse.claim(21, base);
        await insertAs(base, 1n, file);
        await warehouse.claim(21, base + 1n);
        await expect(insertAs(base, 2n, file)).rejects.toMatchObject({
          name: 'FencedError',
          partition: 21,
          epoch: base,
        });
        await expect(warehouse.storedOffsets(TABLE, 21, 0n, base)).rejects.toMatchObject({
          name: 'FencedError',
        });
        await insertAs(base + 1n, 3n, file);
        expect(await warehouse.storedOffsets(TABLE, 21, 0n, base + 1n)).toEqual(new Set([1n, 3n]));
        expect(await query('SELECT count() FROM events')).toBe('14\n');
      });

      it('lets nobody claim with an older epoch, and the same one again', async () => {
        await warehouse.claim(22, base);
        await warehouse.claim(22, base);
        await expect(warehouse.claim(22, base - 1n)).rejects.toMatchObject({ name: 'FencedError' });
        await warehouse.claim(23, base - 1n);
      });
    });

    describe('schema', () => {
      it('drops a database with all its tables, however often, and leaves the others', async () => {
        const gone = `${TABLE.database}_gone`;
        await warehouse.createDatabase(gone);
        await warehouse.createRejectedTable(gone);
        await warehouse.createAuditTable(gone);
        await warehouse.createTable({ database: gone, table: 'a' }, [], '01G');
        expect(await warehouse.databases()).toEqual(expect.arrayContaining([TABLE.database, gone]));
        for (let round = 0; round < 2; round += 1) await warehouse.dropDatabase(gone);
        expect(await warehouse.databases()).not.toContain(gone);
        expect((await warehouse.tables()).filter(({ database }) => database === gone)).toEqual([]);
        expect((await warehouse.tables()).some(({ database }) => database === TABLE.database)).toBe(
          true,
        );
      });

      it('shows columns without the hidden ones, and adds and widens idempotently', async () => {
        for (let round = 0; round < 2; round += 1) {
          await warehouse.addColumns(TABLE, [{ name: 'a`b.c', type: 'Nullable(Bool)' }]);
          await warehouse.modifyColumns(TABLE, [{ name: 'n', type: 'Nullable(Float64)' }]);
        }
        expect(await warehouse.columns(TABLE)).toEqual([
          { name: '_timestamp', type: "DateTime64(6, 'UTC')" },
          { name: 'n', type: 'Nullable(Float64)' },
          { name: 'who', type: 'Nullable(String)' },
          { name: 'a`b.c', type: 'Nullable(Bool)' },
        ]);
        const found = (await warehouse.tables()).find(({ table }) => table === 'events');
        expect([found?.columns.length, found?.streamId]).toEqual([4, STREAM_ID]);
      });

      it('widens many columns by few statements, each value as it was', async () => {
        const names = Array.from({ length: 250 }, (_, at) => `wide_${at}`);
        const of = (type: string) => names.map((name) => ({ name, type: `Nullable(${type})` }));
        await warehouse.addColumns(TABLE, [
          ...of('Int64'),
          { name: 'day', type: 'Nullable(Date32)' },
        ]);
        const file = under.batchFile('wide.native');
        await under.localEngine.run(
          `INSERT INTO FUNCTION file('${file}', Native) SELECT now64(6, 'UTC') AS _timestamp, toNullable(toDate32('2026-03-01')) AS day, ${names.map((name, at) => `toNullable(toInt64(${at})) AS ${name}`).join(', ')}`,
        );
        await warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns: ['_timestamp', 'day', ...names],
          batches: [{ position: { partition: 9, offset: 1n }, file }],
        });
        const wall = { name: 'day', type: 'Nullable(DateTime64(6))' };
        const begun = performance.now();
        for (let round = 0; round < 2; round += 1)
          await warehouse.modifyColumns(TABLE, [...of('Float64'), wall]);
        // One by one they took half a second each, and every organization waited.
        expect(performance.now() - begun).toBeLessThan(60_000);
        const types = new Map(
          (await warehouse.columns(TABLE)).map(({ name, type }) => [name, type]),
        );
        expect(names.map((name) => types.get(name))).toEqual(names.map(() => 'Nullable(Float64)'));
        expect(types.get('day')).toBe(wall.type);
        const indexing = performance.now();
        await warehouse.setSkipIndexes(TABLE, names.slice(0, 100));
        const found = (await warehouse.tables()).find(({ table }) => table === 'events');
        expect([...(found?.skipIndexes ?? [])].sort()).toEqual(names.slice(0, 100).sort());
        await warehouse.setSkipIndexes(TABLE, []);
        // By two statements for each index they took minutes.
        expect(performance.now() - indexing).toBeLessThan(60_000);
        expect(
          JSON.parse(
            await query(
              `SELECT toJSONString([${names.join(', ')}]) FROM events WHERE isNotNull(day) AND toString(day) = '2026-03-01 00:00:00.000000'`,
            ),
          ),
        ).toEqual(names.map((_, at) => at));
      });

      it('adds a column whatever stands before or after a dot of others, in any order', async () => {
        const text = (name: string) => ({ name, type: 'Nullable(String)' });
        const names = ['a.b', 'a', 'c.d.e', 'c', 'c.d', '.x.y', '.x', 'z..', 'z.', '..', '.', 'z'];
        for (const name of names) await warehouse.addColumns(TABLE, [text(name)]);
        await warehouse.addColumns(TABLE, ['n.a.b', 'who.x', 'n.a', 'p.q', 'p'].map(text));
        await warehouse.modifyColumns(TABLE, [{ name: 'n', type: 'Nullable(Float64)' }]);
        const all = [...names, 'n.a.b', 'who.x', 'n.a', 'p.q', 'p'];
        const file = under.batchFile('dotted.native');
        await under.localEngine.run(
          `INSERT INTO FUNCTION file('${file}', Native) SELECT now64(6, 'UTC') AS _timestamp, ${all.map((name) => `toNullable('v${name}') AS ${quoteIdentifier(name)}`).join(', ')}`,
        );
        await warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns: ['_timestamp', ...all],
          batches: [{ position: { partition: 8, offset: 1n }, file }],
        });
        const list = all.map(quoteIdentifier).join(', ');
        expect(JSON.parse(await query(`SELECT toJSONString([${list}]) FROM events`))).toEqual(
          all.map((name) => `v${name}`),
        );
        const columnNames = (await warehouse.columns(TABLE)).map(({ name }) => name);
        expect([...columnNames].sort()).toEqual(['_timestamp', 'n', 'who', ...all].sort());
      });

      it('adds a column whose earlier adding was cut off half-way', async () => {
        await warehouse.addColumns(TABLE, [
          { name: 'a.b', type: 'Nullable(String)' },
          { name: 'a\u0001', type: 'Nullable(Int64)' },
        ]);
        await warehouse.addColumns(TABLE, [{ name: 'a', type: 'Nullable(Int64)' }]);
        expect((await warehouse.columns(TABLE)).slice(3)).toEqual([
          { name: 'a.b', type: 'Nullable(String)' },
          { name: 'a', type: 'Nullable(Int64)' },
        ]);
      });

      it('shows what has no type as null, and gives it one in its place', async () => {
        const dotted = ['u.x', 'u', 'x`y', '"'];
        const names = [...dotted, ...VIRTUAL_COLUMNS].filter((each) => !fieldNameProblem(each));
        const untyped = names.map((column) => ({ name: column, type: UNTYPED }));
        await warehouse.addColumns(TABLE, [{ name: 'u.x.y', type: 'Nullable(Int64)' }]);
        const file = await batch('untyped.native', 3);
        const insert = async (offset: bigint) =>
          warehouse.insert({
            table: TABLE,
            streamId: STREAM_ID,
            columns,
            batches: [{ position: { partition: 9, offset }, file }],
          });
        const own = ['_timestamp', 'n', 'who'];
        const list = (all: readonly string[]) => all.map(quoteIdentifier).join(', ');
        for (let round = 0; round < 2; round += 1) await warehouse.addColumns(TABLE, untyped);
        expect((await warehouse.columns(TABLE)).slice(own.length + 1)).toEqual(untyped);
        await insert(1n);
        const some = list(names.slice(0, 4));
        expect(await query(`SELECT DISTINCT ${some} FROM events`)).toBe('\\N\t\\N\t\\N\t\\N\n'); // prettier-ignore
        const all = await query('SELECT * EXCEPT (_timestamp, n, who) FROM events LIMIT 1');
        expect(all).toBe(`${names.map(() => '\\N').join('\t')}\t\\N\n`);
        const types = ['Nullable(Int64)', 'JSON', 'Array(Nullable(Int64))', 'Nullable(String)'];
        const typed = names.map((column, at) => ({
          name: column,
          type: at < 2 ? (types[at] ?? '') : (types[at % types.length] ?? ''),
        }));
        await warehouse.addColumns(TABLE, typed.slice(0, -1));
        await insert(2n);
        expect(await query('SELECT count() FROM events')).toBe('6\n');
        const made = new Map(
          (await warehouse.columns(TABLE)).map((column) => [column.name, column.type]),
        );
        expect(typed.slice(0, -1).map((column) => made.get(column.name))).toEqual(
          typed.slice(0, -1).map(({ type }) => type),
        );
        // A column that may hold values is not dropped.
        await warehouse.dropUntyped(TABLE, names);
        const left = (await warehouse.columns(TABLE)).map((column) => column.name);
        expect([...left].sort()).toEqual([...own, 'u.x.y', ...names.slice(0, -1)].sort());
      });

      it('gives hundreds of fields their types at once, without waiting long', async () => {
        const names = Array.from({ length: 500 }, (_, index) => `wide_${index}`);
        const of = (type: string) => names.map((column) => ({ name: column, type }));
        await warehouse.addColumns(TABLE, of(UNTYPED));
        await warehouse.addColumns(TABLE, of('Nullable(Int64)'));
        const made = (await warehouse.columns(TABLE)).filter((each) =>
          each.name.startsWith('wide_'),
        );
        expect(made).toEqual(of('Nullable(Int64)'));
      }, 30_000);

      it('tells when the engine passes over a column, as it does when one of that name is hidden', async () => {
        await expect(
          warehouse.addColumns(TABLE, [
            { name: 'here', type: 'Nullable(Int64)' },
            { name: '_row', type: 'Nullable(Int64)' },
          ]),
        ).rejects.toMatchObject({
          name: 'ColumnMismatchError',
          message: expect.stringContaining('"_row" Nullable(Int64)') as string,
        });
      });

      it('tells its tables, whose they are, and what is set on them', async () => {
        const other = { database: TABLE.database, table: 'kept-1.x' };
        await warehouse.createTable(other, [], '01OTHER');
        await warehouse.setRetention(other, 30);
        await warehouse.setSkipIndexes(TABLE, ['who', 'n']);
        await warehouse.setTextIndexes(TABLE, ['who']);
        const tables = (await warehouse.tables()).filter(
          ({ database }) => database === TABLE.database,
        );
        expect(tables.find(({ table }) => table === other.table)).toMatchObject({
          streamId: '01OTHER',
          retentionDays: 30,
          skipIndexes: [],
        });
        const { columns, skipIndexes, textIndexes, ...rest } =
          tables.find(({ table }) => table === 'events') ?? {};
        expect(rest).toEqual({ ...TABLE, streamId: STREAM_ID, retentionDays: 0 });
        expect(columns?.map(({ name }) => name)).toEqual(['_timestamp', 'n', 'who']);
        expect([...(skipIndexes ?? [])].sort()).toEqual(['n', 'who']);
        expect(textIndexes).toEqual(['who']);
        await warehouse.setTextIndexes(TABLE, []);
        await warehouse.setSkipIndexes(TABLE, ['n']);
        await warehouse.setRetention(other, 0);
        const after = await warehouse.tables();
        expect(after.find(({ table }) => table === 'events')?.skipIndexes).toEqual(['n']);
        expect(after.find(({ table }) => table === other.table)?.retentionDays).toBe(0);
        await warehouse.dropTable(other);
      });

      it('takes no column’s name for a setting, and indexes columns whatever they are called', async () => {
        const names = ['x TTL _timestamp + toIntervalDay(7)', '-'.repeat(256), 'a`b"c/\\', 'ключ'];
        await warehouse.addColumns(
          TABLE,
          names.map((name) => ({ name, type: 'Nullable(String)' })),
        );
        const file = await batch('indexed.native.zst', 3);
        await warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns,
          batches: [{ position: { partition: 7, offset: 1n }, file }],
        });
        await warehouse.setRetention(TABLE, 0);
        await warehouse.setSkipIndexes(TABLE, names);
        await warehouse.setTextIndexes(TABLE, names);
        const events = async () =>
          (await warehouse.tables()).find(
            ({ database, table }) => database === TABLE.database && table === TABLE.table,
          );
        expect(await events()).toMatchObject({
          retentionDays: 0,
          skipIndexes: names,
          textIndexes: names,
        });
        await warehouse.setSkipIndexes(TABLE, []);
        await warehouse.setTextIndexes(TABLE, []);
        expect(await events()).toMatchObject({ skipIndexes: [], textIndexes: [] });
      });

      it('makes every column that a field may become, whatever the engine calls so itself', async () => {
        const named = VIRTUAL_COLUMNS.filter((column) => fieldNameProblem(column) === undefined);
        expect(named.length).toBeGreaterThan(VIRTUAL_COLUMNS.length - 6);
        const first = { ...TABLE, table: 'named_at_first' };
        const integers = named.map((column) => ({ name: column, type: 'Nullable(Int64)' }));
        await warehouse.createTable(first, integers, STREAM_ID);
        await warehouse.dropTable(first);
        await warehouse.addColumns(TABLE, integers);
        const file = under.batchFile('named.native');
        await under.localEngine.run(
          `INSERT INTO FUNCTION file('${file}', Native) SELECT toDateTime64('2026-01-01 00:00:00', 6, 'UTC') AS _timestamp, ${named.map((column, at) => `toNullable(toInt64(${at})) AS ${column}`).join(', ')}`,
        );
        const insert = (offset: bigint) =>
          warehouse.insert({
            table: TABLE,
            streamId: STREAM_ID,
            columns: ['_timestamp', ...named],
            batches: [{ position: { partition: 7, offset }, file }],
          });
        await insert(1n);
        for (const column of under.isDouble ? some(named) : named)
          await warehouse.modifyColumns(TABLE, [{ name: column, type: 'Nullable(Float64)' }]);
        await warehouse.setSkipIndexes(TABLE, named);
        await insert(2n);
        const row = named.map((_, at) => at).join('\t');
        const select = `SELECT ${named.map((column) => `any(${column})`).join(', ')} FROM events WHERE _offset =`;
        expect(await query(`${select} 1`)).toBe(`${row}\n`);
        expect(await query(`${select} 2`)).toBe(`${row}\n`);
        expect(await warehouse.storedOffsets(TABLE, 7, 0n)).toEqual(new Set([1n, 2n]));
        const statistics = await warehouse.statistics(TABLE.database, ['events']);
        expect(statistics.get('events')?.rows).toBe(2);
      });

      it('makes and drops tables of the longest names, in a database as organizations have it', async () => {
        const database = `o_${'0'.repeat(32)}`;
        await warehouse.createDatabase(database);
        for (const table of ['a'.repeat(127), `${'-'.repeat(59)}aa`, `${'.'.repeat(59)}aa`]) {
          expect(streamNameProblem(table)).toBeUndefined();
          await warehouse.createTable({ database, table }, COLUMNS, STREAM_ID);
          await warehouse.dropStreamTable({ database, table }, STREAM_ID);
          expect(await warehouse.columns({ database, table })).toEqual([]);
        }
      });

      it('drops the table of a stream, and not the one that has its name by now', async () => {
        await warehouse.dropStreamTable(TABLE, 'another');
        expect(await warehouse.columns(TABLE)).toHaveLength(3);
        await warehouse.dropStreamTable(TABLE, STREAM_ID);
        await warehouse.dropStreamTable(TABLE, STREAM_ID);
        expect(await warehouse.columns(TABLE)).toEqual([]);
      });

      it('takes no rows of another stream into a table', async () => {
        const file = await batch('late.native.zst', 10);
        const insert = (streamId: string, offset: bigint) =>
          warehouse
            .insert({
              table: TABLE,
              streamId,
              columns,
              batches: [{ position: { partition: 9, offset }, file }],
            })
            .catch(() => undefined);
        await insert('deleted', 1n);
        expect(await query('SELECT count() FROM events')).toBe('0\n');
        await insert(STREAM_ID, 2n);
        expect(await query('SELECT count() FROM events')).toBe('10\n');
      });

      it('removes rows that are older than the retention, those that come late too', async () => {
        // rows of batch() are of 2026-01-01
        const file = await batch('old.native.zst', 5);
        const insert = (offset: bigint) =>
          warehouse.insert({
            table: TABLE,
            streamId: STREAM_ID,
            columns,
            batches: [{ position: { partition: 8, offset }, file }],
          });
        await insert(1n);
        expect(await query('SELECT count() FROM events')).toBe('5\n');
        await warehouse.setRetention(TABLE, 7);
        const gone = async (): Promise<void> => {
          while ((await query('SELECT count() FROM events')) !== '0\n') await sleep(20);
        };
        await gone();
        await insert(2n);
        await gone();
      });

      it('knows which streams have rejected records, and forgets those of one', async () => {
        await warehouse.createRejectedTable(TABLE.database);
        const table = { database: TABLE.database, table: '_rejected' };
        const rejectedColumns = (await warehouse.columns(table)).map(({ name }) => name);
        expect(rejectedColumns).toEqual(
          expect.arrayContaining(['_timestamp', 'stream', 'line', 'reason', 'record']),
        );
        const path = under.batchFile('rejected.native');
        await under.localEngine.run(
          `INSERT INTO FUNCTION file('${path}', Native) SELECT toDateTime64('2026-01-01 00:00:00', 6, 'UTC') AS _timestamp, 'logs' AS stream, 'why' AS reason FROM numbers(3)`,
        );
        for (const [streamId, offset] of [
          ['01A', 1n],
          ['01B', 2n],
        ] as const)
          await warehouse.insert({
            table,
            streamId,
            columns: ['_timestamp', 'stream', 'reason'],
            batches: [{ position: { partition: 1, offset }, file: path }],
          });
        expect([...(await warehouse.rejectedStreams(TABLE.database))].sort()).toEqual([
          '01A',
          '01B',
        ]);
        await warehouse.dropRejected(TABLE.database, '01A');
        await warehouse.dropRejected(TABLE.database, '01A');
        expect(await warehouse.rejectedStreams(TABLE.database)).toEqual(['01B']);
        expect(await query('SELECT count() FROM _rejected')).toBe('3\n');
        const removal = [
          { partition: 1, offset: 2n, rows: [0, 2] },
          { partition: 1, offset: 7n, rows: [1] },
          { partition: 0, offset: 2n, rows: [1] },
        ];
        await warehouse.removeRejected(TABLE.database, '01A', removal);
        expect(await query('SELECT _row FROM _rejected ORDER BY _row')).toBe('0\n1\n2\n');
        await warehouse.removeRejected(TABLE.database, '01B', removal);
        await warehouse.removeRejected(TABLE.database, '01B', removal);
        await warehouse.removeRejected(TABLE.database, '01B', []);
        expect(await query('SELECT _partition, _offset, _row FROM _rejected')).toBe('1\t2\t1\n');
        const many = Array.from({ length: REMOVED_AT_ONCE }, (_, row) => row);
        const far = 10n ** 12n;
        await warehouse.removeRejected(TABLE.database, '01B', [
          { partition: 1, offset: far, rows: many },
        ]);
        expect(await query('SELECT count() FROM _rejected')).toBe('1\n');
        await warehouse.dropRejected(TABLE.database, '01B');
      });

      it('answers no columns for a table that does not exist', async () => {
        expect(await warehouse.columns({ ...TABLE, table: 'nope' })).toEqual([]);
      });

      it('counts rows, bytes and the time range', async () => {
        const file = await batch('f.native.zst', 5);
        await warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns,
          batches: [{ position: { partition: 0, offset: 1n }, file }],
        });
        const statistics = await warehouse.statistics(TABLE.database, ['events', 'nope']);
        expect([...statistics.keys()]).toEqual(['events']);
        expect(statistics.get('events')).toMatchObject({
          rows: 5,
          timeMin: 1_767_225_600_000_000,
          timeMax: 1_767_225_600_000_000,
        });
      });

      it('tells what each organization keeps, and how much room the disk has', async () => {
        const file = await batch('kept.native.zst', 5000);
        const table = { database: `o_${'5'.repeat(32)}`, table: 'events' };
        await warehouse.createDatabase(table.database);
        await warehouse.createTable(table, COLUMNS, STREAM_ID);
        await warehouse.createAuditTable(table.database);
        expect((await warehouse.keptBytes()).has(table.database)).toBe(false);
        const position = { partition: 0, offset: 1n };
        const batches = [{ position, file }];
        await warehouse.insert({ table, streamId: STREAM_ID, columns, batches });
        const kept = (await warehouse.keptBytes()).get(table.database);
        const statistics = await warehouse.statistics(table.database, ['events']);
        expect(kept).toBeGreaterThan(100);
        expect(kept).toBe(statistics.get('events')?.compressedBytes);
        await warehouse.dropStreamTable(table, STREAM_ID);
        expect((await warehouse.keptBytes()).has(table.database)).toBe(false);
        const { free, size } = await warehouse.disk();
        expect(free).toBeGreaterThan(0);
        expect(size).toBeGreaterThan(free);
      });

      it('tells nothing of a table that is dropped while its statistics are read, and does not fail', async () => {
        const file = await batch('dropped.native.zst', 5);
        const names = Array.from({ length: 20 }, (_, n) => `dropped_${n}`);
        const tables = names.map((table) => ({ ...TABLE, table }));
        for (const table of tables) {
          await warehouse.createTable(table, COLUMNS, STREAM_ID);
          await warehouse.insert({
            table,
            streamId: STREAM_ID,
            columns,
            batches: [{ position: { partition: 0, offset: 1n }, file }],
          });
        }
        const dropping = (async () => {
          for (const table of tables) await warehouse.dropTable(table);
        })();
        const reads: ReadonlyMap<string, { readonly rows: number }>[] = [];
        let left = names.length;
        while (left > 0) {
          const read = await warehouse.statistics(TABLE.database, names);
          reads.push(read);
          left = read.size;
        }
        await dropping;
        for (const read of reads)
          for (const { rows } of read.values()) expect([0, 5]).toContain(rows);
      });
    });

    describe('reader', () => {
      const stream = async (sql: string, format: 'json' | 'ndjson' | 'csv'): Promise<string> =>
        text(await warehouse.stream({ sql, database: TABLE.database, format }));

      it('streams one JSON array whatever the number of blocks', async () => {
        const rows = JSON.parse(
          await stream('SELECT number AS n FROM numbers(200000)', 'json'),
        ) as { n: number }[];
        expect(rows).toHaveLength(200_000);
        expect(rows.at(-1)).toEqual({ n: 199_999 });
        expect(JSON.parse(await stream('SELECT 1 WHERE 0', 'json'))).toEqual([]);
      });

      it('streams NDJSON and CSV with one header', async () => {
        expect(
          (await stream('SELECT number AS n FROM numbers(200000)', 'ndjson')).split('\n'),
        ).toHaveLength(200_001);
        const csv = await stream('SELECT number AS `n\n"x"` FROM numbers(200000)', 'csv');
        expect(csv.startsWith('"n\n""x"""\n0\n1\n')).toBe(true);
        expect(csv.split('\n')).toHaveLength(200_003);
      });

      it('leaves hidden columns out of SELECT * and writes values as the API says', async () => {
        const file = await batch('g.native.zst', 1);
        await warehouse.insert({
          table: TABLE,
          streamId: STREAM_ID,
          columns,
          batches: [{ position: { partition: 0, offset: 1n }, file }],
        });
        expect(
          JSON.parse(
            await stream('SELECT *, 9007199254740993 AS big, nan AS x FROM events', 'json'),
          ),
        ).toEqual([
          {
            _timestamp: '2026-01-01T00:00:00.000000Z',
            n: 0,
            who: 'p0',
            big: 9007199254740992,
            x: null,
          },
        ]);
      });

      it('binds parameters', async () => {
        const sql = 'SELECT {s:String} AS s';
        expect(await warehouse.text({ sql, format: 'text', params: { s: "it's \\ \n" } })).toBe(
          "it's \\ \n\n",
        );
      });

      it('refuses to write, to read files and to reach out', async () => {
        for (const sql of [
          'DROP TABLE events',
          'INSERT INTO events (n) VALUES (1)',
          "SELECT * FROM file('/etc/passwd', LineAsString)",
          "SELECT * FROM url('http://127.0.0.1:1/', LineAsString)",
          'SET max_execution_time = 0',
        ]) {
          await expect(query(sql)).rejects.toMatchObject({ name: 'WarehouseError' });
        }
      });

      it('gives an error the engine’s number and name', async () => {
        await expect(stream('SELECT nope FROM events', 'json')).rejects.toMatchObject({
          code: 47,
          type: 'UNKNOWN_IDENTIFIER',
        });
      });

      it('serves others while a stream is read slowly, and after one was dropped', async () => {
        const dropped = await warehouse.stream({
          sql: 'SELECT number FROM numbers(100000000)',
          format: 'json',
        });
        const [one] = await Promise.all([query('SELECT 1'), query('SELECT 2'), query('SELECT 3')]);
        dropped.destroy();
        expect(one).toBe('1\n');
        for (let n = 0; n < 12; n += 1) expect(await query(`SELECT ${n}`)).toBe(`${n}\n`);
      });
    });
  });
}
