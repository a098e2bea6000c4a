import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openWarehouse, type Column, type LocalEngine, type Warehouse } from '@app/warehouse';
import { acceptRecords, type SchemaKeeper } from '../../libs/acceptance/records/accept-records.js';
import type { AcceptedChunk, Chunk, ColumnarFile } from '../../libs/acceptance/records/chunk.js';
import { JUDGE, READING, rowsOf } from './batch-rows.js';
import { LIMITS } from './limits.js';
import { rounds } from '../rounds.js';

const COLUMNS: readonly Column[] = [
  ['i', 'Nullable(Int64)'],
  ['u', 'Nullable(UInt64)'],
  ['f', 'Nullable(Float64)'],
  ['b', 'Nullable(Bool)'],
  ['s', 'Nullable(String)'],
  ['list', 'Array(Nullable(Int64))'],
  ['object', 'Nullable(JSON)'],
  ['kinds', 'Nullable(String)'],
  ['arrays', 'Nullable(String)'],
  ['small', 'Nullable(Int16)'],
  ['narrow', 'Nullable(Float32)'],
  ['decimal', 'Nullable(Decimal(20, 3))'],
  ['day', 'Nullable(Date32)'],
  ['moment', "Nullable(DateTime64(6, 'UTC'))"],
  ['wall', 'Nullable(DateTime64(9))'],
  ['uuid', 'Nullable(UUID)'],
  ['days', 'Array(Nullable(Date32))'],
].map(([name = '', type = '']) => ({ name, type }));
const SCHEMA = {
  id: 's',
  name: 'n',
  database: 'd',
  columns: COLUMNS,
  exact: ['u'],
  objects: [],
  given: [],
  verbatim: [
    { name: 'kinds', of: 'scalars' as const },
    { name: 'arrays', of: 'arrays' as const },
  ],
  untyped: [],
  version: 1,
  settings: { dataRetention: 0 },
};
const TYPED = ['small', 'narrow', 'decimal', 'day', 'moment', 'wall', 'uuid', 'days'];
const HEADER = ['_timestamp', 's', 'i', 'u', 'f', 'b', 'list', 'object', 'kinds', 'arrays', ...TYPED]; // prettier-ignore
const CSV = { delimiter: ',', columns: HEADER };
const OPTIONS = { uploadId: 'u', stream: 'n', acceptedAt: 1_767_225_600_000_000 };

/** A stream that stays as it is. */
const keeper: SchemaKeeper = {
  current: () => SCHEMA,
  evolve: () => Promise.resolve({ schema: SCHEMA, refusedFields: new Map<string, string>() }),
};

/** A field of CSV: its text, and whether it stands in quotes. */
interface Field {
  readonly text: string;
  readonly isQuoted: boolean;
}

