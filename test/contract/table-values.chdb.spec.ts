import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readValueType, type ValueType } from '@app/streams';
import { quoteText } from '@app/warehouse';
import { fitting } from '../../libs/acceptance/table/sql/fit-column.sql.js';
import { openLocalEngine } from '../server/open-local-engine.js';
import { rounds, roundsMs } from '../rounds.js';

const RUNS = rounds(2, 300);
const ROWS = 100;
/** Decimals of so many are the same when a float of 64 bits is written as text again. */
const FLOAT_DIGITS = 15;
const SECONDS_A_DAY = 86_400n;
const FIRST_SECOND = -25_567n * SECONDS_A_DAY;
const END_SECOND = 120_530n * SECONDS_A_DAY;
const INT64_MAX = 2n ** 63n - 1n;

/** A value of a file, as spooled: a whole number of units, of which `scale` digits stand after the point. */
const KINDS = [
  ...['Int8', 'UInt8', 'Int16', 'UInt16', 'Int32', 'UInt32', 'Int64', 'UInt64'],
  ...['Decimal(5, 2)', 'Decimal(5, 5)', 'Decimal(10, 0)', 'Decimal(18, 3)', 'Decimal(38, 10)', 'Decimal(76, 38)'],
  ...['Date32', "DateTime64(3, 'UTC')", "DateTime64(6, 'UTC')", "DateTime64(9, 'UTC')"],
  ...['DateTime64(3)', 'DateTime64(6)', 'DateTime64(9)', 'Time64(3)', 'Time64(6)', 'Time64(9)'],
]; // prettier-ignore
const COLUMNS = [...KINDS, 'Float32', 'Float64'];

const typeOf = (name: string): ValueType => {
  const type = readValueType(name);
  if (!type) throw new Error(name);
  return type;
};
const tenTo = (digits: number): bigint => 10n ** BigInt(digits);
const within = (value: bigint, low: bigint, high: bigint): boolean => value >= low && value <= high;

/** The least and the most of a type's units, as far as a file can have them. */
function edges(type: ValueType, isColumn: boolean): [bigint, bigint] {
  switch (type.family) {
    case 'integer': {
      const all = 2n ** BigInt(type.bits);
      return type.isSigned ? [-all / 2n, all / 2n - 1n] : [0n, all - 1n];
    }
    case 'decimal':
      return [1n - tenTo(type.precision), tenTo(type.precision) - 1n];
    case 'float': {
      const most = type.bits === 64 ? 2n ** 53n : 2n ** 24n;
      return [-most, most];
    }
    case 'date':
      return isColumn
        ? [FIRST_SECOND / SECONDS_A_DAY, END_SECOND / SECONDS_A_DAY - 1n]
        : [-(2n ** 31n), 2n ** 31n - 1n];
    case 'timestamp': {
      if (!isColumn) return [-INT64_MAX - 1n, INT64_MAX];
      const last = END_SECOND * tenTo(type.digits) - 1n;
      return [FIRST_SECOND * tenTo(type.digits), last < INT64_MAX ? last : INT64_MAX];
    }
    case 'time':
      return isColumn
        ? [0n, SECONDS_A_DAY * tenTo(type.digits) - 1n]
        : [0n, 2n * SECONDS_A_DAY * tenTo(type.digits)];
    default:
      throw new Error(type.family);
  }
}

/**
 * Converts a value to the units of a column. It is undefined where the column has no value that is
 * the same.
 */
function expected(value: bigint, from: ValueType, to: ValueType): bigint | undefined {
  const [factor, divisor] = unitsOf(from, to) ?? [];
  if (factor === undefined || divisor === undefined) return undefined;
  const scaled = value * factor;
  if (scaled % divisor !== 0n) return undefined;
  const [low, high] = edges(to, true);
  return within(scaled / divisor, low, high) ? scaled / divisor : undefined;
}

function unitsOf(from: ValueType, to: ValueType): [bigint, bigint] | undefined {
  const isNumber = (type: ValueType): boolean =>
    ['integer', 'decimal', 'float'].includes(type.family);
  const scale = (type: ValueType): number => (type.family === 'decimal' ? type.scale : 0);
  if (isNumber(from) && isNumber(to)) return [tenTo(scale(to)), tenTo(scale(from))];
  if (from.family === 'date' && to.family === 'date') return [1n, 1n];
  if (from.family === 'date' && to.family === 'timestamp')
    return [SECONDS_A_DAY * tenTo(to.digits), 1n];
  if (from.family === 'timestamp' && to.family === 'timestamp' && from.isUtc === to.isUtc)
    return [tenTo(to.digits), tenTo(from.digits)];
  if (from.family === 'time' && to.family === 'time') return [tenTo(to.digits), tenTo(from.digits)];
  return undefined;
}

