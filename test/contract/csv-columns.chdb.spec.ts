import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openWarehouse, type Column, type LocalEngine, type Warehouse } from '@app/warehouse';
import type { SchemaKeeper } from '../../libs/ingest/accept/accept-records.js';
import { JUDGE, READING, rowsOf } from './batch-rows.js';
import { acceptRecords } from '../../libs/ingest/accept/accept-records.js';
import { CsvAcceptance } from '../../libs/ingest/accept/accept-csv.js';
import type { AcceptedChunk, ColumnarFile } from '../../libs/ingest/accept/chunk.js';
import type { Conversion } from '../../libs/ingest/accept/convert-records.js';
import { csvToColumns, firstTime } from '../../libs/ingest/accept/csv-columns.js';
import { csvToRecords } from '../../libs/ingest/accept/csv-records.js';
import { LIMITS } from './limits.js';

const COLUMNS: readonly Column[] = [
  ['i', 'Nullable(Int64)'],
  ['u', 'Nullable(UInt64)'],
  ['f', 'Nullable(Float64)'],
  ['b', 'Nullable(Bool)'],
  ['s', 'Nullable(String)'],
  ['absent', 'Array(Nullable(Int64))'],
  ['object', 'JSON'],
].map(([name = '', type = '']) => ({ name, type }));
const SCHEMA = {
  id: 's',
  name: 'n',
  database: 'd',
  columns: COLUMNS,
  exact: ['u'],
  verbatim: [],
  untyped: [],
  version: 1,
  settings: { dataRetention: 0 },
};
const HEADER = ['_timestamp', 's', 'i', 'u', 'f', 'b'];
const SHAPE = { delimiter: ',', columns: HEADER };
const OPTIONS = { uploadId: 'u', stream: 'n', acceptedAt: 1_767_225_600_000_000 };

/** A stream that stays as it is. */
const keeper: SchemaKeeper = {
  current: () => SCHEMA,
  evolve: () => Promise.resolve({ schema: SCHEMA, refusedFields: new Map<string, string>() }),
};

const quoted = (text: string): string => `"${text.replaceAll('"', '""').replaceAll('\n', '\xff')}"`;
const digits = fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: 21 });
const odd = fc.constantFrom(
  ...['', '""', '-0', '+1', '007', '1.', '.5', '1.0', '1e3', '1E400', '1e-5', '-', 'nan', 'inf'],
  ...['9007199254740993', '9223372036854775808', '18446744073709551615', '0x10', '1_000', ' 1'],
  ...['true', 'TRUE', '1', 'yes', 'null', '\\N', '[]', '{}', '"a,b"', '"two\xfflines"', '"5"'],
  ...['2026-01-01', '2026-01-01T00:00:00Z', '1790000000', '99999999999999999', '-5'],
);
const fields: Readonly<Record<string, fc.Arbitrary<string>>> = {
  _timestamp: fc.integer({ min: 0, max: 4_000_000_000 }).map(String),
  s: fc.string({ unit: 'grapheme' }).map(quoted),
  i: fc.integer().map(String),
  u: fc.nat().map(String),
  f: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.tuple(digits, digits).map(([whole, rest]) => `${whole.join('')}.${rest.join('')}`),
  ),
  b: fc.constantFrom('true', 'false', 'True', ''),
};
const record = (oddness: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...HEADER.map((name) =>
        fc.oneof(
          { arbitrary: fields[name] ?? fc.constant(''), weight: 40 },
          { arbitrary: odd, weight: oddness },
        ),
      ),
    )
    .map((values) => values.join(','));