const bare = (text: string): Field => ({ text, isQuoted: false });
const quoted = (text: string): Field => ({ text, isQuoted: true });
/** Adds quotes if the text needs them. */
const plain = (text: string): Field => ({ text, isQuoted: /["\n\r,]/.test(text) || text === '' });
const digits = fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: 21 });
const odd = fc
  .constantFrom(
    ...[
      '-0',
      '+1',
      '007',
      '1.',
      '-2.',
      '3.e1',
      '.5',
      '1.0',
      '1e3',
      '1E400',
      '1e-5',
      '-',
      'na',
      '1e18',
    ],
    ...[
      '9007199254740993',
      '9223372036854775808',
      '18446744073709551615',
      '0x10',
      '1_000',
      ' 1',
      '2 ',
      ' -.5e1 ',
      '-.',
      '. 5',
      '  ',
    ],
    ...['true', 'TRUE', '1', 'yes', 'null', '\\N', '[]', '{}', '[1e3,null]', '[1,\n2]', '["a\nb"]'],
    ...['{"a":"\\\\","b":"x"}', '{"a":1,"a":2}', '[1.5]', '[1', 'a\tb\\c', '\u0001', 'é "ü"'],
    ...['2026-01-01', '2026-01-01T00:00:00Z', 'Tue, 03 Mar 2026 10:00:00 +0100', '1790000000'],
    ...[
      '12.3450',
      '-0.001',
      '16777217',
      '32768',
      '12345678901234567.891',
      '2024-02-30',
      '2299-12-31',
    ],
    ...['2026-01-01 10:00:00.123456789', '2026-01-01T10:00:00+01', '2300-01-01', '["2026-01-01"]'],
    ...['99999999999999999', '-5', '1790000000123', '1790000000123456', '0', '0.0', 'never'],
  )
  .chain((text) => fc.boolean().map((isQuoted) => (isQuoted ? quoted(text) : plain(text))));
/** Other texts would change when they become JSON on one line. */
const onOneLine = odd.filter(({ text }) => !text.includes('\n'));
const fields: Readonly<Record<string, fc.Arbitrary<Field>>> = {
  _timestamp: fc.integer({ min: 0, max: 4_000_000_000 }).map((time) => bare(String(time))),
  s: fc.string({ unit: 'grapheme' }).map(quoted),
  i: fc.integer().map((value) => bare(String(value))),
  u: fc.nat().map((value) => bare(String(value))),
  f: fc
    .oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.tuple(digits, digits).map(([whole, rest]) => `${whole.join('')}.${rest.join('')}`),
    )
    .map(bare),
  b: fc.constantFrom('true', 'false', 'True', '').map(bare),
  list: fc.array(fc.option(fc.maxSafeInteger())).map((list) => quoted(JSON.stringify(list))),
  small: fc.integer({ min: -33_000, max: 33_000 }).map((value) => bare(String(value))),
  narrow: fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => bare(String(Number(value.toPrecision(6))))), // prettier-ignore
  decimal: fc.tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 1040 }), fc.boolean()).map(([whole, rest, isQuoted]) => ({ text: `${whole}.${rest}`, isQuoted })), // prettier-ignore
  day: fc.date({ min: new Date('1899-12-01'), max: new Date('2300-02-01'), noInvalidDate: true }).map((date) => bare(date.toISOString().slice(0, 10))), // prettier-ignore
  moment: fc.date({ min: new Date('1899-12-01'), max: new Date('2300-02-01'), noInvalidDate: true }).map((date) => bare(date.toISOString())), // prettier-ignore
  wall: fc.date({ min: new Date('1899-12-01'), max: new Date('2262-06-01'), noInvalidDate: true }).map((date) => bare(date.toISOString().slice(0, 23))), // prettier-ignore
  uuid: fc.uuid().map(bare),
  days: fc.constantFrom('["2024-02-29", null]', '[]').map(quoted),
  kinds: fc.constantFrom('1.50', 'true', 'x').map(plain),
  arrays: fc.constantFrom('[1,{}]', '[[],null]', '[1, "a"]').map(quoted),
  object: fc
    .record({ a: fc.integer(), b: fc.string() })
    .map((each) => quoted(JSON.stringify(each))),
};
const record = fc
  .integer({ min: 0, max: 5 })
  .chain((oddness) =>
    fc.tuple(
      ...HEADER.map((name) =>
        fc.oneof(
          { arbitrary: fields[name] ?? fc.constant(bare('')), weight: 30 },
          { arbitrary: name === 'arrays' ? onOneLine : odd, weight: oddness },
          { arbitrary: fc.constant(bare('')), weight: 3 },
        ),
      ),
    ),
  );

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** The value of a field by the rules in docs/upload.md; undefined: the field is missing. */
function json(name: string, { text, isQuoted }: Field): string | undefined {
  const column = COLUMNS.find((each) => each.name === name);
  const type = column?.type ?? '';
  if (text === '' && !(isQuoted && type === 'Nullable(String)')) return undefined;
  const asText = JSON.stringify(text);
  if (name === 'arrays') return isJson(text) ? text : asText;
  if (type === 'Nullable(String)') return asText;
  const number = text
    .replace(/^ +| +$/g, '')
    .replace(/^(-?)\.(?=\d)/, '$10.')
    .replace(/^(-?\d+\.)(?=e|$)/i, '$10');
  // JSON can hold more than 64 bits only as text.
  if (name === 'decimal') return NUMBER.test(number) ? JSON.stringify(number) : asText;
  if (type === 'Nullable(Bool)') return /^(true|false)$/i.test(text) ? text.toLowerCase() : asText;
  if (/^Nullable\((?:U?Int|Float)/.test(type)) return NUMBER.test(number) ? number : asText;
  if ((type.startsWith('Nullable(') && name !== 'object') || name === '_timestamp')
    return NUMBER.test(text) ? text : asText;
  // A record is a line, and line breaks between values mean nothing.
  return isJson(text) ? text.replaceAll('\n', ' ') : asText;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const asJson = (each: readonly Field[]): string =>
  `{${HEADER.flatMap((name, index) => {
    const value = json(name, each[index] ?? bare(''));
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`];
  }).join(',')}}`;

/**
 * Writes a record as the framer leaves it: a line break within quotes becomes a byte that UTF-8
 * does not have.
 */
const asCsv = (each: readonly Field[]): Buffer =>
  Buffer.from(
    Buffer.from(
      each
        .map(({ text, isQuoted }) => (isQuoted ? `"${text.replaceAll('"', '""')}"` : text))
        .join(','),
    ).map((byte) => (byte === 0x0a ? 0xff : byte)),
  );

