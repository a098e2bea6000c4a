import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonFolder } from '../../clients/fetch.mjs';
import { postgresAddress } from '../../server/postgres-client.js';
import { startEdge, type Edge } from '../../server/start-edge.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/edge.md'), 'utf8');
const [, program = '', printed = ''] =
  /^```python\n([^]+?)^```\n\n```text\n([^]*?)^```$/m.exec(page) ?? [];

const SQLALCHEMY = `
import os
import sqlalchemy as sa

engine = sa.create_engine(os.environ['MILLRACE_POSTGRES'].replace('postgres://', 'postgresql+psycopg://'))
with engine.connect() as connection:
    seen = sa.inspect(connection)
    print(sorted(seen.get_table_names()), seen.get_pk_constraint('cities')['constrained_columns'], seen.get_indexes('cities'))
    print([(column['name'], str(column['type']), column['nullable']) for column in seen.get_columns('cities')])
    tables = sa.MetaData()
    tables.reflect(bind=connection)
    cities = tables.tables['cities']
    print(connection.execute(sa.select(cities.c.city).where(cities.c.lat > 57).order_by(cities.c.lat).limit(1)).scalar())
    print(connection.execute(sa.select(sa.func.count()).select_from(cities).where(cities.c.city.in_(['Elgin, Scotland, the UK', "o'x"]))).scalar())
`;

const BINARY = `
import os
import psycopg

STATEMENT = """SELECT 1::int2, -2::int, 3::bigint, 1.50::numeric(10, 2), -0.00012345::numeric(20, 8), 0::numeric(5, 2),
  123456789012345.678::numeric(30, 5), 18446744073709551615, 1e300, true, 'é', DATE '1969-12-31',
  TIMESTAMP '2026-01-02 03:04:05.25', toDateTime64('1969-12-31 23:59:59.5', 6, 'UTC'),
  toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), [1, NULL, 3], ['a,"b"', '', 'null'], map('k', 9007199254740993),
  toFixedString(unhex('00ff0a'), 3), CAST('01:02:03.5' AS time), NULL, toFloat64('inf')"""
with psycopg.connect(os.environ['MILLRACE_POSTGRES']) as connection:
    text = connection.cursor().execute(STATEMENT).fetchone()
    binary = connection.cursor(binary=True).execute(STATEMENT).fetchone()
    for value in text:
        print(repr(value))
    print(text == binary)
    with connection.cursor(name='some') as cursor:
        cursor.execute('SELECT number FROM numbers(5)')
        print(cursor.fetchmany(2), cursor.fetchall())
`;
const VALUES = `1
-2
3
Decimal('1.50')
Decimal('-0.00012345')
Decimal('0.00')
Decimal('123456789012345.67800')
Decimal('18446744073709551615')
1e+300
True
'é'
datetime.date(1969, 12, 31)
datetime.datetime(2026, 1, 2, 3, 4, 5, 250000)
datetime.datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=datetime.timezone.utc)
UUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')
[1, None, 3]
['a,"b"', '', 'null']
{'k': 9007199254740993}
b'\\x00\\xff\\n'
datetime.time(1, 2, 3, 500000)
None
inf
True
`;

describe('programs for PostgreSQL, as they come', () => {
  let edge: Edge;
  let folder: string;
  beforeAll(async () => {
    edge = await startEdge(['--addr-postgres', '127.0.0.1:0', '-t', 'cities=uk_cities_with_headers.csv']); // prettier-ignore
    folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-'));
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await edge.stop();
  });

  const run = async (command: string, args: readonly string[]): Promise<string> => {
    const { host, port } = postgresAddress(edge);
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      encoding: 'utf8',
      env: {
        ...{ PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', PGCONNECT_TIMEOUT: '30' },
        MILLRACE_POSTGRES: `postgres://ann@${host}:${port}/shop`,
      },
    });
    return `${stdout}${stderr}`;
  };

  const python = (text: string): Promise<string> => {
    const file = join(folder, 'program.py');
    writeFileSync(file, text);
    return run(join(pythonFolder, 'bin/python'), [file]);
  };

  if (existsSync(join(pythonFolder, 'whole'))) {
    it('psycopg prints what docs/edge.md says', async () => {
      expect(printed).not.toBe('');
      expect(await python(program)).toBe(printed);
    });

    it('psycopg reads the same values from text and from bytes, and has cursors', async () => {
      expect(await python(BINARY)).toBe(`${VALUES}[(0,), (1,)] [(2,), (3,), (4,)]\n`);
    });

    it('SQLAlchemy reflects tables and asks them', async () => {
      expect(await python(SQLALCHEMY)).toBe(
        [
          "['cities'] [] []",
          "[('city', 'TEXT', True), ('lat', 'DOUBLE PRECISION', True), ('lng', 'DOUBLE PRECISION', True)]",
          'Aberdeen, Aberdeen City, UK',
          '1\n',
        ].join('\n'),
      );
    }, 180_000);
  } else
    it('does not run those in Python: their packages are not here (node test/clients/fetch.mjs)', () => {
      expect(existsSync(join(pythonFolder, 'whole'))).toBe(false);
    });

  if (spawnSync('psql', ['--version']).status === 0)
    it('psql shows tables and their columns', async () => {
      const { host, port } = postgresAddress(edge);
      const commands = ['\\d', '\\d cities', '\\dt', '\\l', '\\dn', 'SELECT count(*) FROM cities'];
      const shown = await run('psql', [
        ...['-X', '-A', '-h', host, '-p', String(port), '-U', 'ann', '-w', 'shop'],
        ...commands.flatMap((command) => ['-c', command]),
      ]);
      expect(shown).not.toMatch(/ERROR/);
      expect(shown).toMatch(/public\|cities\|table\|millrace/);
      expect(shown).toMatch(/lat\|double precision\|/);
      expect(shown).toMatch(/^shop\|/m);
      expect(shown).toMatch(/count\(\*\)\n37\n/);
    }, 180_000);
  else
    it('does not run psql, which is not on this machine', () => {
      expect(spawnSync('psql', ['--version']).error).toBeDefined();
    });
});
