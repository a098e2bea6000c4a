import { readableText } from './author-text.js';
import { inEngineWords } from './standard-sql.js';

const COLUMNS: Readonly<Record<string, string>> = {
  s: 'Nullable(String)',
  clock: 'Nullable(Time64(6))',
  pair: 'Tuple(a Nullable(Int64), b Nullable(String))',
};
const written = (canonical: string): string =>
  inEngineWords(canonical, {
    typeOfColumn: (name) => COLUMNS[name],
    spelling: () => undefined,
    table: () => undefined,
    session: () => undefined,
  });

/** Statements of which the engine would answer another value than DuckDB and Postgres. */
describe('values that others have', () => {
  it.each([
    ['SELECT - (5)::INTEGER', 'SELECT - CAST(5 AS INTEGER)'],
    ['SELECT TRY_CAST(1.50 AS VARCHAR)', "SELECT CAST('1.50' AS VARCHAR)"],
    ['SELECT 1.1::DATE', 'SELECT CAST(1.1 AS DATE)'],
    ['SELECT 0xFFFFFFFFFFFFFFFFFF', "SELECT CAST('4722366482869645213695', 'Decimal(22, 0)')"],
    ['SELECT 0xFFFFFFFFFFFFFFFF', 'SELECT 0xFFFFFFFFFFFFFFFF'],
    ['SELECT a FROM t OFFSET 1 LIMIT 2', 'SELECT a FROM t LIMIT 2 OFFSET 1'],
    ['SELECT EXTRACT(EPOCH FROM INTERVAL 2 HOUR)', 'SELECT (7200000000 / 1000000)'],
    [
      'SELECT a << 3',
      "SELECT accurateCast(accurateCast(a, 'Nullable(Int256)') * bitShiftLeft(toInt256(1), least(3, 128)), 'Nullable(Int64)')",
    ],
  ])('the text %s is read as %s', (text, expected) => {
    expect(readableText(text)).toBe(expected);
  });

  it.each([
    ['round(2.25, 1)', '2.3'],
    ['round(-2.5)', '(-3)'],
    ['round(a, 1)', 'round(a, 1)'],
    ['caseWithExpression(a, b, 1, 0)', 'multiIf((a) = (b), 1, 0)'],
    ["caseWithExpression(a, 'b', 1, 0)", "caseWithExpression(a, 'b', 1, 0)"],
    ['lead(a, 1, NULL) OVER (ORDER BY a ASC)', 'lead(toNullable(a), 1) OVER (ORDER BY a ASC)'],
    ['substring(s, 2, 3)', 'substring(s, 2, 3)'],
    ['substring(s, n)', 'substring(s, (n) + ((n) = 0))'],
    ["CAST(s, 'DOUBLE')", "trimBoth(s, ' \\t\\n\\v\\f\\r')"],
    ["CAST(pair, 'Tuple(b Nullable(String), a Nullable(Int64))')", 'tuple(e.2, accurateCast(e.1'],
    [
      'clock + toIntervalHour(3)',
      "if(isNull(clock), NULL, CAST((toDateTime64(concat('2000-01-01 ', ifNull(toString(clock), '00:00:00')), 6, 'UTC') + toIntervalHour(3)), 'Time64(6)'))",
    ],
    [
      '2 * ((toIntervalMonth(1), toIntervalDay(1)))',
      "(toIntervalMonth(accurateCast((2) * (1), 'Nullable(Int64)')), toIntervalDay(accurateCast((2) * (1), 'Nullable(Int64)')))",
    ],
    ['CURRENT_TIME', "CAST(now64(6, 'UTC'), 'Time64(6)')"],
    ['current_timestamp(3)', "now64(3, 'UTC')"],
  ])('%s is written with %s', (canonical, expected) => {
    expect(written(`SELECT ${canonical} AS x FROM t`)).toContain(expected);
  });

  it('tells rows of texts from a structure of columns', () => {
    expect(written("SELECT c1 FROM sqlStandardValues('id UInt64', NULL)")).toContain(
      "values('c1 Nullable(String)', 'id UInt64', NULL)",
    );
  });

  it('refuses numbers of more digits than there are', () => {
    expect(() => readableText(`SELECT 0x${'F'.repeat(70)}`)).toThrow(/76 digits/);
    expect(() => readableText('SELECT 1.5 << 1')).toThrow(/only integers have bits/);
  });

  it('casts a struct by its names, or says that they differ', () => {
    expect(() => written("SELECT CAST(pair, 'Tuple(a Int64, c String)') AS x FROM t")).toThrow(
      /cast by names/,
    );
  });
});
