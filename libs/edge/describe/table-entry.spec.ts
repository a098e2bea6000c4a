import fc from 'fast-check';
import type { ArrowDataType, ArrowListItem } from '../arrow-data-type.js';
import type { DescribedTable, TableOptions } from '../table-description.js';
import { printTable } from './print-table.js';
import { parseTableArgument } from './table-argument.js';
import { tableEntry } from './table-entry.js';
import { rounds } from '../../../test/rounds.js';

const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/);
const text = fc.string({ minLength: 1, maxLength: 8 });
const index = fc.nat({ max: 1000 });
const timeUnit = fc.constantFrom('Second', 'Millisecond', 'Microsecond', 'Nanosecond');
const { dataType } = fc.letrec<{ dataType: ArrowDataType; item: ArrowListItem }>((tie) => ({
  item: fc.record({ name: text, data_type: tie('dataType'), nullable: fc.boolean() }),
  dataType: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('Utf8', 'Int64', 'UInt16', 'Float64', 'Boolean', 'Date32'),
    fc.record({ Timestamp: fc.tuple(timeUnit, fc.constantFrom(null, 'UTC')) }),
    fc.record({ Duration: timeUnit }),
    fc.record({ List: tie('item') }),
    fc.record({ Struct: fc.array(tie('item'), { minLength: 1, maxLength: 3 }) }),
  ),
}));
const columns = fc.array(fc.record({ name: text, dataType, nullable: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});
const optional = { requiredKeys: ['format' as const] };
const options: fc.Arbitrary<TableOptions> = fc.oneof(
  fc.record(
    {
      format: fc.constant('csv' as const),
      hasHeader: fc.boolean(),
      delimiter: fc.constantFrom(',', '|', '\t', ';', '=', '"', ' ', '1'),
      projection: fc.array(index, { minLength: 1, maxLength: 4 }),
    },
    { requiredKeys: ['format', 'hasHeader', 'delimiter'] },
  ),
  fc.record(
    {
      format: fc.constant('json' as const),
      arrayEncoded: fc.constant(false),
      pointer: fc.constantFrom('', '/a', '/a~1b/0', '/x,y'),
    },
    { requiredKeys: ['format', 'arrayEncoded'] },
  ),
  fc.record({
    format: fc.constantFrom('ndjson', 'parquet', 'arrow', 'arrows', 'delta', 'iceberg'),
  }),
  fc.record(
    {
      format: fc.constantFrom('xls', 'xlsx', 'xlsb', 'ods'),
      sheetName: text,
      rowsStart: index,
      rowsEnd: index,
      columnsStart: index,
      columnsEnd: index,
      inferenceRows: index,
    },
    optional,
  ),
  fc.record({ format: fc.constantFrom('sqlite', 'mysql', 'postgres'), table: text }, optional),
);
const describedTable: fc.Arbitrary<DescribedTable> = fc.record(
  {
    name,
    uri: fc.stringMatching(/^[a-z/.*{}, -]{1,20}$/),
    options,
    materialize: fc.boolean(),
    columns,
    schemaFromFiles: fc.array(text, { minLength: 1, maxLength: 2 }),
    partitionColumns: columns,
    reloadSeconds: fc.integer({ min: 1, max: 100_000 }),
    // zod leaves that key out; no header has that name.
    headers: fc.dictionary(
      name.filter((each) => each !== '__proto__'),
      fc.string({ maxLength: 5 }),
    ),
  },
  { requiredKeys: ['name', 'uri', 'options'] },
);

/** Writes a table as one would on the command line. */
function argumentOf(table: DescribedTable): string {
  const { name: own, uri, option, ...rest } = printTable(table);
  return [
    `${String(own)}=${String(uri)}`,
    ...Object.entries({ ...(option as object), ...rest }).map(
      ([key, value]) => `${key}=${JSON.stringify(value)}`,
    ),
  ].join(',');
}

/** Texts made of characters with a special meaning, in any order. */
const likely = fc
  .array(
    fc.constantFrom(
      't',
      '=',
      ',',
      'a.csv',
      'format',
      'csv',
      'json',
      'schema',
      '{',
      '}',
      '"',
      '[',
      ']',
      '__proto__',
      'constructor',
      'true',
      '1',
      ':',
      '/',
      '@',
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

describe('a described table', () => {
  it('printed as an entry and read again is the same', () => {
    fc.assert(
      fc.property(describedTable, (table) => {
        const stored: unknown = JSON.parse(JSON.stringify(printTable(table)));
        expect(tableEntry.parse(stored)).toEqual(table);
      }),
    );
  });

  it('written as an argument and read again is the same', () => {
    fc.assert(
      fc.property(describedTable, (table) => {
        expect(parseTableArgument(argumentOf(table))).toEqual(table);
      }),
    );
  });
});

describe('an argument', () => {
  it.each([
    ['cities=./uk.csv', { name: 'cities', uri: './uk.csv', format: 'csv' }],
    ['data/spacex_launches.json', { name: 'spacex_launches', format: 'json' }],
    ['ubuntu-ami.json', { name: 'ubuntu-ami', format: 'json' }],
    ['logs/year=2024/a.parquet', { name: 'a', uri: 'logs/year=2024/a.parquet' }],
    ['https://x.org/d.csv.gz?key=a,b', { name: 'd', uri: 'https://x.org/d.csv.gz?key=a,b' }],
    ['t={a,b}.parquet,format=parquet', { name: 't', uri: '{a,b}.parquet' }],
    ['t=stdin,format=jsonl', { name: 't', uri: 'stdin', format: 'ndjson' }],
    ['t=mysql://u:p@h/db,table=2024', { name: 't', format: 'mysql' }],
  ])('%s', (text, expected) => {
    const { name, uri, options } = parseTableArgument(text);
    expect({ name, uri, format: options.format }).toMatchObject(expected);
  });

  it('takes values that have commas', () => {
    expect(parseTableArgument('t=a.csv,delimiter=,,projection=[0,2],has_header=false')).toEqual({
      name: 't',
      uri: 'a.csv',
      options: { format: 'csv', delimiter: ',', projection: [0, 2], hasHeader: false },
    });
  });

  it.each([
    ['t=a.csv,has_headr=false', /has_headr.*did you mean "has_header"/],
    ['t=a.csv,delimiter=||', /^table "t=a.csv": delimiter: want one character/],
    ['t=a.csv,formatt=csv', /formatt.*did you mean "format"/],
    ['t=a.csv,io_option={"headers":{}', /io_option: its value is no valid JSON$/],
    ['t=./folder', /format: the uri does not say which format/],
    ['t=a.csv,format=cvs', /format: want one of csv, /],
    ['t=a.json,array_encoded=true', /array_encoded: needs the columns/],
    ['t=a.json,pointer=x', /pointer: want a JSON pointer/],
    ['t=a.csv,format=csv,format=json', /format is there twice/],
    ['a b.csv', /name: want a name/],
    ['=a.csv', /name: want a name/],
    ['t=', /uri: want a path or a URI/],
    ['t=https://docs.google.com/x,format=google_spreadsheet', /want the address of a sheet/],
    [
      't=https://docs.google.com/spreadsheets/d/1,format=google_spreadsheet,application_secret_path=x',
      /service accounts do not work/,
    ],
    ['t=https://docs.google.com/spreadsheets/d/1,format=google_spreadsheet,sheet_title=x', /#gid=/],
  ])('%s is refused with its key and a remedy', (text, message) => {
    expect(() => parseTableArgument(text)).toThrow(message);
  });

  it('keeps passwords out of messages', () => {
    const parse = () => parseTableArgument('t=mysql://me:hunter2@host/db,tabl=x');
    expect(parse).toThrow(/mysql:\/\/\*\*\*@host.*did you mean "table"/);
    expect(parse).not.toThrow(/hunter2/);
  });

  it.each(['', ',fromat=csv', ',has_header=3', ',io_option=3', '}', ',projection=['])(
    'keeps headers out of messages: %s',
    (more) => {
      const headers = 'io_option={"headers":{"Authorization":["Bearer hunter2"]}}';
      const parse = () => parseTableArgument(`t=https://h/a.csv,${headers}${more}`);
      expect(parse).toThrow(/^table "t?=?https:/);
      expect(parse).not.toThrow(/hunter2/);
    },
  );

  it('of any text is a table or an error with a message', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), likely), (text) => {
        try {
          const table = parseTableArgument(text);
          expect(table.name).not.toBe('');
        } catch (error) {
          expect((error as Error).message).toMatch(/^table /);
        }
      }),
      { numRuns: rounds(250, 10_000) },
    );
  });
});
