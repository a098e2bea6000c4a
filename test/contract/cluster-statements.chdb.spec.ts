import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse, type Warehouse } from '@app/warehouse';
import { AccessDdl } from '../../libs/warehouse/ddl/access-ddl.js';
import { additions, drops, renamings } from '../../libs/warehouse/ddl/column-changes.js';
import { indexName } from '../../libs/warehouse/ddl/column-indexes.js';
import { Ddl } from '../../libs/warehouse/ddl/ddl.js';

const LIMITS = {
  timeoutSeconds: 10,
  memoryBytes: 1e9,
  readRows: 1e9,
  readBytes: 1e9,
  resultRows: 1e3,
  resultBytes: 1e6,
};

// No cluster runs here: the engine's parser must take the statements, and they must say what they should.
describe('statements for a cluster', () => {
  const table = { database: 'o_a', table: 'web-1.x`y' };
  const column = { name: 'a`b', type: 'Nullable(String)' };
  const ddl = new Ddl("main'1");
  const access = new AccessDdl("main'1");
  let directory: string;
  let warehouse: Warehouse;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-cluster-statements-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: LIMITS,
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const parsed = (sql: string): Promise<string> =>
    warehouse.text({
      sql: 'SELECT formatQuerySingleLine({sql:String})',
      format: 'text',
      params: { sql },
    });

  const everywhere: readonly (readonly [string, readonly string[]])[] = [
    ['createDatabase', ddl.createDatabase('o_a')],
    ['dropDatabase', ddl.dropDatabase('o_a')],
    ['createTable', ddl.createTable(table, [column], "01'S")],
    ['createRejectedTable', ddl.createRejectedTable('o_a')],
    ['createAuditTable', ddl.createAuditTable('o_a')],
    ['createWriterEpochs', ddl.createWriterEpochs()],
    ['addColumns', [ddl.changeColumns(table, additions([column], new Set(['c'])))]],
    ['renameColumns', [ddl.changeColumns(table, renamings([{ from: 'a\u0001', to: 'a`b' }]))]],
    ['dropColumns', [ddl.changeColumns(table, drops(['c']))]],
    ['modifyColumns', [ddl.modifyColumns(table, [column])]],
    ['dropTable', ddl.dropTable(table)],
    ['setRetention', [ddl.setRetention(table, 7), ddl.setRetention(table, 0)]],
    [
      'indexes of values',
      [
        ...ddl.addIndexes(table, 'partition_key', [{ indexed: column.name, type: column.type }]),
        ...ddl.dropIndexes(table, [indexName('partition_key', 'a`b')]),
      ],
    ],
    [
      'indexes of words',
      [
        ...ddl.addIndexes(table, 'full_text', [{ indexed: column.name, type: column.type }]),
        ...ddl.dropIndexes(table, [indexName('full_text', 'a`b')]),
      ],
    ],
    ['dropRejected', [ddl.dropRejected('o_a', "01'S")]],
    [
      'removeRejected',
      [ddl.removeRejected('o_a', '01S', [{ partition: 1, offset: 2n, rows: [0, 3] }])],
    ],
    ['createPersonKeys', ddl.createPersonKeys()],
    ['dropPersonKeys', [ddl.dropPersonKeys('01P'), ddl.dropPersonKeys('01P', ["v1.'x", 'v1.y'])]],
    ['createReader', access.createReader('ab'.repeat(32), LIMITS)],
    ['createRole', access.createRole('o_a', ddl.databasesOf('o_a'), { seconds: 240, resultBytes: 1e9 })], // prettier-ignore
    ['dropRole', access.dropRole('o_a')],
    ['kill', [ddl.kill("startsWith(query_id, 'x')")]],
    ['catchUp', ddl.catchUp(table)],
  ];

  it.each(everywhere)('%s is done on every node', async (_name, statements) => {
    expect(statements).not.toEqual([]);
    for (const statement of statements)
      expect(await parsed(statement)).toContain("ON CLUSTER `main'1`");
  });

  it('asks all nodes what runs, and each shard once what it has', async () => {
    expect(await parsed(`SELECT query_id FROM ${ddl.processes} WHERE 1`)).toContain(
      'clusterAllReplicas',
    );
    expect(await parsed(`SELECT 1 FROM ${ddl.parts} WHERE active`)).toMatch(/ cluster\(/);
  });

  it('has a replicated table for a shard’s rows, and one that reads all shards', async () => {
    const [rows = '', all = ''] = ddl.createTable(table, [column], '01S');
    expect(await parsed(rows)).toMatch(
      /^CREATE TABLE IF NOT EXISTS s_a\.`web-1\.x\\`y` .*ENGINE = ReplicatedMergeTree ORDER BY _timestamp .*COMMENT '01S'/,
    );
    expect(await parsed(all)).toMatch(
      /^CREATE TABLE IF NOT EXISTS o_a\.`web-1\.x\\`y` .* AS s_a\.`web-1\.x\\`y` ENGINE = Distributed\('main\\'1', 's_a', 'web-1\.x`y'\) COMMENT '01S'/,
    );
    // A drop that stops half-way must be found again by the table that people see, so that table
    // goes last.
    expect(ddl.dropTable(table)[0]).toContain('s_a');
    expect(ddl.dropDatabase('o_a')[0]).toContain('s_a');
  });

  it('lets a role read what is behind an organization’s tables too', async () => {
    const statements = access.createRole('o_a', ddl.databasesOf('o_a'), undefined);
    const grants = await Promise.all(statements.map(parsed));
    expect(grants.join('')).toMatch(
      /GRANT .*SELECT ON s_a\.\* TO o_a\n.*SELECT ON o_a\.\* TO o_a\n/s,
    );
  });

  it('has what is small on every node whole', async () => {
    for (const [statement = ''] of [
      ddl.createRejectedTable('o_a'),
      ddl.createAuditTable('o_a').slice(-1),
      ddl.createWriterEpochs().slice(-1),
      ddl.createPersonKeys().slice(-1),
    ])
      expect(await parsed(statement)).toContain(
        "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}')",
      );
  });
});