describe('CSV in one pass, with the real engine', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-csv-'));
  let engine: LocalEngine;
  let warehouse: Warehouse;
  let files = 0;

  beforeAll(async () => {
    ({ localEngine: engine, warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: LIMITS,
      readers: 1,
      acceptors: 2,
    }));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const chunkOf = (lines: readonly string[]) => {
    files += 1;
    const file = join(directory, `${files}.csv`);
    const bytes = Buffer.from(lines.join('\n').replaceAll('\xff', '\u{10fffe}'));
    // The byte that stands for a line break is no UTF-8.
    const parts = bytes.toString('latin1').replaceAll('\xf4\x8f\xbf\xbe', '\xff');
    writeFileSync(file, Buffer.from(parts, 'latin1'));
    const isAscii = bytes.every((byte) => byte < 128);
    return { file, firstLine: 1, bytes: bytes.length, lines: lines.length, isAscii };
  };

  const rows = async (columnar: ColumnarFile | undefined): Promise<readonly string[]> => {
    if (!columnar) return [];
    const answer = await engine.run(
      `SELECT toJSONString(groupArray(row)) FROM (SELECT toJSONString(tuple(* EXCEPT f, reinterpretAsUInt64(f))) AS row FROM ${rowsOf(columnar)}) ${READING}`,
    );
    const found = JSON.parse(answer) as string[];
    expect(found).toHaveLength(columnar.rows);
    return found;
  };

  const overJson = async (chunk: ReturnType<typeof chunkOf>): Promise<AcceptedChunk> =>
    acceptRecords(JUDGE, keeper, await csvToRecords(engine, chunk, SHAPE, COLUMNS), OPTIONS);

  const inOnePass = async (
    chunk: ReturnType<typeof chunkOf>,
  ): Promise<readonly string[] | undefined> => {
    const first = await firstTime(engine, chunk.file, SHAPE);
    const time: Conversion['time'] = first ?? 'none';
    const { acceptedAt } = OPTIONS;
    const to = { columns: COLUMNS, exact: SCHEMA.exact, time, acceptedAt, keptFrom: undefined };
    const columnar = await csvToColumns(engine, chunk, SHAPE, to).catch(() => undefined);
    return columnar && rows(columnar);
  };

  it('stores what the way over JSON records stores, or leaves it to that way', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 0, max: 2 })
          .chain((oddness) => fc.array(record(oddness), { minLength: 1, maxLength: 8 })),
        async (lines) => {
          const chunk = chunkOf(lines);
          const fast = await inOnePass(chunk);
          if (!fast) return;
          taken += 1;
          const { accepted, rejected } = await overJson(chunk);
          expect(rejected).toBeUndefined();
          expect(fast).toEqual(await rows(accepted));
        },
      ),
      { numRuns: 100 },
    );
    expect(taken).toBeGreaterThan(0);
  }, 240_000);

  it('is the usual way, whatever is left out', async () => {
    const lines = [
      '1790000000,"a ""b""",-5,7,1.5,TRUE',
      ',,,,,',
      '1790000001,"x\xffy"',
      '1790000002',
    ];
    const stored = await inOnePass(chunkOf(lines));
    expect(stored).toHaveLength(lines.length);
    expect(stored?.[2]).toContain('x\\ny');
  });

  it.each([
    ['a number that is none', ',,x,,,'],
    ['a fraction among integers', ',,1.5,,,'],
    ['an integer of 19 digits', ',,1234567890123456789,,,'],
    ['an integer that no float has', ',,9007199254740993,,,'],
    ['a float of 16 digits', ',,,,1234567890123456,'],
    ['a float that is infinite', ',,,,1e400,'],
    ['a truth that is none', ',,,,,1'],
    ['a time that is none', 'never,,,,,'],
    ['a field beyond the header', ',,,,,,more'],
  ])('leaves %s to the judges', async (_, line) => {
    expect(await inOnePass(chunkOf([',fine,1,1,1,true', line]))).toBeUndefined();
  });

  it('keeps records that do not fit, as the way over JSON records does', async () => {
    const chunk = chunkOf(['1790000000,a,1,,,', '1790000001,b,many,,,']);
    const ofCsv = new CsvAcceptance(SHAPE, keeper);
    const { accepted, rejected } = await ofCsv.accept(engine, JUDGE, chunk, OPTIONS);
    expect([accepted?.rows, rejected?.rows, rejected?.first]).toEqual([
      1,
      1,
      {
        line: 2,
        reason: 'field "i": string does not fit the column\'s type, Nullable(Int64), without loss',
      },
    ]);
  });
});
