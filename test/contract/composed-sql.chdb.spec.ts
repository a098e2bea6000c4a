import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceCredentials } from '@app/edge';
import type { Column } from '@app/warehouse';
import type { Field } from '@app/arrow';
import { judgedRows } from '../../libs/acceptance/table/sql/judge-rows.sql.js';
import { selectRows, storedFields } from '../../libs/acceptance/table/table-source.js';
import { databaseSource } from '../../libs/edge/sources/databases/database-source.js';
import { engineFormat } from '../../libs/edge/sources/engine-format.js';
import { fileSource } from '../../libs/edge/sources/file-source.js';
import { lakeSource } from '../../libs/edge/sources/lake-source.js';
import { placeOf } from '../../libs/edge/sources/place.js';
import { settingsClause, type Source } from '../../libs/edge/sources/source.js';
import type { TableDescription } from '../../libs/query/catalog.js';
import { planTableRead } from '../../libs/query/frontends/tables.frontend.js';
import { renderTableRead } from '../../libs/query/plan/render-sql.js';
import { planSearch } from '../../libs/query/search/search-plan.js';
import { sideOf, topValues } from '../../libs/query/search/stream-pages.js';
import { additions, drops, renamings } from '../../libs/warehouse/ddl/column-changes.js';
import { indexName } from '../../libs/warehouse/ddl/column-indexes.js';
import { Ddl } from '../../libs/warehouse/ddl/ddl.js';
import { expectGolden } from '../golden.js';
import { LIMITS } from './limits.js';
import { openReaderInProcess, type ReaderInProcess } from './open-reader-in-process.js';

/** A statement with the reason why it is composed. */
type Titled = readonly [title: string, statement: string];

/** The golden files keep composed SQL as the engine prints it, so that a reviewer can read it. */
describe('composed SQL', () => {
  let directory: string;
  let engine: ReaderInProcess;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'composed-'));
    engine = openReaderInProcess(directory, LIMITS, 1);
  });
  afterAll(async () => {
    await engine.close();
    await rm(directory, { recursive: true });
  });

  const print = async (sql: string, printer = 'formatQuery'): Promise<string> => {
    const statement = `SELECT ${printer}({sql:String})`;
    const printed = await engine.reader.text({ sql: statement, format: 'text', params: { sql } });
    return printed.trimEnd();
  };
  const golden = async (name: string, statements: readonly Titled[]): Promise<void> => {
    const pieces: string[] = [];
    for (const [title, sql] of statements) pieces.push(`-- ${title}\n${await print(sql)};\n`);
    expectGolden(name, pieces.join('\n'));
  };

  it('of tables is what its golden files say', async () => {
    await golden('ddl.sql', ddl(undefined));
    await golden('ddl-of-a-cluster.sql', ddl('blue'));
  });

  it('of sources with types is what its golden files say', async () => {
    await golden('typed-rows.sql', typedRows());
    await golden('edge-sources.sql', await edgeSources());
  });

  it('of questions is what its golden files say', async () => {
    await golden('table-reads.sql', tableReads());
    const searches: Titled[] = [];
    for (const [title, text] of SEARCHES) {
      const plan = planSearch(await print(text, 'formatQuerySingleLine'), RANGE, tableOf);
      const unordered = plan.unordered(20, 10);
      searches.push(
        [`${title}: a page`, plan.page(20, 10).sql],
        ...(unordered ? [[`${title}: a page without an order`, unordered.sql] as const] : []),
        [`${title}: its count`, plan.all.sql],
        [`${title}: an aggregation`, plan.aggregation(await print(AGGREGATION, ON_ONE_LINE)).sql],
      );
    }
    await golden('search.sql', [...searches, ...pages()]);
  });
});

const ON_ONE_LINE = 'formatQuerySingleLine';