describe('rows of CSV, with the real engine', () => {
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
      files: [directory],
    }));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const chunkOf = (lines: readonly Buffer[], csv: Chunk['csv']): Chunk => {
    files += 1;
    const file = join(directory, `${files}.lines`);
    const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    writeFileSync(file, bytes);
    return { file, firstLine: 1, bytes: bytes.length, csv };
  };

  /** Reads the fields that are there, by column. A column without a field in the CSV is not written. */
  const rows = async (columnar: ColumnarFile | undefined): Promise<readonly string[]> => {
    if (!columnar) return [];
    const answer = await engine.run(
      `SELECT toJSONString(groupArray(row)) FROM (SELECT toJSONString(tuple(_timestamp, s, i, u, reinterpretAsUInt64(f), b, list, object, kinds, arrays, ${TYPED.join(', ')})) AS row FROM ${rowsOf(columnar)}) ${READING}`,
    );
    const found = JSON.parse(answer) as string[];
    expect(found).toHaveLength(columnar.rows);
    return found;
  };

  const accepted = (chunk: Chunk): Promise<AcceptedChunk> =>
    acceptRecords(JUDGE, keeper, chunk, OPTIONS);

  it('are those of the same records as JSON, and so is what is rejected', async () => {
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 12 }), async (records) => {
        const [ofCsv, ofJson] = await Promise.all([
          accepted(chunkOf(records.map(asCsv), CSV)),
          accepted(
            chunkOf(
              records.map((each) => Buffer.from(asJson(each))),
              undefined,
            ),
          ),
        ]);
        expect(await rows(ofCsv.accepted)).toEqual(await rows(ofJson.accepted));
        stored += ofCsv.accepted?.rows ?? 0;
        const lines = ({ rejected }: AcceptedChunk) => [...(rejected?.rejections?.lines ?? [])];
        expect(lines(ofCsv)).toEqual(lines(ofJson));
      }),
      { numRuns: rounds(40, 1000) },
    );
    expect(stored).toBeGreaterThan(rounds(10, 1000));
  }, 240_000);

  it('may be long, and their texts have any character', async () => {
    const text = `"\\\n${'\u0001'.repeat(300_000)}é${'x'.repeat(300_000)}`;
    const line = asCsv([bare('1790000000'), quoted(text), bare('1'), bare('1e18')]);
    const { accepted: batch } = await accepted(chunkOf([line, line], CSV));
    const [row, again] = await rows(batch);
    const [time, s] = JSON.parse(row ?? '') as string[];
    expect([time, s === text]).toEqual(['2026-09-21 14:13:20.000000', true]);
    expect(row?.slice(-100)).toMatch(/,1,1000000000000000000,[^,]*,null,\[\](,null){10},\[\]\]$/);
    expect(again === row).toBe(true);
  });

  it('have arrays that are text as they were written, with their line breaks', async () => {
    const fields = HEADER.map((name) => (name === 'arrays' ? quoted('["a"\n]') : bare('')));
    const [row] = await rows((await accepted(chunkOf([asCsv(fields)], CSV))).accepted);
    expect((JSON.parse(row ?? '') as unknown[]).at(HEADER.indexOf('arrays'))).toBe('["a"\n]');
  });

  it.each(['[1.5]', '[9007199254740993]'])(
    'ask for another schema before %s goes into a list of integers, as JSON does',
    async (list) => {
      const asked: unknown[] = [];
      const asking: SchemaKeeper = {
        ...keeper,
        evolve: (survey) => {
          asked.push(survey.get('list'));
          return keeper.evolve(survey);
        },
      };
      const fields = HEADER.map((name) => (name === 'list' ? quoted(list) : bare('')));
      const chunks = [
        chunkOf([asCsv(fields)], CSV),
        chunkOf([Buffer.from(`{"list":${list}}`)], undefined),
      ];
      for (const chunk of chunks) await acceptRecords(JUDGE, asking, chunk, OPTIONS);
      expect(asked).toHaveLength(2);
      expect(asked[0]).toEqual(asked[1]);
    },
  );

  it('that are rejected are kept as JSON', async () => {
    const lines = ['1790000000,a "b",1,,,', '1790000001,"b\xff",many,,1e400,TRUE,"[1]"'];
    const chunk = chunkOf(
      lines.map((line) => Buffer.from(line, 'latin1')),
      CSV,
    );
    const { accepted: batch, rejected } = await accepted(chunk);
    expect([batch?.rows, rejected?.rows, rejected?.first]).toEqual([
      1,
      1,
      {
        line: 2,
        reason: 'field "i": string does not fit the column\'s type, Nullable(Int64), without loss',
      },
    ]);
    expect(rejected?.rejections?.firstText).toBe(
      '{"_timestamp":1790000001,"s":"b\\n","i":"many","f":1e400,"b":true,"list":[1]}',
    );
  });
});
