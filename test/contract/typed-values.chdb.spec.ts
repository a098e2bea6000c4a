import fc from 'fast-check';
import { rounds } from '../rounds.js';
import { integer } from '../doubles/judge/slow-json.js';
import { slowTime } from '../doubles/judge/slow-time.js';
import { openAcceptance, type Acceptance } from './open-acceptance.js';
import { PureKeeper } from './pure-keeper.js';

const RUNS = rounds(20, 3000);
const CSV = { delimiter: ',', columns: ['v'] };
const UTC = "Nullable(DateTime64(6, 'UTC'))";
const WALL = 'Nullable(DateTime64(6))';
const UUID = '00112233-4455-6677-8899-aabbccddeeff';

/** JSON's values, each with the text that the engine makes of what it has stored; and those that are refused. */
type Cases = readonly [
  type: string,
  good: Readonly<Record<string, string>>,
  bad: readonly string[],
];

const CASES: readonly Cases[] = [
  [
    'Nullable(Int8)',
    { '127': '127', '-128': '-128', '1.0': '1', '1e2': '100', '-0': '0', '-0.0': '0' },
    ['"5"', '""', 'true', '{}', '[1]'],
  ],
  ['Nullable(UInt32)', { '4294967295': '4294967295', '0': '0' }, ['"1"']],
  [
    'Nullable(Float32)',
    { '0.1': '0.1', '16777216': '16777216', '3.4028235e38': '3.4028235e38', '1e-45': '1e-45', '-8.50': '-8.5', '1e10': '10000000000', '0.30000001192092896': '0.3' }, // prettier-ignore
    ['16777217', '3.5e38', '134217728', '0.3000000119209', '33554434', '0.123456789', '"1"'],
  ],
  [
    'Nullable(Decimal(15, 2))',
    { '12.30': '12.3', '"12.30"': '12.3', '"-0.5"': '-0.5', '1e2': '100', '"1e2"': '100', '12.340000': '12.34', '9999999999999.99': '9999999999999.99', '-9999999999999.99': '-9999999999999.99', '"0E-10"': '0', '1e-2': '0.01', '-0': '0', '"123456789012300e-4"': '12345678901.23', '0.00000000000000000000000000000000001e34': '0.1' }, // prettier-ignore
    ['12.345', '"12.345"', '99999999999999.99', '1e13', '"1e400"', '"1e-400"', '"+1"', '".5"', '"x"', '""', 'true', '"1e99999999999"'], // prettier-ignore
  ],
  [
    'Nullable(Decimal(76, 38))',
    { [`"${'9'.repeat(38)}.${'9'.repeat(38)}"`]: `${'9'.repeat(38)}.${'9'.repeat(38)}`, '0.1': '0.1' }, // prettier-ignore
    [`"${'9'.repeat(39)}"`],
  ],
  [
    'Nullable(Date32)',
    { '"2024-02-29"': '2024-02-29', '"1900-01-01"': '1900-01-01', '"2299-12-31"': '2299-12-31', '"2024\\u002d02-29"': '2024-02-29' }, // prettier-ignore
    ['"2300-01-01"', '"1899-12-31"', '"2024-02-30"', '"2023-02-29"', '19000', '"2024-1-1"', '"2024-01-01 "', '"2024-01-01T00:00:00Z"', '""'], // prettier-ignore
  ],
  [
    UTC,
    {
      '"2024-01-01 00:00:00.123456"': '2024-01-01 00:00:00.123456',
      '"2024-01-01T00:00:00Z"': '2024-01-01 00:00:00.000000',
      '"2024-01-01T01:30:00+01:30"': '2024-01-01 00:00:00.000000',
      '"2024-01-01 01:00:00.5+01"': '2024-01-01 00:00:00.500000',
      '"2024-01-01"': '2024-01-01 00:00:00.000000',
      '"2024-01-01T00:00:00.123456000Z"': '2024-01-01 00:00:00.123456',
      '"1900-01-01T00:00:00.000001Z"': '1900-01-01 00:00:00.000001',
      '"2299-12-31T23:59:59.999999Z"': '2299-12-31 23:59:59.999999',
      '"Tue, 03 Mar 2026 10:00:00 +0100"': '2026-03-03 09:00:00.000000',
      '1700000000': '2023-11-14 22:13:20.000000',
      '1700000000.123456': '2023-11-14 22:13:20.123456',
      '1700000000123': '2023-11-14 22:13:20.123000',
      '1700000000123456': '2023-11-14 22:13:20.123456',
      '1700000000123456000': '2023-11-14 22:13:20.123456',
      '"1700000000"': '2023-11-14 22:13:20.000000',
      '0': '1970-01-01 00:00:00.000000',
      '-1.5': '1969-12-31 23:59:58.500000',
    },
    ['"2024-01-01T00:00:00.1234567Z"', '1700000000123456789', '1700000000.1234567', '"2300-01-01T00:00:00Z"', '"1900-01-01T00:00:00+01:00"', '"2024-02-30T00:00:00Z"', '"2024-01-01T24:00:00Z"', '"2024-01-01T00:00:60Z"', '"x"', '""', 'true', '99999999999999999999'], // prettier-ignore
  ],
  [
    WALL,
    {
      '"2024-03-31T02:30:00"': '2024-03-31 02:30:00.000000',
      '"2024-03-31 02:30:00.5"': '2024-03-31 02:30:00.500000',
      '1700000000': '2023-11-14 22:13:20.000000',
    },
    ['"2024-01-01T00:00:00Z"', '"2024-01-01T00:00:00+01:00"', '"Tue, 03 Mar 2026 10:00:00 GMT"'],
  ],
  [
    'Nullable(DateTime64(9))',
    {
      '"2024-01-01T00:00:00.123456789"': '2024-01-01 00:00:00.123456789',
      '"2262-04-11T23:47:16.854775807"': '2262-04-11 23:47:16.854775807',
      '1700000000123456789': '2023-11-14 22:13:20.123456789',
      '"1900-01-01"': '1900-01-01 00:00:00.000000000',
    },
    ['"2262-04-11T23:47:16.854775808"', '"2262-04-12"', '"2299-01-01 00:00:00"'],
  ],
  [
    "Nullable(DateTime64(0, 'UTC'))",
    { '"2024-01-01T00:00:00.000Z"': '2024-01-01 00:00:00', '-1': '1969-12-31 23:59:59' },
    ['"2024-01-01T00:00:00.5Z"', '0.5'],
  ],
  [
    'Nullable(Time64(6))',
    { '"12:30:00"': '12:30:00.000000', '"23:59:59.999999"': '23:59:59.999999', '"00:00:00.100000000"': '00:00:00.100000' }, // prettier-ignore
    ['"24:00:00"', '"12:30"', '45000', '"12:30:00.1234567"', '"12:30:00Z"', '""'],
  ],
  [
    'Nullable(UUID)',
    { [`"${UUID}"`]: UUID, [`"${UUID.toUpperCase()}"`]: UUID },
    [`"${UUID.replaceAll('-', '')}"`, `"{${UUID}}"`, '""', '1'],
  ],
];

