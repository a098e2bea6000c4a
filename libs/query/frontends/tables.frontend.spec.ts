import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { renderTableRead } from '../plan/render-sql.js';
import { planTableRead } from './tables.frontend.js';

const TABLE = {
  name: 'logs',
  columns: [
    { name: '_timestamp', type: "DateTime64(6, 'UTC')" },
    { name: 'text', type: 'Nullable(String)' },
    { name: 'int', type: 'Nullable(Int64)' },
    { name: 'big', type: 'Nullable(UInt64)' },
    { name: 'float', type: 'Nullable(Float64)' },
    { name: 'flag', type: 'Nullable(Bool)' },
    { name: 'list', type: 'Array(Nullable(String))' },
    { name: 'doc', type: 'JSON' },
    { name: 'odd,]name', type: 'Nullable(String)' },
    { name: '-dash', type: 'Nullable(Int64)' },
  ],
};
const NAMES = TABLE.columns.map(({ name }) => name);
const OPERATORS = ['', 'eq', 'ne', 'lt', 'lteq', 'gt', 'gteq', 'in', 'nin', 'like', 'isnull', 'x'];

const render = (parameters: Readonly<Record<string, unknown>>) =>
  renderTableRead(planTableRead(TABLE, parameters));
const refusal = (parameters: Readonly<Record<string, unknown>>): string => {
  try {
    return render(parameters).sql;
  } catch (error) {
    if (error instanceof MillraceError) return `${error.kind}: ${error.message}`;
    throw error;
  }
};