const TABLE = { database: 'o_1', table: 'logs' };
const COLUMNS: readonly Column[] = [
  { name: 'level', type: 'Nullable(String)' },
  { name: 'took', type: 'Nullable(Float64)' },
  { name: 'request', type: 'Nullable(JSON)' },
  { name: 'odd`name', type: 'Nullable(Nothing)' },
];

function ddl(cluster: string | undefined): readonly Titled[] {
  const by = new Ddl(cluster);
  const all = (title: string, statements: readonly string[]): Titled[] =>
    statements.map((sql, index) => [
      statements.length > 1 ? `${title} (${index + 1} of ${statements.length})` : title,
      sql,
    ]);
  const within = { sql: 'request.`status`', type: 'Nullable(Date32)' };
  return [
    ...all('the database of an organization', by.createDatabase(TABLE.database)),
    ...all('the table of a stream', by.createTable(TABLE, COLUMNS, '01STREAM')),
    ...all('rejected records', by.createRejectedTable(TABLE.database)),
    ...all('the audit trail', by.createAuditTable(TABLE.database)),
    ...all('claims of writers', by.createWriterEpochs()),
    ...all('keys of persons', by.createPersonKeys()),
    [
      'new columns, one of which was known without a type',
      by.changeColumns(TABLE, additions(COLUMNS.slice(0, 2), new Set(['took']))),
    ],
    ['columns without a type go', by.changeColumns(TABLE, drops(['odd`name']))],
    ['a column gets another name', by.changeColumns(TABLE, renamings([{ from: 'a', to: 'b' }]))],
    ['a column widens', by.modifyColumns(TABLE, [{ name: 'took', type: 'Nullable(Float64)' }])],
    ['retention of 30 days', by.setRetention(TABLE, 30)],
    ['retention for ever', by.setRetention(TABLE, 0)],
    ...all(
      'an index of single values',
      by.addIndexes(TABLE, 'partition_key', [{ indexed: 'level', type: 'Nullable(String)' }]),
    ),
    ...all(
      'an index of days',
      by.addIndexes(TABLE, 'partition_key', [{ indexed: within, type: 'Nullable(Date32)' }]),
    ),
    ...all(
      'an index of words',
      by.addIndexes(TABLE, 'full_text', [{ indexed: 'level', type: 'Nullable(String)' }]),
    ),
    ...all('an index goes', by.dropIndexes(TABLE, [indexName('full_text', 'level')])),
    ...all('before stored rows are read', by.catchUp(TABLE)),
    [
      'rejected records that were stored by a retry go',
      by.removeRejected(TABLE.database, '01STREAM', [{ partition: 1, offset: 2n, rows: [3, 4] }]),
    ],
    ['rejected records of a deleted stream go', by.dropRejected(TABLE.database, '01STREAM')],
    ['an older insert is ended', by.kill("query_id = 'insert-1'")],
    ...all('the table of a deleted stream', by.dropTable(TABLE)),
    ...all('the database of a deleted organization', by.dropDatabase(TABLE.database)),
  ];
}

const integer = (name: string, bits: 8 | 16 | 32 | 64 = 64, signed = true): Field => ({
  name,
  type: { kind: 'integer', bits, signed },
});
const text = (name: string): Field => ({ name, type: { kind: 'text' } });
const FIELDS: readonly Field[] = [
  { name: '_timestamp', type: { kind: 'timestamp', digits: 9, utc: true } },
  integer('id'),
  integer('small', 8, false),
  { name: 'ratio', type: { kind: 'float', bits: 32 } },
  { name: 'price', type: { kind: 'decimal', precision: 20, scale: 4 } },
  { name: 'day', type: { kind: 'date' } },
  { name: 'at', type: { kind: 'time', digits: 6 } },
  { name: 'old', type: { kind: 'int96' } },
  { name: 'key', type: { kind: 'uuid' } },
  { name: 'bytes', type: { kind: 'binary' } },
  text("it's"),
  { name: 'words', type: { kind: 'list', element: text('element') } },
  { name: 'by', type: { kind: 'struct', fields: [text('name'), integer('age', 32)] } },
  { name: 'tags', type: { kind: 'map', key: text('key'), value: integer('value') } },
];