/** A field of CSV that says the same; undefined where none does: there a number may stand in quotes. */
function field(json: string): string | undefined {
  if (!json.startsWith('"')) return json;
  const text = String(JSON.parse(json));
  return text === '' || /^\.?\d$/.test(text) ? undefined : `"${text}"`;
}

describe('values of columns at which acceptance looks, with the real engine', () => {
  let under: Acceptance;
  beforeAll(async () => {
    under = await openAcceptance();
  });
  afterAll(() => under.close());

  const keeperOf = (type: string): PureKeeper => new PureKeeper().declare([{ name: 'v', type }]);

  it.each(CASES)('go into %s as they are, or not at all', async (type, good, bad) => {
    const values = [...Object.keys(good), 'null', ...bad];
    const stored = [...Object.values(good), 'null'];
    const isGood = values.map((_, index) => index < stored.length);
    const fields = values.map((value) => (value === 'null' ? '' : field(value)));
    const told = fields.map((value, index) => value !== undefined && isGood[index] === true);
    for (const { lines, wanted, csv } of [
      { lines: values.map((value) => `{"v":${value}}`), wanted: isGood, csv: undefined },
      { lines: fields.map((value) => `${value ?? '"x"'},`), wanted: told, csv: { delimiter: ',', columns: ['v', 'w'] } }, // prettier-ignore
    ]) {
      const keeper = keeperOf(type);
      const { accepted, rejected } = await under.accept(keeper, lines, csv);
      const refused = new Set(rejected?.rejections?.lines);
      expect(values.filter((_, index) => refused.has(index + 1))).toEqual(
        values.filter((_, index) => wanted[index] !== true),
      );
      expect(await under.ordered(accepted, "ifNull(toString(v), 'null')")).toEqual(stored);
      expect(keeper.state.columns[0]).toEqual({ name: 'v', type });
    }
  });

  it.each(CASES)('go into lists of %s by the same rules', async (type, good, bad) => {
    const values = [...Object.keys(good), ...bad];
    const isGood = values.map((_, index) => index < Object.keys(good).length);
    const lists = values.map((value) => `[null, ${value} ]`);
    const empty = ['[]', '[null]', 'null'];
    const stored = [...Object.values(good).map((each) => `null,${each}`), '', 'null', ''];
    for (const csv of [undefined, CSV]) {
      const keeper = keeperOf(`Array(${type})`);
      const all = [...lists, ...empty];
      const lines = csv
        ? all.map((list) => `"${list.replaceAll('"', '""')}"`)
        : all.map((list) => `{"v":${list}}`);
      const { accepted, rejected } = await under.accept(keeper, lines, csv);
      const refused = new Set(rejected?.rejections?.lines);
      expect(values.filter((_, index) => refused.has(index + 1))).toEqual(
        values.filter((_, index) => isGood[index] !== true),
      );
      const text = "arrayStringConcat(arrayMap(e -> ifNull(toString(e), 'null'), v), ',')";
      expect(await under.ordered(accepted, text)).toEqual(stored);
    }
  });

  it.each([
    ['Nullable(Date32)', '2024-01-01', '2024-01-02T03:04:05', 'Nullable(DateTime64(6))', ['2024-01-01 00:00:00.000000', '2024-01-02 03:04:05.000000']], // prettier-ignore
    ['Nullable(Int32)', '1', '3000000000', 'Nullable(Int64)', ['1', '3000000000']],
    ['Nullable(Int32)', '1', '18446744073709551615', 'Nullable(Int32)', ['1']],
    ['Nullable(UInt8)', '1', '-1', 'Nullable(Int64)', ['1', '-1']],
    ['Nullable(UInt8)', '1', '18446744073709551615', 'Nullable(UInt64)', ['1', '18446744073709551615']], // prettier-ignore
    ['Nullable(Int16)', '1', '1.5', 'Nullable(Float64)', ['1', '1.5']],
    [
      'Array(Nullable(Int8))',
      '[1]',
      '[300, null]',
      'Array(Nullable(Int64))',
      ['[1]', '[300,NULL]'],
    ],
    ['Array(Nullable(Int8))', '[1]', '[1.5,300]', 'Array(Nullable(Float64))', ['[1]', '[1.5,300]']],
  ])('widen %s of %s by %s to %s', async (type, first, then, wider, stored) => {
    for (const csv of type.includes('Date') ? [CSV] : [undefined, CSV]) {
      const keeper = keeperOf(type);
      const lines = [first, then].map((value) => (csv ? `"${value}"` : `{"v":${value}}`));
      const { accepted } = await under.accept(keeper, lines, csv);
      expect(keeper.state.columns[0]?.type).toBe(wider);
      expect(await under.ordered(accepted, 'toString(v)')).toEqual(stored);
    }
  });

  it('are written in their places, whatever else of a record is written otherwise', async () => {
    const keeper = new PureKeeper().declare(
      [['a', UTC], ['b', 'Nullable(Decimal(5, 1))'], ['c', 'Nullable(Int64)'], ['d', 'Array(Nullable(Date32))']].map(([name = '', type = '']) => ({ name, type })), // prettier-ignore
    );
    const { accepted, rejected } = await under.accept(keeper, [
      '{"c":1.0,"d":["2024\\u002d01-01" , null],"_timestamp":"2024-01-01T00:00:00Z","b":"1e2","a":"2024-01-01T01:00:00+01:00"}',
      '{"a":"2024-01-01T00:00:00Z","b":1,"d":["x"]}',
      '{"b":-0.50 , "a" :1.7e9, "@timestamp":"2024-01-01T00:00:01Z","c":-0}',
    ]);
    expect([...(rejected?.rejections?.lines ?? [])]).toEqual([2]);
    expect(await under.ordered(accepted, 'toString(tuple(_timestamp, a, b, c, d))')).toEqual([
      "('2024-01-01 00:00:00.000000','2024-01-01 00:00:00.000000',100,1,['2024-01-01',NULL])",
      "('2024-01-01 00:00:01.000000','2023-11-14 22:13:20.000000',-0.5,0,[])",
    ]);
  });

  it('beside a new field widen nothing that has them all', async () => {
    for (const type of [
      'Nullable(Int8)',
      'Nullable(Float32)',
      'Nullable(Decimal(4, 2))',
      'Array(Nullable(Int8))',
    ]) {
      // prettier-ignore
      const keeper = keeperOf(type);
      const value = type.startsWith('Array') ? '[1]' : '1';
      await under.accept(keeper, [`{"v":${value},"new":1}`, '{"v":0.123456789012,"new":"x"}']);
      if (type !== 'Nullable(Int8)') expect(keeper.state.columns[0]?.type).toBe(type);
    }
  });

  it('are floats of 32 bits that the engine gives back as they were sent', async () => {
    const narrow = fc.float({ noNaN: true, noDefaultInfinity: true });
    const number = fc.oneof(
      narrow.map((float) => String(Number(float.toPrecision(9)))),
      fc.tuple(narrow, fc.integer({ min: 1, max: 9 })).map(([float, digits]) => String(Number(float.toPrecision(digits)))), // prettier-ignore
      fc.double({ noNaN: true, min: -1e40, max: 1e40 }).map(String),
      fc.integer({ min: -150, max: 127 }).map((power) => String(2 ** power)),
      fc.integer().map(String),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 20, maxLength: 200 }), async (all) => {
        const keeper = keeperOf('Nullable(Float32)');
        const lines = all.map((value) => `{"v":${value}}`);
        const { accepted, rejected } = await under.accept(keeper, lines);
        const refused = new Set(rejected?.rejections?.lines);
        const kept = all.filter((_, index) => !refused.has(index + 1));
        const [back, written] = await Promise.all([
          under.ordered(accepted, 'toString(v)'),
          under.ordered(accepted, 'toString(reinterpretAsUInt32(assumeNotNull(v)))'),
        ]);
        // A fraction is that float; whole numbers have all their digits.
        const read = (all: readonly string[]): number[] =>
          all.map((text) =>
            Number.isInteger(Number(text)) ? Number(text) : Math.fround(Number(text)),
          );
        expect(read(back)).toEqual(read(kept));
        // The kept value is the nearest float.
        const nearest = kept.map((value) => {
          const bytes = Buffer.alloc(4);
          bytes.writeFloatLE(Number(value));
          return String(bytes.readUInt32LE());
        });
        expect(written).toEqual(nearest);
        // All values of six digits are kept exactly.
        for (const [index, value] of all.entries())
          if (/^-?[1-9]\.?\d{0,5}$/.test(value)) expect(refused.has(index + 1)).toBe(false);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  const digits = (most: number): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...'0001234567899'), { maxLength: most }).map((all) => all.join(''));

  it('are decimals of exactly their digits', async () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits(9).map((whole) => whole.replace(/^0+(?=\d)/, '') || '0'),
        fc.option(digits(9).filter((each) => each !== '')),
        fc.option(fc.integer({ min: -12, max: 12 })),
      )
      .map(([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`); // prettier-ignore
    /** Gives the value in units of the last digit. It is undefined where it is no whole number of them. */
    const units = (text: string): bigint | undefined => {
      const [number = '', exponent = '0'] = text.split('e');
      return integer(`${number}${number.includes('.') ? '' : '.'}0e${Number(exponent) + 4}`);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(number, { minLength: 20, maxLength: 100 }),
        fc.boolean(),
        async (all, isText) => {
          // prettier-ignore
          const quote = isText ? '"' : '';
          const fits = all.map(units).map((each) => each !== undefined && each < 10n ** 10n && each > -(10n ** 10n)); // prettier-ignore
          for (const csv of [undefined, CSV]) {
            const keeper = keeperOf('Nullable(Decimal(10, 4))');
            const lines = all.map((value) => csv ? `${quote}${value}${quote}` : `{"v":${quote}${value}${quote}}`); // prettier-ignore
            const { accepted, rejected } = await under.accept(keeper, lines, csv);
            const refused = new Set(rejected?.rejections?.lines);
            expect(all.map((_, index) => !refused.has(index + 1))).toEqual(fits);
            const back = await under.ordered(accepted, 'toString(toInt64(v * 10000))');
            expect(back.map(BigInt)).toEqual(all.filter((_, index) => fits[index]).map(units));
          }
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('are the moments that a record’s time would be', async () => {
    const two = (most: number): fc.Arbitrary<string> =>
      fc.integer({ min: 0, max: most }).map((each) => String(each).padStart(2, '0'));
    const year = fc.oneof(fc.constantFrom('1899', '1900', '1970', '2024', '2262', '2299', '2300'), fc.integer({ min: 1890, max: 2310 }).map(String)); // prettier-ignore
    const written = fc
      .tuple(
        year,
        two(13),
        two(32),
        fc.constantFrom('T', ' ', 't', ''),
        two(24),
        two(60),
        fc.option(two(60)),
        fc.option(fc.tuple(fc.constantFrom('.', '.', ','), digits(10))),
        fc.constantFrom('', 'Z', '+00:00', '+01', '-0130', '+14:00', 'z', ' UTC'),
        fc.boolean(),
      )
      .map(([y, m, d, between, h, min, s, fraction, zone, isDay]) => isDay ? `"${y}-${m}-${d}"` : `"${y}-${m}-${d}${between}${h}:${min}${s === null ? '' : `:${s}${fraction ? fraction.join('') : ''}`}${zone}"`); // prettier-ignore
    const number = fc.oneof(
      fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }).map(String),
      fc.integer({ min: -4_000_000_000, max: 4_000_000_000 }).map(String),
      fc.tuple(fc.integer(), digits(7)).map(([whole, rest]) => `${whole}.${rest}0`),
    );
    const time = fc.oneof(written, number);
    /** Micros, where nothing of it is finer; null where it is none. */
    const micros = (json: string): bigint | null | undefined => {
      const value = json.startsWith('"') ? { is: 'text' as const, text: String(JSON.parse(json)) } : { is: 'number' as const, text: json }; // prettier-ignore
      const exact = slowTime(value);
      return exact === null ? 0n : exact;
    };
    const unit = (size: number): number =>
      size > 31_536e12 ? 9 : size > 31_536e9 ? 6 : size > 31_536e6 ? 3 : 0;
    const isFiner = (json: string): boolean =>
      json.startsWith('"')
        ? /[.,]\d{6}0*[1-9]/.test(json)
        : integer(`${json}${json.includes('.') ? '' : '.'}0e${6 - unit(Math.abs(Number(json)))}`) === undefined; // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(time, { minLength: 20, maxLength: 150 }), async (all) => {
        const keeper = keeperOf(UTC);
        const sure = all.filter((each) => !isFiner(each));
        const lines = sure.map((value) => `{"v":${value}}`);
        const { accepted, rejected } = await under.accept(keeper, lines);
        const refused = new Set(rejected?.rejections?.lines);
        const kept = sure.filter((_, index) => !refused.has(index + 1));
        expect(kept).toEqual(sure.filter((each) => micros(each) !== undefined));
        const back = await under.ordered(accepted, 'toString(toUnixTimestamp64Micro(v))');
        expect(back.map(BigInt)).toEqual(kept.map(micros));
        const none = await under.accept(keeperOf(UTC), all.filter((each) => isFiner(each) && micros(each) !== undefined).map((value) => `{"v":${value}}`)); // prettier-ignore
        expect(none.accepted?.rows ?? 0).toBe(0);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);
});
