import fc from 'fast-check';
import { openAcceptance, type Acceptance } from './open-acceptance.js';
import { PureKeeper } from './pure-keeper.js';
import { rounds } from '../rounds.js';

const CSV = { delimiter: ',', columns: ['v', 'n'] };
const [DAY, WALL, UTC, TEXT] = ['Date32', 'DateTime64(6)', "DateTime64(6, 'UTC')", 'String'];
const [WALL_NANOS, UTC_NANOS] = ['DateTime64(9)', "DateTime64(9, 'UTC')"];

describe('days, times and words of numbers that CSV has, with the real engine', () => {
  let under: Acceptance;
  beforeAll(async () => {
    under = await openAcceptance();
  });
  afterAll(() => under.close());

  /** Tells the types that the first records of a stream give. */
  async function told(values: readonly string[], keeper = new PureKeeper()) {
    const lines = values.map((value, index) => `${value},${index}`);
    const { accepted, rejected } = await under.accept(keeper, lines, CSV);
    const type = keeper.state.columns.find(({ name }) => name === 'v')?.type;
    const rows = await under.ordered(accepted, "ifNull(toString(v), 'null')");
    return { type, rows, refused: [...(rejected?.rejections?.lines ?? [])] };
  }

  it.each<[readonly string[], string, readonly string[]]>([
    [['2024-02-29', '', '"1900-01-01"', '2299-12-31'], DAY, ['2024-02-29', 'null', '1900-01-01', '2299-12-31']], // prettier-ignore
    [['2024-01-01 10:00:00', '2024-03-31T02:30:00.5'], WALL, ['2024-01-01 10:00:00.000000', '2024-03-31 02:30:00.500000']], // prettier-ignore
    [['2024-01-01', '2024-01-01 10:00:00'], WALL, ['2024-01-01 00:00:00.000000', '2024-01-01 10:00:00.000000']], // prettier-ignore
    [['2024-01-01T10:00:00.123456000', '1900-01-01'], WALL, ['2024-01-01 10:00:00.123456', '1900-01-01 00:00:00.000000']], // prettier-ignore
    [['2024-01-01T10:00:00.123456789', '2024-01-01', '2024-01-01 00:00:01'], WALL_NANOS, ['2024-01-01 10:00:00.123456789', '2024-01-01 00:00:00.000000000', '2024-01-01 00:00:01.000000000']], // prettier-ignore
    [['2024-01-01T10:00:00Z', '2024-01-01 10:00:00+02:00', '2024-01-01 10:00:00-07'], UTC, ['2024-01-01 10:00:00.000000', '2024-01-01 08:00:00.000000', '2024-01-01 17:00:00.000000']], // prettier-ignore
    [['2024-01-01T10:00:00.1234567Z', '2024-01-01T10:00:00Z'], UTC_NANOS, ['2024-01-01 10:00:00.123456700', '2024-01-01 10:00:00.000000000']], // prettier-ignore
    [['2024-01-01 10:00', '2024-01-01T23:59'], WALL, ['2024-01-01 10:00:00.000000', '2024-01-01 23:59:00.000000']], // prettier-ignore
    [['2024-01-01T10:00Z', '2024-01-01 10:00+01:00'], UTC, ['2024-01-01 10:00:00.000000', '2024-01-01 09:00:00.000000']], // prettier-ignore
  ])('%j are %s', async (values, type, rows) => {
    expect(await told(values)).toEqual({ type: `Nullable(${type})`, rows, refused: [] });
  });

  it.each<[readonly string[], readonly string[]]>([
    [['1.5', 'NaN', '-nan', 'inf', '-Inf', '"INFINITY"'], ['1.5', 'nan', 'nan', 'inf', '-inf', 'inf']],
    [['1', ' nan ', ''], ['1', 'nan', 'null']],
    [['NaN'], ['nan']],
  ])('%j are floats', async (values, rows) => {
    expect(await told(values)).toEqual({ type: 'Nullable(Float64)', rows, refused: [] });
  }); // prettier-ignore

  it.each([[['inf', 'x']], [['1', '+inf']], [['1', 'NA']], [['1', 'infinit']], [['nan', 'true']]])(
    '%j are texts',
    async (values) => {
      expect(await told(values)).toEqual({ type: 'Nullable(String)', rows: values, refused: [] });
    },
  );

  it('columns of numbers take them as they take fractions, and others do not', async () => {
    for (const [type, rows] of [['Float32', ['nan', '-inf']], ['Int16', ['nan', '-inf']], ['Decimal(9, 2)', []], ['Date32', []], ['Bool', []]] as const) {
      const keeper = new PureKeeper().declare([{ name: 'v', type: `Nullable(${type})` }]);
      const { accepted, rejected } = await under.accept(keeper, ['NaN,1', '-Infinity,2'], CSV);
      expect([type, await under.ordered(accepted, 'toString(v)')]).toEqual([type, rows]);
      expect([type, ...(rejected?.rejections?.lines ?? [])]).toEqual(rows.length > 0 ? [type] : [type, 1, 2]);
    }
  }); // prettier-ignore

  it('a word of a float that does not go into its column is kept as text', async () => {
    const keeper = new PureKeeper();
    await told(['1', `${2n ** 62n}`], keeper);
    const { accepted, rejected } = await under.accept(keeper, ['NaN,7'], CSV);
    expect(accepted?.rows ?? 0).toBe(0);
    expect(JSON.stringify(rejected)).toContain('NaN');
  });

  it.each([
    [['2024-01-01', '2024-02-30']],
    [['2024-01-01', '2300-01-01']],
    [['1899-12-31']],
    [['2024-01-01', 'x']],
    [['2024-01-01', '5']],
    [['2024-01-01', 'true']],
    [['2024-01-01T10:00:00', '2024-01-01T10:00:00Z']],
    [['2024-01-01', '2024-01-01T10:00:00Z']],
    [['2024-01-01T10:00:00.123456789', '2270-01-01']],
    [['2024-01-01T10:00:00.123456789', '2270-01-01T00:00:00']],
    [['1900-01-01T00:00:00+01:00']],
    [['2024-01-01T24:00:00']],
    [['2024-01-01 24:00']],
    [['"2024-01-01 10:00:00,123"']],
    [['2024-01-01 10']],
    [['2024-01-01 10:00 ']],
    [['2024-01-01 10:00x']],
    [['2024-01-01 10:00:0']],
    [['12:30:00']],
    [['2024-1-1']],
    [['20240101T100000']],
    [['2024-01-01T10:00:00.1234567891']],
    [['2024-01-01 10:00:00 UTC']],
  ])('%j are text', async (values) => {
    expect(await told(values)).toEqual({
      type: `Nullable(${TEXT})`,
      rows: values.map((value) => value.replaceAll('"', '')),
      refused: [],
    });
  });

  it.each<[string, readonly string[], string, readonly number[]]>([
    ['2024-01-01', ['2024-01-02', '', '2024-02-30', 'x', '2024-01-01T00:00:00Z', '5'], DAY, [3, 4, 5, 6]], // prettier-ignore
    ['2024-01-01', ['2024-01-02', '2024-01-02 03:04:05', 'x'], WALL, [3]],
    ['2024-01-01', ['2024-01-02 03:04:05.123456789'], DAY, [1]],
    ['2024-01-01 00:00:00', ['2024-01-02', '2024-01-02T00:00:00Z', '2024-01-01 00:00:00.1234567'], WALL, [2, 3]], // prettier-ignore
    ['2024-01-01T00:00:00Z', ['2024-01-02', '2024-01-02T00:00:00+05:30', 'x'], UTC, [3]],
    ['x', ['2024-01-02'], TEXT, []],
    ['5', ['2024-01-02'], 'Int64', [1]],
  ])('after %s come %j: %s, without %j', async (first, later, type, refused) => {
    const keeper = new PureKeeper();
    await told([first], keeper);
    const { refused: found, type: now } = await told(later, keeper);
    expect([now, found]).toEqual([`Nullable(${type})`, refused]);
  });

  it('are text where JSON has them', async () => {
    const keeper = new PureKeeper();
    await under.accept(keeper, ['{"v":"2024-01-01"}']);
    expect(keeper.state.columns).toEqual([{ name: 'v', type: 'Nullable(String)' }]);
    expect(await told(['2024-01-02'], keeper)).toMatchObject({ rows: ['2024-01-02'], refused: [] });
  });

  it('are none lost and none other, whatever they are mixed with', async () => {
    const day = fc
      .date({ min: new Date('1895-01-01'), max: new Date('2305-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
    const value = fc.oneof(
      { weight: 12, arbitrary: day.map((each) => each.slice(0, 10)) },
      { weight: 6, arbitrary: day.map((each) => each.slice(0, 19).replace('T', ' ')) },
      { weight: 3, arbitrary: fc.tuple(day, fc.integer({ min: 0, max: 1e9 - 1 })).map(([each, nanos]) => `${each.slice(0, 19)}.${nanos}`) }, // prettier-ignore
      { weight: 3, arbitrary: day },
      { weight: 1, arbitrary: fc.constantFrom('', 'x', '2024-02-30', '5') },
    );
    const some = fc.oneof(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.array(day, { minLength: 1, maxLength: 4 }),
      fc.array(day.map((each) => each.slice(0, 10)), { minLength: 1, maxLength: 9 }), // prettier-ignore
    );
    await fc.assert(
      fc.asyncProperty(
        some.filter((all) => all.some((each) => each !== '')),
        async (values) => {
          // prettier-ignore

          const { type, rows, refused } = await told(values);
          expect(refused).toEqual([]);
          const plain = (text: string): string =>
          text.replace('T', ' ').replace('Z', '').replace(/\.0+$/, '').replace(/(\.\d*?)0+$/, '$1').replace(' 00:00:00', ''); // prettier-ignore
          const wanted = values.map((each) => (each === '' ? 'null' : each));
          expect(type === 'Nullable(String)' ? rows : rows.map(plain)).toEqual(
            type === 'Nullable(String)' ? wanted : wanted.map(plain),
          );
          const isOfDays = values.every((each) => each === '' || (each.length === 10 && each >= '1900' && each < '2300' && each !== '2024-02-30')); // prettier-ignore
          expect(type === `Nullable(${DAY})`).toBe(isOfDays);
        },
      ),
      { numRuns: rounds(50, 1000) },
    );
  }, 120_000);
});