function typedRows(): readonly Titled[] {
  const base = { format: 'Parquet', name: 'the body', rows: 3, objects: [] } as const;
  const file = { ...base, file: '/spool/1/body.parquet', held: FIELDS };
  const narrower = FIELDS.filter(({ name }) => !['price', 'by'].includes(name));
  const columns: readonly Column[] = [
    { name: 'id', type: 'Nullable(Int32)' },
    { name: 'ratio', type: 'Nullable(Float64)' },
    { name: 'day', type: 'Nullable(Date32)' },
    { name: "it's", type: 'Nullable(String)' },
    { name: 'words', type: 'Array(Nullable(String))' },
    { name: 'by', type: 'Nullable(JSON)' },
  ];
  const judged = judgedRows({
    source: '/spool/1/0.native',
    firstLine: 1,
    columns,
    fields: storedFields(FIELDS),
    refusedFields: new Map([['tags', 'would be the 2,001st column']]),
    keptFrom: 1_700_000_000_000_000,
    nested: true,
  });
  const values = judged.values.map((value, index) => `${value} AS v${index}`).join(', ');
  return [
    [
      'rows of a file of all types',
      selectRows({ ...file, constants: new Map() }, FIELDS, new Map()),
    ],
    [
      'rows of a file of a Delta table: a partition value, a deleted row, fields it does not have',
      selectRows(
        {
          ...file,
          held: narrower,
          constants: new Map([['small', 'toUInt8(7)']]),
          where: '_row_number != 2',
        },
        FIELDS,
        new Map(),
      ),
    ],
    [
      'rows of a file in which a struct may be null',
      selectRows({ ...file, constants: new Map() }, FIELDS, new Map([['by', '_row_number = 1']])),
    ],
    ['rows that were spooled', judged.rows],
    ['why such a row is rejected', `SELECT ${judged.reason} AS reason FROM spooled`],
    ['its time', `SELECT ${judged.micros} AS micros FROM spooled`],
    ['its values in the columns of the stream', `SELECT ${values} FROM spooled`],
    ['a rejected row as a JSON record', `SELECT ${judged.record} AS record FROM spooled`],
  ];
}

const CREDENTIALS: SourceCredentials = {
  s3: { region: 'eu-1', endpoint: undefined, accessKeyId: 'id', secretAccessKey: 'secret' },
  gcs: { endpoint: undefined },
  azure: { account: 'acme', key: 'c2VjcmV0' },
} as SourceCredentials;

/** The catalogs of the two servers answer this for a table with a name and a price. */
const CATALOGS = {
  mysql: [
    { place: 'shop', tab: 'orders', name: 'name', nullable: 'NO', kind: 'varchar', whole: 'varchar(20)', digits: 0 },
    { place: 'shop', tab: 'orders', name: 'price', nullable: 'YES', kind: 'decimal', whole: 'decimal(10,2)', digits: 0 },
  ],
  postgres: [
    { place: 'orders', name: 'name', required: 1, dimensions: 0, kind: 'text' },
    { place: 'orders', name: 'price', required: 0, dimensions: 0, kind: 'numeric(10,2)' },
  ],
}; // prettier-ignore

