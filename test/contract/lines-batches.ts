import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { compress } from '@cloudpss/zstd/napi';
import fc from 'fast-check';
import { isOfData, REJECTED_TABLE, WarehouseError, type Column } from '@app/warehouse';
import { columnValues } from '../fixtures/column-values.js';
import { rounds, roundsMs } from '../rounds.js';
import type { WarehouseUnderTest } from './warehouse.contract.js';

const RUNS = rounds(3, 400);
const DATABASE = 'o_contract';
const STREAM_ID = '01L';
const TABLE = { database: DATABASE, table: 'lines' };
const COLUMNS: readonly Column[] = [
  { name: 'n', type: 'Nullable(Int64)' },
  { name: 'who', type: 'Nullable(String)' },
  { name: 'tags', type: 'Array(Nullable(String))' },
  { name: 'nested', type: 'Nullable(JSON)' },
];
const MICROS = 1_767_225_600_123_456;

/** Batches that are lines of JSON. */
export function describeLines(open: () => WarehouseUnderTest): void {
  describe('batches that are lines', () => {
    let under: WarehouseUnderTest;
    beforeAll(() => {
      under = open();
    });
    beforeEach(() => make(COLUMNS));

    async function make(columns: readonly Column[]): Promise<void> {
      await under.warehouse.createDatabase(DATABASE);
      await under.warehouse.dropTable(TABLE);
      await under.warehouse.createTable(TABLE, columns, STREAM_ID);
    }
    /** Several batches are compressed one by one, and stand behind each other. */
    function write(name: string, ...batches: readonly (readonly string[])[]): string {
      const file = under.batchFile(name);
      const texts = batches.map((lines) => Buffer.from(lines.map((line) => `${line}\n`).join('')));
      const isPacked = name.endsWith('.zst');
      writeFileSync(file, Buffer.concat(texts.map((all) => (isPacked ? compress(all, 1) : all))));
      return file;
    }
    const insert = (files: readonly string[], columns = COLUMNS, table = TABLE): Promise<void> =>
      under.warehouse.insert({
        table,
        streamId: STREAM_ID,
        columns: ['_timestamp', ...columns.map(({ name }) => name)],
        types: columns.map(({ type }) => type),
        batches: files.map((file, index) => ({
          position: { partition: 3, offset: BigInt(41 + index) },
          file,
        })),
      });
    const query = (sql: string): Promise<string> =>
      under.warehouse.text({ sql, database: DATABASE, format: 'text' });
    /** Each row's JSON as the engine writes it. */
    const rowsOf = async (sql: string): Promise<string[]> => {
      const rows = await text(
        await under.warehouse.stream({ sql, database: DATABASE, format: 'ndjson' }),
      );
      return rows.trimEnd().split('\n');
    };

    it('are one part, each row with its position in the order of the lines', async () => {
      // These are more rows than the engine reads at once, with times in no order.
      const many = Array.from({ length: 150_000 }, (_, n) =>
        JSON.stringify({ _timestamp: MICROS + ((n * 7919) % 1000), n, who: `p${n}`, tags: [`t${n}`], nested: { n } }),
      ); // prettier-ignore
      await insert([
        write('many.ndjson', many),
        write('packed.ndjson.zst', many.slice(0, 90_000)),
        write('few.ndjson', many.slice(0, 3)),
      ]);
      expect(
        await query(
          'SELECT _offset, count(), max(_row), uniqExact(_row), countIf(n != _row), any(_partition) FROM lines GROUP BY _offset ORDER BY _offset',
        ),
      ).toBe(
        '41\t150000\t149999\t150000\t0\t3\n42\t90000\t89999\t90000\t0\t3\n43\t3\t2\t3\t0\t3\n',
      );
      expect(await query('SELECT uniqExact(_part) FROM lines')).toBe('1\n');
    });

    it.each([
      ['shared.ndjson', (n: number, who: string) => `{"n":${n},"who":"${who}"}`],
      ['shared.ndjson.zst', (n: number, who: string) => `{"n":${n},"who":"${who}"}`],
      ['shared.compact.ndjson.zst', (n: number, who: string) => `[null,${n},"${who}"]`],
    ])('may share %s, and each row has the place and time of its batch', async (name, line) => {
      const sizes = [1, 70_000, 2, 1];
      const lines = sizes.map((rows, batch) =>
        Array.from({ length: rows }, (_, n) => line(n, `b${batch}`)),
      );
      const shared = write(name, ...lines);
      const other = write(name.replace('shared', 'other'), [line(0, 'b4')]);
      const at = (batch: number): number => MICROS + batch * 1_000_000;
      const batches = [...sizes, undefined].map((rows, batch) => ({
        position: { partition: 3, offset: 2n ** 40n + BigInt(batch) },
        file: rows === undefined ? other : shared,
        rows,
        acceptedAt: at(batch),
      }));
      const columns = COLUMNS.slice(0, 2);
      const into = {
        table: TABLE,
        streamId: STREAM_ID,
        columns: ['_timestamp', 'n', 'who'],
        types: columns.map(({ type }) => type),
      };
      await under.warehouse.insert({ ...into, batches });
      expect(
        await query(
          'SELECT who, _offset - 1099511627776 AS o, count(), max(_row), countIf(n != _row), min(toUnixTimestamp64Micro(_timestamp)), max(toUnixTimestamp64Micro(_timestamp)) FROM lines GROUP BY who, o ORDER BY who',
        ),
      ).toBe(
        [...sizes, 1]
          .map((rows, batch) =>
            [`b${batch}`, batch, rows, rows - 1, 0, at(batch), at(batch)].join('\t'),
          )
          .map((row) => `${row}\n`)
          .join(''),
      );
      // Without the check, rows that no batch reports would get the place of others.
      const tooFew = batches.map((batch) => ({ ...batch, rows: batch.rows && 1 }));
      const failure = await under.warehouse
        .insert({ ...into, batches: tooFew })
        .catch((error: unknown) => error);
      expect(failure instanceof WarehouseError && isOfData(failure)).toBe(true);
      expect(await query('SELECT count() FROM lines')).toBe('70005\n');
    });

    it('are read by the types they were accepted for, when columns are wider by now', async () => {
      const changes = [
        ['i', 'Int8', 'Int64', '-128', '-128'],
        ['n', 'UInt8', 'Float64', '255', '255'],
        ['u', 'UInt32', 'UInt64', '4294967295', '4294967295'],
        ['d', 'Decimal(4, 2)', 'Decimal(17, 4)', '12.30', '12.3'],
        ['day', 'Date32', 'DateTime64(6)', '"1900-01-01"', '1900-01-01 00:00:00.000000'],
        ['t', "DateTime64(0, 'UTC')", "DateTime64(6, 'UTC')", '"2299-12-31 23:59:59"', '2299-12-31 23:59:59.000000'],
        ['w', 'DateTime64(3)', 'DateTime64(6)', '"2024-03-31 02:30:00.5"', '2024-03-31 02:30:00.500000'],
      ].map(([name = '', before = '', after = '', value = '', read = '']) => ({ name, before, after, value, read })); // prettier-ignore
      await make(changes.map(({ name, after }) => ({ name, type: `Nullable(${after})` })));
      const record = changes.map(({ name, value }) => `"${name}":${value}`).join(',');
      const row = changes.map(({ value }) => value).join(',');
      const columns = changes.map(({ name, before }) => ({ name, type: `Nullable(${before})` }));
      await insert([write('typed.ndjson', [`{${record}}`, '{}'])], columns);
      await insert([write('typed.compact.ndjson', [`[${MICROS},${row}]`])], columns);
      const found = await query(
        `SELECT DISTINCT ${changes.map(({ name }) => `toString(${name})`).join(', ')} FROM lines WHERE i IS NOT NULL`,
      );
      expect(found).toBe(`${changes.map(({ read }) => read).join('\t')}\n`);
    });

    it('leave out what is null, and what has no column and is nothing', async () => {
      const file = write('sparse.ndjson', [
        `{"_timestamp":${MICROS},"n":1,"who":"a","tags":["x",null],"nested":{"a.b":{"c":1}}}`,
        `{"_timestamp":${MICROS + 1}}`,
        `{"n":null,"who":null,"tags":null,"nested":null,"_timestamp":${MICROS + 2},"N":null,"other":[],"WHO":null}`,
        `{"_timestamp":-1,"tags":[],"nested":{},"who":"é\\u0000😀"}`,
      ]);
      await insert([file]);
      expect(await rowsOf('SELECT * FROM lines ORDER BY _row')).toEqual([
        '{"_timestamp":"2026-01-01T00:00:00.123456Z","n":1,"who":"a","tags":["x",null],"nested":{"a.b":{"c":1}}}',
        '{"_timestamp":"2026-01-01T00:00:00.123457Z","n":null,"who":null,"tags":[],"nested":null}',
        '{"_timestamp":"2026-01-01T00:00:00.123458Z","n":null,"who":null,"tags":[],"nested":null}',
        '{"_timestamp":"1969-12-31T23:59:59.999999Z","n":null,"who":"é\\u0000😀","tags":[],"nested":{}}',
      ]);
    });

    it('go into columns that have widened since, and into those that they do not name not', async () => {
      await make([
        { name: 'n', type: 'Nullable(Float64)' },
        { name: 'who', type: 'Nullable(String)' },
        { name: 'since', type: 'Nullable(Bool)' },
      ]);
      const file = write('wider.ndjson', [
        `{"_timestamp":${MICROS},"n":9007199254740992,"who":"x"}`,
      ]);
      await insert([file], COLUMNS.slice(0, 2));
      expect(await query('SELECT n, toTypeName(n), who, since FROM lines')).toBe(
        '9007199254740992\tNullable(Float64)\tx\t\\N\n',
      );
    });

    it.each([
      ['text for a number', '{"n":"x"}'],
      ['a fraction for an integer', '{"n":1.5}'],
      ['a truth value for a number', '{"n":true}'],
      ['a number for text', '{"who":1}'],
      ['a truth value for text', '{"who":true}'],
      ['an array for text', '{"who":[]}'],
      ['an object for text', '{"who":{}}'],
      ['one value for an array', '{"tags":"x"}'],
      ['an object for an array', '{"tags":{}}'],
      ['a number within an array of text', '{"tags":["x",1]}'],
      ['an array for an object', '{"nested":[]}'],
      ['a nested field that comes twice', '{"nested":{"a":1,"a":2}}'],
      ['a field that comes twice', '{"n":1,"n":2}'],
      ['half a line', '{"n":1'],
    ])('are refused as a whole, and as what never fits, with %s', async (_, wrong) => {
      const line = (record: string): string => record.replace('{', `{"_timestamp":${MICROS},`);
      const good = write('good.ndjson', [line('{"n":1}')]);
      const bad = write('bad.ndjson', [line('{"n":1}'), line(wrong), line('{"n":3}')]);
      const failure = await insert([good, bad]).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WarehouseError);
      expect(failure instanceof WarehouseError && isOfData(failure)).toBe(true);
      expect(await query('SELECT count() FROM lines')).toBe('0\n');
    });

    it('may have fields of any name, also the values of a position', async () => {
      const names = [
        '0',
        '7',
        'rowNumberInAllBlocks()',
        '_path',
        '_file',
        'a.b',
        "it's `it`\\",
        'A',
        'a',
      ];
      const columns = names.map((name) => ({ name, type: 'Nullable(String)' }));
      await make(columns);
      const record = Object.fromEntries(names.map((name, index) => [name, `v${index}`]));
      const line = JSON.stringify({ _timestamp: MICROS, ...record });
      await insert([write('named.ndjson', [line, line])], columns);
      const rows = await rowsOf('SELECT * EXCEPT (_timestamp) FROM lines ORDER BY _row');
      expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual([record, record]);
    });

    it('may be rejected records', async () => {
      await under.warehouse.createRejectedTable(DATABASE);
      await under.warehouse.dropRejected(DATABASE, STREAM_ID);
      const columns = [
        { name: 'stream', type: 'String' },
        { name: 'upload_id', type: 'String' },
        { name: 'line', type: 'UInt64' },
        { name: 'reason', type: 'String' },
        { name: 'record', type: 'String' },
      ];
      const record = '{"a":"\u0001\\ud800"}';
      const file = write('rejected.ndjson', [
        JSON.stringify({ _timestamp: MICROS, stream: 's', upload_id: 'u', line: 7, reason: 'r', record }),
      ]); // prettier-ignore
      const table = { database: DATABASE, table: REJECTED_TABLE };
      await insert([file], columns, table);
      const [row] = await rowsOf(
        `SELECT stream, line, record, _row FROM _rejected WHERE _stream_id = '${STREAM_ID}'`,
      );
      expect(JSON.parse(row ?? '')).toEqual({ stream: 's', line: 7, record, _row: 0 });
      await under.warehouse.dropRejected(DATABASE, STREAM_ID);
    });

    it.each(Object.entries(columnValues))(
      'read back as they were written: %s',
      async (type, value) => {
        const columns = [{ name: 'v', type }];
        await fc.assert(
          fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 200 }), async (values) => {
            await make(columns);
            const lines = values.map((each, n) => `{"_timestamp":${MICROS + n},"v":${each}}`);
            await insert([write('values.ndjson.zst', lines)], columns);
            const rows = await rowsOf('SELECT v FROM lines ORDER BY _row');
            const stored = rows.map((row) => row.slice('{"v":'.length, -1)); // prettier-ignore
            expect(stored.map(exactly)).toEqual(values.map(exactly));
          }),
          { numRuns: RUNS },
        );
      },
      roundsMs(RUNS, 2000),
    );

    it('are the same from a file that is compressed', async () => {
      const lines = [`{"_timestamp":${MICROS},"n":1}`];
      const [plain, packed] = [write('same.ndjson', lines), write('same.ndjson.zst', lines)];
      expect(readFileSync(plain).equals(readFileSync(packed))).toBe(false);
      await insert([plain, packed]);
      expect(await query('SELECT n, _row FROM lines')).toBe('1\t0\n1\t0\n');
    });
  });
}

/** A JSON text's value, big integers too. */
const exactly = (json: string): unknown =>
  JSON.parse(
    json.replaceAll(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (found) =>
      found.startsWith('"') ? found : `"integer ${found}"`,
    ),
  );
