import type { RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '../../catalog.js';
import { checkDatabase, inMillraceWords } from './statement-words.js';
import { processorMs } from '../../../../test/processor-time.js';

const ORGANIZATION: RequestOrganization = { id: 'o', name: 'acme', database: 'd', share: 'o' };

class Tables extends Catalog {
  constructor(private readonly all: readonly TableDescription[]) {
    super();
  }

  tables(): readonly TableDescription[] {
    return this.all;
  }

  table(_organization: RequestOrganization, name: string): TableDescription | undefined {
    return this.all.find((each) => each.name === name);
  }
}

const catalog = new Tables([
  { name: 'logs', columns: [{ name: '_timestamp', type: "DateTime64(6, 'UTC')" }] },
  { name: "it's", columns: [{ name: 'a\tb', type: 'Int64' }] },
]);
const words = (statement: string, tables: Catalog = catalog): string =>
  inMillraceWords(statement, {
    catalog: tables,
    hasDatabase: (name) => name === 'acme',
    organization: ORGANIZATION,
    user: "o'neil@example.com",
    engine: { version: "'26.1'", revision: 'toUInt32(54500)' },
  });

describe("a statement of ClickHouse's clients", () => {
  it.each([
    // The organization is the database.
    ['SELECT logs.a FROM acme.logs WHERE 1', 'SELECT logs.a FROM logs WHERE 1'],
    ['SELECT * FROM acme.logs AS l JOIN "acme"."x" ON 1', 'SELECT * FROM logs AS l JOIN "x" ON 1'],
    ['SELECT * FROM a, acme.logs', 'SELECT * FROM a, logs'],
    // A name that is no table's stays as it is, and the guard refuses other databases.
    ['SELECT acme.x FROM t AS acme', 'SELECT acme.x FROM t AS acme'],
    ["SELECT 'FROM acme.logs'", "SELECT 'FROM acme.logs'"],
    ['SELECT * FROM other.logs', 'SELECT * FROM other.logs'],
    ['SELECT * FROM system.query_log', 'SELECT * FROM system.query_log'],
    ['SELECT * FROM system.toString', 'SELECT * FROM system.toString'],
    // These functions are about the session.
    ['SELECT version()', `SELECT '26.1' AS "version()"`],
    [
      'SELECT displayName(), revision() AS r',
      `SELECT 'millrace' AS "displayName()", toUInt32(54500) AS r`,
    ],
    ['SELECT currentUser() AS u', "SELECT 'o\\'neil@example.com' AS u"],
    ['SELECT currentDatabase() = 1', "SELECT 'acme' = 1"],
    ['SELECT database FROM logs', 'SELECT database FROM logs'],
    // An ambiguous statement is left as it is.
    ['SELECT version() FROM $$a$$', 'SELECT version() FROM $$a$$'],
    ['EXISTS TABLE logs', 'SELECT toUInt8(1) AS result'],
    ['EXISTS nope', 'SELECT toUInt8(0) AS result'],
    ['EXISTS DATABASE `acme`', 'SELECT toUInt8(1) AS result'],
    ['EXISTS DATABASE other', 'SELECT toUInt8(0) AS result'],
    ['DESCRIBE TABLE nope', 'DESCRIBE nope'],
    ['SHOW CREATE TABLE logs', 'SHOW CREATE TABLE logs'],
  ])('%s', (statement, expected) => {
    expect(words(statement)).toBe(expected);
  });

  it.each(['system.tables', '`system`.`tables`', '"system" . tables', 'system/**/.tables'])(
    'tells of its own streams where it asks %s',
    (name) => {
      const sql = words(`SELECT database, name FROM ${name} WHERE database = 'acme'`);
      expect(sql).toMatch(/^SELECT database_name AS "database", name FROM \(SELECT 'acme' AS /);
      expect(sql).toMatch(/ WHERE database_name = 'acme'$/);
      expect(sql).toContain(`[["it\\'s",""],["logs","_timestamp"]]`);
    },
  );

  it('knows the column of its table by any name of that', () => {
    const sql = words("SELECT t.database FROM system.tables AS t WHERE t.database = 'acme'");
    expect(sql).toMatch(/^SELECT t\.database_name AS "database" FROM /);
    expect(sql).toMatch(/ AS t WHERE t\.database_name = 'acme'$/);
  });

  it('knows a table of system by its whole name', () => {
    const sql = words(
      'SELECT system.tables.name, system.columns.database AS d FROM system.tables t, system.columns WHERE system.tables.name = system.columns.table',
    );
    expect(sql).toMatch(/^SELECT t\.name, columns\.database_name AS d FROM \(/);
    expect(sql).toMatch(/\) t, \(SELECT .*\) AS columns WHERE t\.name = columns\.table$/);
    expect(words('SELECT system.tables.name')).toBe('SELECT system.tables.name');
  });

  it.each([
    ['a.b,'.repeat(50_000), 'FROM t'],
    ['database,'.repeat(8000), 'FROM system.tables'],
    ['(a.b,'.repeat(400), 'FROM t'],
  ])('is read at once, however long it is', (list, from) => {
    const begun = processorMs();
    expect(words(`SELECT ${list} 1 ${from}`)).toContain('1 FROM');
    expect(processorMs() - begun).toBeLessThan(2000);
  });

  it('grows within bounds', () => {
    const begun = processorMs();
    const list = 'system.functions, '.repeat(10_000);
    expect(() => words(`SELECT 1 FROM ${list} t`)).toThrow(/more often than/);
    expect(processorMs() - begun).toBeLessThan(2000);
  });

  it('tells one table by its columns alone', () => {
    expect(words('DESCRIBE acme.logs')).not.toContain("it\\'s");
    expect(words('DESC "it\'s"')).toContain('a\\\\tb');
  });

  it.each(['SHOW TABLES FROM other', 'DESCRIBE other.logs', 'EXISTS other.logs'])(
    'knows no other database: %s',
    (statement) => {
      expect(() => words(statement)).toThrow(/there is no database "other" here/);
    },
  );

  it('says so where all columns are more than a statement holds', () => {
    const columns = Array.from({ length: 9000 }, (_, at) => ({
      name: `column_number_${at}`,
      type: 'Int64',
    }));
    const many = new Tables([{ name: 'wide', columns }]);
    expect(() => words('SELECT * FROM system.columns', many)).toThrow(/GET \/api\/acme\/schema/);
  });
});

describe('a database', () => {
  it('is the organization', () => {
    expect(() => checkDatabase('acme', ORGANIZATION)).not.toThrow();
    expect(() => checkDatabase('Acme', ORGANIZATION)).toThrow();
  });
});
