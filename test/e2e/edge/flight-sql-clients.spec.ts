import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonFolder } from '../../clients/fetch.mjs';
import { flightAddress } from '../../server/flight-client.js';
import { startEdge, type Edge } from '../../server/start-edge.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/edge.md'), 'utf8');
const [, program = '', printed = ''] =
  /^```python\n(import os\n\nfrom adbc[^]+?)^```\n\n```text\n([^]*?)^```$/m.exec(page) ?? [];

const CATALOG = `
import os
import adbc_driver_flightsql.dbapi as flight_sql

with flight_sql.connect(os.environ['MILLRACE_FLIGHT_SQL'], autocommit=True) as connection:
    info = connection.adbc_get_info()
    print(info['vendor_name'])
    print(connection.adbc_get_table_types())
    objects = connection.adbc_get_objects(depth='all').read_all().to_pylist()
    for catalog in objects:
        for schema in catalog['catalog_db_schemas']:
            for table in schema['db_schema_tables']:
                columns = [(column['column_name'], column['xdbc_type_name']) for column in table['table_columns']]
                print([catalog['catalog_name'], schema['db_schema_name'], table['table_name'], table['table_type']])
                print([name for name, _ in columns])
    print(connection.adbc_get_table_schema('cities'))
`;

const VALUES = `
import datetime
import decimal
import os
import adbc_driver_flightsql.dbapi as flight_sql

STATEMENT = """SELECT 1::int2, 18446744073709551615, 1.50::numeric(10, 2), true, 'é', DATE '1969-12-31',
  TIMESTAMP '2026-01-02 03:04:05.25', toDateTime64('1969-12-31 23:59:59.5', 6, 'UTC'),
  [1, NULL, 3], map('k', 7), CAST('01:02:03.5' AS time), NULL"""
VALUES = [41, 1.5, "it's a \\\\ and a\\nline ?", True, None, datetime.date(1969, 12, 31),
  datetime.datetime(2026, 1, 2, 3, 4, 5, 250000), datetime.datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=datetime.timezone.utc),
  decimal.Decimal('-1.50'), datetime.time(1, 2, 3, 500000), b'bytes', -9007199254740993, float('inf')]
with flight_sql.connect(os.environ['MILLRACE_FLIGHT_SQL'], autocommit=True) as connection:
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT)
        for value in cursor.fetchone():
            print(repr(value))
        names = ', '.join('? AS v%d' % at for at in range(len(VALUES)))
        cursor.execute('SELECT ' + names + " -- what ?", VALUES)
        for got in cursor.fetchone():
            print(repr(got))
        cursor.execute('SELECT city FROM cities WHERE lat > ? AND city <> ? ORDER BY lat LIMIT ?', (57, 'x', 1))
        print(cursor.fetchall())
        cursor.execute('SELECT $2 AS b, $1 AS a, $2 AS c', (1, 'two'))
        print(cursor.fetchall())
        for wrong in ['SELECT nope FROM cities', 'DELETE FROM cities', 'SELECT ?, ?']:
            try:
                cursor.execute(wrong, (1,) if '?' in wrong else None)
                cursor.fetchall()
            except Exception as error:
                print(type(error).__name__, str(error).split('\\n')[0][:70])
        try:
            cursor.execute('SELECT ?', ([1],))
        except Exception as error:
            print(type(error).__name__)
        cursor.execute("SELECT number AS n, repeat('x', number % 1000) AS t, if(number % 2 = 0, NULL, [toString(number)]) AS l FROM numbers(100000)")
        table = cursor.fetch_arrow_table()
        table.validate(full=True)
        rows = table.to_pylist()
        print(len(rows), rows[0], all(row['n'] == at and len(row['t']) == at % 1000 for at, row in enumerate(rows)), rows[99999]['l'])
`;

const PRINTED_CATALOG = `Millrace
['TABLE']
['', 'public', 'cities', 'TABLE']
['city', 'lat', 'lng']
city: string
lat: double
lng: double
`;

const ROW = `True
'é'
datetime.date(1969, 12, 31)
datetime.datetime(2026, 1, 2, 3, 4, 5, 250000)
datetime.datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=zoneinfo.ZoneInfo(key='UTC'))
`;
const PRINTED_VALUES = `1
18446744073709551615
Decimal('1.50')
${ROW}[1, None, 3]
[('k', 7)]
datetime.time(1, 2, 3, 500000)
None
41
1.5
"it's a \\\\ and a\\nline ?"
True
None
${ROW.split('\n').slice(2).join('\n')}Decimal('-1.50')
datetime.time(1, 2, 3, 500000)
'bytes'
-9007199254740993
inf
[('Aberdeen, Aberdeen City, UK',)]
[('two', 1, 'two')]
ProgrammingError INVALID_ARGUMENT: [FlightSQL] there is no column "nope", at line 1, co
ProgrammingError UNAUTHORIZED: [FlightSQL] only reading is possible here: nothing can b
ProgrammingError INVALID_ARGUMENT: [FlightSQL] the statement wants 2 values, and 1 were
ProgrammingError
100000 {'n': 0, 't': '', 'l': None} True ['99999']
`;

describe('programs for Arrow Flight SQL, as they come', () => {
  let edge: Edge;
  let folder: string;
  beforeAll(async () => {
    edge = await startEdge(['--addr-flight-sql', '127.0.0.1:0', '-t', 'cities=uk_cities_with_headers.csv', '--token', 'secret']); // prettier-ignore
    folder = mkdtempSync(join(tmpdir(), 'millrace-flight-'));
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await edge.stop();
  });

  const python = async (text: string): Promise<string> => {
    const file = join(folder, 'program.py');
    writeFileSync(file, text);
    const { stdout, stderr } = await promisify(execFile)(join(pythonFolder, 'bin/python'), [file], {
      encoding: 'utf8',
      env: {
        ...{ PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' },
        ...{ MILLRACE_FLIGHT_SQL: `grpc://${flightAddress(edge)}`, MILLRACE_TOKEN: 'secret' },
      },
    });
    return `${stdout}${stderr}`;
  };
  const withToken = (text: string): string =>
    text.replace("autocommit=True)", "autocommit=True, db_kwargs={'adbc.flight.sql.authorization_header': 'Bearer secret'})"); // prettier-ignore

  if (existsSync(join(pythonFolder, 'whole'))) {
    it('the ADBC driver prints what docs/edge.md says', async () => {
      expect(printed).not.toBe('');
      expect(await python(program)).toBe(printed);
    }, 120_000);

    it('the ADBC driver is told about the server and its tables', async () => {
      expect(await python(withToken(CATALOG))).toBe(PRINTED_CATALOG);
    }, 120_000);

    it('the ADBC driver binds values, and reads those of every type', async () => {
      expect(await python(withToken(VALUES))).toBe(PRINTED_VALUES);
    }, 120_000);
  } else
    it('does not run those in Python: their packages are not here (node test/clients/fetch.mjs)', () => {
      expect(existsSync(join(pythonFolder, 'whole'))).toBe(false);
    });
});