const decimalText = (units: bigint, scale: number): string => {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${units < 0n ? '-' : ''}${text}`;
};

/** SQL of a value as it is spooled. */
function spooled(value: bigint, type: ValueType, name: string): string {
  const cast = (text: string, as: string): string =>
    `CAST(${quoteText(text)}, ${quoteText(`Nullable(${as})`)})`;
  if (type.family === 'decimal') return cast(decimalText(value, type.scale), name);
  return cast(
    String(value),
    { date: 'Int32', timestamp: 'Int64', time: 'Int64' }[type.family as string] ?? name,
  );
}

/** SQL of a column's value in whole units, as text. */
function units(type: ValueType): string {
  const unit = { 3: 'Milli', 6: 'Micro', 9: 'Nano' };
  switch (type.family) {
    case 'date':
      return 'toString(toInt32(v))';
    case 'timestamp':
      return `toString(toUnixTimestamp64${unit[type.digits as 3]}(v))`;
    case 'time':
      return `toString(toUnixTimestamp64${unit[type.digits as 3]}(parseDateTime64BestEffort(concat('1970-01-01 ', toString(v)), ${type.digits}, 'UTC')))`;
    case 'decimal':
      return 'toString(v)';
    default:
      return 'toString(v)';
  }
}

describe('values of tables in columns', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-values-'));
  const engine = openLocalEngine(directory);
  afterAll(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Reads what each column has of each value. It is undefined where the column takes none. */
  async function fitted(
    values: readonly string[],
    kind: string,
  ): Promise<(string | undefined)[][]> {
    const columns = COLUMNS.map((column) => {
      const { value, fits = '1' } = fitting('f', kind, `Nullable(${column})`);
      const shown = units(typeOf(column)).replaceAll('(v)', `(${value})`);
      return `(toUInt8(${fits}), ifNull(${shown}, 'NULL'))`;
    });
    const answer = await engine.run(
      `SELECT toJSONString(groupArray([${columns.join(', ')}])) FROM (SELECT arrayJoin([${values.join(', ')}]) AS f)`,
    );
    const rows = JSON.parse(answer) as [number, string][][];
    return rows.map((row) => row.map(([fits, text]) => (fits === 1 ? text : undefined)));
  }

  const near = (value: bigint): fc.Arbitrary<bigint> =>
    fc.bigInt({ min: value - 2n, max: value + 2n });

  it.each(KINDS)(
    'of type %s are the same in every column, or are refused',
    async (kind) => {
      const from = typeOf(kind);
      const [low, high] = edges(from, false);
      const value = fc
        .oneof(
          fc.bigInt({ min: low, max: high }),
          fc.bigInt({ min: -1000n, max: 1000n }),
          ...COLUMNS.map(typeOf).flatMap((to) => {
            const [factor, divisor] = unitsOf(from, to) ?? [1n, 1n];
            const ends = edges(to, true).map((end) => near((end * divisor) / factor));
            const step = divisor > factor ? divisor / factor : 1n;
            return [...ends, fc.bigInt({ min: -1000n, max: 1000n }).map((each) => each * step)];
          }),
          near(low),
          near(high),
        )
        .filter((each) => within(each, low, high));
      const several = fc.array(value, { minLength: ROWS, maxLength: ROWS });
      await fc.assert(
        fc.asyncProperty(several, async (values) => {
          const rows = await fitted(
            values.map((each) => spooled(each, from, kind)),
            kind,
          );
          const wanted = values.map((each) => COLUMNS.map((column) => textIn(column, each, from)));
          const pairs = (found: (string | undefined)[][]): string[] =>
            found.flatMap((row, at) =>
              row.map(
                (text, index) =>
                  `${values[at] ?? ''} in ${COLUMNS[index] ?? ''}: ${text ?? 'refused'}`,
              ),
            );
          const expectedPairs = pairs(wanted);
          expect(pairs(rows).filter((each, index) => each !== expectedPairs[index])).toEqual([]);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    roundsMs(RUNS),
  );
});

function textIn(column: string, value: bigint, from: ValueType): string | undefined {
  const to = typeOf(column);
  if (from.family === 'decimal' && to.family === 'float') {
    const text = decimalText(value, from.scale);
    const digits = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
    const isExact = digits.replace(/^-?(0\.0*)?/, '').replace('.', '').length <= FLOAT_DIGITS;
    return to.bits === 64 && isExact ? String(Number(text) + 0) : undefined;
  }
  const units = expected(value, from, to);
  if (units === undefined) return undefined;
  const text = to.family === 'decimal' ? decimalText(units, to.scale) : String(units);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