describe('a table read as a statement', () => {
  it('never pastes what a client sends: another value changes the values only', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('text', 'odd,]name'),
        fc.constantFrom('', 'eq', 'ne', 'lt', 'gteq', 'like'),
        fc.string({ unit: 'binary' }).filter((text) => !/^(?:null|'.*')$/is.test(text)),
        (column, operator, value) => {
          const { sql, values } = render({ [`filter[${column}]${operator}`]: value });
          expect(sql).toBe(render({ [`filter[${column}]${operator}`]: 'x' }).sql);
          expect(Object.values(values)).toEqual([value]);
        },
      ),
    );
  });

  it('answers any parameters with a statement of known words or a clear refusal', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.double().map(String),
      fc.constantFrom('true', 'null', "'a''b'", '-1', '1e400', '2026-01-01', ''),
    );
    const parameter = fc.oneof(
      fc.tuple(
        fc
          .tuple(fc.constantFrom(...NAMES, 'nope'), fc.constantFrom(...OPERATORS))
          .map(([name, operator]) => `filter[${name}]${operator}`),
        value,
      ),
      fc.tuple(fc.constantFrom('columns', 'sort', 'limit', 'offset', 'page'), value),
    );
    fc.assert(
      fc.property(fc.array(parameter, { maxLength: 4 }), (parameters) => {
        const outcome = refusal(Object.fromEntries(parameters));
        expect(outcome).toMatch(/^(?:SELECT .* FROM `logs`|INVALID_PARAMETER: |UNKNOWN_COLUMN: )/s);
        if (outcome.startsWith('SELECT'))
          expect(outcome.replace(/`(?:[^`\\]|\\.)*`|\{p\d+:[^}]*\}/g, '')).toMatch(
            /^[A-Z0-9 ,()*!=<>true]*$/,
          );
      }),
    );
  });

  it.each([
    [{ 'filter[int]': '-5' }, '(`int` = {p0:Int64})', ['-5']],
    [{ 'filter[int]gt': '1.5' }, '(`int` > {p0:Decimal(76, 1)})', ['1.5']],
    [{ 'filter[big]': '18446744073709551615' }, '(`big` = {p0:UInt64})', ['18446744073709551615']],
    [{ 'filter[float]lteq': '-1e3' }, '(`float` <= {p0:Float64})', ['-1000']],
    [{ 'filter[flag]': 'false' }, '(`flag` = {p0:Bool})', ['false']],
    [{ 'filter[text]ne': "'it''s'" }, '(`text` != {p0:String})', ["it's"]],
    [{ 'filter[text]': "'null'" }, '(`text` = {p0:String})', ['null']],
    [{ 'filter[text]': 'null' }, '(`text` IS NULL)', []],
    [{ 'filter[text]ne': 'NULL' }, '(`text` IS NOT NULL)', []],
    [{ 'filter[text]isnull': '' }, '(`text` IS NULL)', []],
    [{ 'filter[doc]isnull': 'false' }, '(`doc` IS NOT NULL)', []],
    [
      { 'filter[text]in': "'a,b',c,''" },
      '(`text` IN ({p0:String}, {p1:String}, {p2:String}))',
      ['a,b', 'c', ''],
    ],
    [{ 'filter[int]nin': '(1,-2)' }, '(`int` NOT IN ({p0:Int64}, {p1:Int64}))', ['1', '-2']],
    [{ 'filter[odd,]name]ilike': 'A%' }, '(`odd,]name` ILIKE {p0:String})', ['A%']],
    [
      { 'filter[_timestamp]gte': '2026-11-21T01:30:00.25+01:00' },
      "(`_timestamp` >= {p0:DateTime64(6, 'UTC')})",
      ['2026-11-21 00:30:00.250000'],
    ],
    [
      { 'filter[_timestamp]lt': '1700000000123' },
      "(`_timestamp` < {p0:DateTime64(6, 'UTC')})",
      ['2023-11-14 22:13:20.123000'],
    ],
    [
      { 'filter[int]': ['1', '2'], 'filter[text]': 'x' },
      '(`int` = {p0:Int64}) AND (`int` = {p1:Int64}) AND (`text` = {p2:String})',
      ['1', '2', 'x'],
    ],
  ])('%j', (parameters, where, values) => {
    const bound = render(parameters);
    expect(bound.sql).toBe(`SELECT * FROM \`logs\` WHERE ${where}`);
    expect(Object.values(bound.values)).toEqual(values);
  });

  it('pages, sorts and selects', () => {
    expect(refusal({ columns: 'int,text', sort: '-int,text, flag', limit: '10', page: '3' })).toBe(
      'SELECT `int`, `text` FROM `logs` ORDER BY `int` DESC NULLS FIRST, `text` ASC NULLS FIRST,' +
        ' `flag` ASC NULLS FIRST LIMIT 10 OFFSET 20',
    );
    const arriving = { ...TABLE, arrivalColumns: ['_offset'] };
    expect(
      renderTableRead(planTableRead(arriving, { sort: 'int', limit: '1', page: '1' })).sql,
    ).toBe('SELECT * FROM `logs` ORDER BY `int` ASC NULLS FIRST, `_offset` LIMIT 1 OFFSET 0');
    expect(refusal({ sort: '-dash', columns: 'odd,]name' })).toBe(
      'SELECT `odd,]name` FROM `logs` ORDER BY `-dash` ASC NULLS FIRST',
    );
  });

  it.each([
    [{ 'filter[int]': 'five' }, 'column "int": want a number, not "five"'],
    [{ 'filter[int]': '' }, 'column "int": want a number, not ""'],
    [{ 'filter[flag]': 'yes' }, 'column "flag": want true or false, not "yes"'],
    [{ 'filter[_timestamp]': '2026-02-30' }, 'column "_timestamp": want an ISO 8601 time'],
    [{ 'filter[list]': 'x' }, 'column "list" holds lists or objects'],
    [{ 'filter[int]like': '1%' }, 'filter[int]like: the column holds no text'],
    [{ 'filter[int]nee': '1' }, 'unknown filter operator "nee"; did you mean "ne"?'],
    [{ 'filter[text]isnull': 'maybe' }, 'want true or false'],
    [{ 'filter[inte]': '1' }, 'table logs has no column "inte"; did you mean "int"?'],
    [{ page: '2' }, 'page needs limit'],
    [{ page: '0', limit: '1' }, 'pages count from 1'],
    [{ page: '2', limit: '1', offset: '1' }, 'page and offset say the same'],
    [{ page: '9007199254740991', limit: '10' }, 'beyond what can be counted'],
    [{ limit: '-1' }, 'want a whole number from 0 on, not "-1"'],
    [{ limit: ['1', '2'] }, 'parameter limit may stand once'],
    [{ columns: 'int,int' }, 'column "int" may stand once'],
    [{ 'filter[int': '1' }, 'unknown parameter "filter[int"'],
  ])('refuses %j', (parameters, message) => {
    expect(refusal(parameters)).toContain(message);
  });
});