async function edgeSources(): Promise<readonly Titled[]> {
  const select = (
    title: string,
    source: Source | undefined,
    columns?: Parameters<Source['call']>[0],
  ): Titled => {
    if (!source) throw new Error(`${title}: there is no source`);
    return [title, `SELECT * FROM ${source.call(columns)}${settingsClause(source.settings)}`];
  };
  const files = (uri: string, format: 'csv' | 'parquet' | 'ndjson'): Source => {
    const options =
      format === 'csv' ? { format, hasHeader: true, delimiter: ';' } : ({ format } as const);
    const engines = engineFormat(options);
    if (!engines) throw new Error(`the engine does not read ${format}`);
    return fileSource({ headers: { 'x-key': "it's" } }, placeOf(uri, '/'), engines, CREDENTIALS);
  };
  const database = (format: 'mysql' | 'postgres'): Promise<Source | undefined> =>
    databaseSource(
      { name: 'orders', uri: `${format}://ann:it's@db/shop`, options: { format } },
      '/',
      { run: () => Promise.resolve(CATALOGS[format].map((row) => JSON.stringify(row)).join('\n')) },
    );
  return [
    select('CSV of a web server', files('https://example.org/a.csv', 'csv')),
    select('JSON lines in S3, with types', files('s3://bucket/logs/', 'ndjson'), [
      { name: 'a', type: 'Int64' },
    ]),
    select('Parquet in Google Cloud Storage', files('gs://bucket/a.parquet', 'parquet')),
    select('Parquet in Azure, with types', files('az://box/a.parquet', 'parquet'), [
      { name: 'a', type: 'Int64' },
    ]),
    select('a Delta table in S3', lakeSource('delta', placeOf('s3://b/t', '/'), CREDENTIALS)),
    select('an Iceberg table in S3', lakeSource('iceberg', placeOf('s3://b/t', '/'), CREDENTIALS)),
    select('a table of MySQL', await database('mysql')),
    select('a table of PostgreSQL', await database('postgres')),
  ];
}

const LOGS: TableDescription = {
  name: 'logs',
  columns: [{ name: '_timestamp', type: "DateTime64(6, 'UTC')" }, ...COLUMNS.slice(0, 3)],
  arrivalColumns: ['_partition', '_offset', '_row'],
  fullTextColumns: ['level'],
};
const USERS: TableDescription = {
  name: 'users',
  columns: [
    { name: '_timestamp', type: "DateTime64(6, 'UTC')" },
    { name: 'id', type: 'Nullable(Int64)' },
  ],
};
const tableOf = (name: string): TableDescription | undefined =>
  [LOGS, USERS].find((each) => each.name === name);

function tableReads(): readonly Titled[] {
  const read = (title: string, parameters: Readonly<Record<string, unknown>>): Titled => [
    title,
    renderTableRead(planTableRead(LOGS, parameters)).sql,
  ];
  return [
    read('all rows', {}),
    read('a page', { columns: 'level,took', sort: '-took', limit: '10', page: '3' }),
    read('filters', {
      'filter[took]gte': '1.5',
      'filter[level]in': '["error","warn"]',
      'filter[request]eq': 'null',
    }),
  ];
}

const RANGE = { start: 1_700_000_000_000_000, end: 1_700_003_600_000_000 };
const SEARCHES: readonly Titled[] = [
  ['plain rows', "SELECT * FROM logs WHERE match_all('timeout') OR took > 2"],
  [
    'a histogram',
    "SELECT histogram(_timestamp) AS t, count(*) AS n FROM logs WHERE str_match(level, 'err') GROUP BY t ORDER BY t",
  ],
  ['two streams', 'SELECT l.level, u.id FROM logs AS l JOIN users AS u ON l.took = u.id'],
  ['a union', 'SELECT level FROM logs UNION ALL SELECT toString(id) FROM users'],
];
const AGGREGATION = 'SELECT level, count(*) AS n FROM query GROUP BY level ORDER BY n DESC LIMIT 3';

function pages(): readonly Titled[] {
  const top = { size: 10, keyword: '', isUncounted: false };
  return [
    ['the values of a field', topValues('level', top)],
    ['the values of a field that have a word', topValues('level', { ...top, keyword: "it's" })],
    ['rows before a time', sideOf(LOGS, RANGE.end, 'before', 5).sql],
    ['rows after a time', sideOf(LOGS, RANGE.end, 'after', 5).sql],
  ];
}
