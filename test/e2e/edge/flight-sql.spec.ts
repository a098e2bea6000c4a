import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DataType,
  Float64,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { ipcMessages } from '../../../libs/flight-sql/ipc/ipc-messages.js';
import { only } from '../../../libs/flight-sql/ipc/smaller-batches.js';
import { writeAny } from '../../../libs/flight-sql/protocol/commands.js';
import { FlightData, Ticket } from '../../../libs/flight-sql/protocol/flight-messages.js';
import { FLIGHT_SERVICE } from '../../../libs/flight-sql/protocol/flight-service.js';
import {
  CommandGetSqlInfo,
  CommandGetTables,
  CommandPreparedStatementQuery,
  CommandStatementQuery,
  DoPutPreparedStatementResult,
} from '../../../libs/flight-sql/protocol/sql-messages.js';
import { callEnd, FlightClient } from '../../server/flight-client.js';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../../server/start-edge.js';

const TABLES = [
  ...['--addr-flight-sql', '127.0.0.1:0', '-t', 'cities=uk_cities_with_headers.csv'],
  ...['-t', 'blogs=blogs.parquet,format=parquet'],
];
const NOTHING = Buffer.alloc(0);

const rowsOf = (table: Table): unknown[] =>
  table.toArray().map((row: { toJSON(): unknown }) => row.toJSON());

/** Values that are sent with `DoPut`, for a prepared statement. */
async function sentValues(handle: Buffer, values: Table): Promise<Buffer[]> {
  const command = writeAny(
    'CommandPreparedStatementQuery',
    CommandPreparedStatementQuery.encode({ handle }),
  );
  const messages: Buffer[] = [];
  const stream = Buffer.from(tableToIPC(values, 'stream'));
  for await (const { header, body } of ipcMessages(only(stream))) {
    const isFirst = messages.length === 0;
    messages.push(FlightData.encode({ header, body, ...(isFirst && { descriptor: { type: 2, command, path: [] } }) })); // prettier-ignore
  }
  return messages;
}

describe('a client of Arrow Flight SQL', () => {
  let edge: Edge;
  let client: FlightClient;
  beforeAll(async () => {
    edge = await startEdge(TABLES);
    client = new FlightClient(edge);
  }, 120_000);
  afterAll(async () => {
    client.close();
    await edge.stop();
  });

  it('asks statements, and is told their schema before', async () => {
    const command = CommandStatementQuery.encode({ query: 'SELECT city, lat FROM cities WHERE lat > 57 ORDER BY lat LIMIT 1' }); // prettier-ignore
    const { schema, endpoints, totalRecords } = await client.info('CommandStatementQuery', command);
    const { table } = await client.get(endpoints[0]?.ticket?.ticket ?? NOTHING);
    expect(rowsOf(table)).toEqual([{ city: 'Aberdeen, Aberdeen City, UK', lat: 57.149651 }]);
    expect(totalRecords).toBe(-1);
    const [message] = await all(ipcMessages(only(schema)));
    const [sent] = await all(ipcMessages(only(Buffer.from(tableToIPC(table, 'stream')))));
    expect(message?.kind).toBe(sent?.kind);
  });

  it('is told the schema without a row being read', async () => {
    const query = 'SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)';
    const { schema } = await client.info('CommandStatementQuery', CommandStatementQuery.encode({ query })); // prettier-ignore
    expect(schema.length).toBeGreaterThan(0);
  });

  it('asks by HTTP and by Flight for the same rows, nested ones too', async () => {
    const statement = 'SELECT * FROM blogs';
    const { json } = await edge.sql(statement);
    const table = await client.sql(statement);
    expect(JSON.parse(stringOf(rowsOf(table)))).toEqual(JSON.parse(stringOf(json())));
  });

  it('gets a large answer in messages of a size that any client takes, each row once', async () => {
    const query = `SELECT number AS n, toString(number) AS t, [number, number + 1] AS l, repeat('x', number % 300) AS r, (number, 'é')::Tuple(a UInt64, b String) AS s, if(number % 3 = 0, NULL, number) AS m FROM numbers(200000)`;
    const { endpoints } = await client.info('CommandStatementQuery', CommandStatementQuery.encode({ query })); // prettier-ignore
    const { table, sizes } = await client.get(endpoints[0]?.ticket?.ticket ?? NOTHING);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(Math.max(...sizes)).toBeGreaterThan(1024 * 1024);
    expect(table.numRows).toBe(200_000);
    const wrong = rowsOf(table).filter((row, at) => stringOf(row) !== stringOf(expectedRow(at)));
    expect(wrong).toEqual([]);
  }, 240_000);

  it('gets a row that is larger by itself, where it takes one', async () => {
    const query = "SELECT repeat(repeat('x', 1000), 6000) AS t, number AS n FROM numbers(2)";
    await expect(client.sql(query)).rejects.toMatchObject({ code: 8 });
    const patient = new FlightClient(edge, { 'grpc.max_receive_message_length': -1 });
    const table = await patient.sql(query);
    expect(table.getChild('t')?.get(1)).toHaveLength(6_000_000);
    patient.close();
  });

  it('prepares a statement and runs it with its values', async () => {
    const query = 'SELECT count(*) AS n FROM cities WHERE lat > ? AND city <> ?';
    const { handle, datasetSchema, parameterSchema } = await client.prepare(query);
    expect(datasetSchema.length).toBeGreaterThan(0);
    expect(parameterSchema.length).toBeGreaterThan(0);
    const values = (rows: number): Table =>
      new Table({
        a: vectorFromArray(Array<number>(rows).fill(57), new Float64()),
        b: vectorFromArray(Array<string>(rows).fill("it's a \\ '"), new Utf8()),
      });
    for (const rows of [0, 2])
      expect(await client.put(await sentValues(handle, values(rows))).catch(callEnd)).toMatchObject({ code: 3 }); // prettier-ignore
    const [bound] = await client.put(await sentValues(handle, values(1)));
    const { handle: other } = DoPutPreparedStatementResult.decode(bound ?? NOTHING);
    const command = CommandPreparedStatementQuery.encode({ handle: other });
    const table = await client.ask('CommandPreparedStatementQuery', command);
    expect(rowsOf(table)).toEqual([{ n: 3n }]);
    expect(await client.act('ClosePreparedStatement', 'ActionClosePreparedStatementRequest', CommandPreparedStatementQuery.encode({ handle }))).toEqual([]); // prettier-ignore
    const unbound = CommandPreparedStatementQuery.encode({ handle });
    const end = await client.ask('CommandPreparedStatementQuery', unbound).catch(callEnd);
    expect(end).toMatchObject({ code: 3, details: 'the statement wants 2 values, and 0 were bound' }); // prettier-ignore
  });

  it('is told the tables, with their schemas', async () => {
    const command = CommandGetTables.encode({ tablePattern: 'c%ies', includeSchema: true });
    const table = await client.ask('CommandGetTables', command);
    expect(rowsOf(table)).toMatchObject([
      { catalog_name: '', db_schema_name: 'public', table_name: 'cities', table_type: 'TABLE' },
    ]);
    const schema = Buffer.from(table.getChild('table_schema')?.get(0) as Uint8Array);
    const [message] = await all(ipcMessages(only(schema)));
    expect(message?.header.includes('lat')).toBe(true);
    const none = await client.ask('CommandGetTables', CommandGetTables.encode({ tableTypes: ['VIEW'] })); // prettier-ignore
    expect(none.numRows).toBe(0);
  });

  it('is told about the server by a union', async () => {
    const table = await client.ask('CommandGetSqlInfo', CommandGetSqlInfo.encode({ info: [0, 3] }));
    expect(rowsOf(table)).toEqual([
      { info_name: 0, value: 'Millrace' },
      { info_name: 3, value: true },
    ]);
    expect(DataType.isDenseUnion(table.schema.fields[1]?.type)).toBe(true);
  });

  it.each([
    ['SELECT nope FROM cities', 3, /no column "nope", at line 1, column 8/],
    ['SELECT * FROM nope', 5, /no table "nope"/],
    ['SELECT 1 +', 3, /syntax error/],
    ['', 3, /empty/],
    ['DROP TABLE cities', 7, /only reading/],
    ['INSERT INTO cities VALUES (1)', 7, /only reading/],
    ['DELETE FROM cities', 7, /only reading/],
    ['UPDATE cities SET lat = 1', 7, /only reading/],
    ['SELECT 1; SELECT 2', 3, /one statement/],
    ["SELECT * FROM file('/etc/passwd')", 7, /file/],
    ['SELECT * FROM system.tables', 7, /system/],
    ["SELECT throwIf(number = 150000, 'half of it') FROM numbers(200000)", 3, /half of it/],
    ['EXPLAIN SELECT 1', 3, /EXPLAIN/],
  ])('is told what is wrong with %s', async (query, code, details) => {
    const end = await client.sql(query).catch(callEnd);
    expect(end).toEqual({ code, details: expect.stringMatching(details) as string });
  });

  it.each([
    ['an update', 'CommandStatementUpdate', 7],
    ['rows to put', 'CommandStatementIngest', 7],
    ['a plan of Substrait', 'CommandStatementSubstraitPlan', 3],
  ])('is refused %s', async (_, name, code) => {
    expect(await client.info(name, NOTHING).catch(callEnd)).toMatchObject({ code });
  });

  it.each([
    ['no message', Buffer.from('ffffffff', 'hex')],
    ['another type of a field', Buffer.from('0a0208', 'hex')],
    ['a length beyond the end', Buffer.from('12ffffff0f00', 'hex')],
    ['nothing', NOTHING],
  ])('is told that %s cannot be read', async (_, bytes) => {
    const end = await client.unary(FLIGHT_SERVICE.getFlightInfo, bytes).catch(callEnd);
    expect(end).toMatchObject({ code: 3 });
    expect(await client.messages(FLIGHT_SERVICE.doGet, bytes).catch(callEnd)).toMatchObject({ code: 3 }); // prettier-ignore
    expect(await client.put([bytes]).catch(callEnd)).toMatchObject({ code: 3 });
  });

  it('may send so much at once, and no more', async () => {
    const long = CommandStatementQuery.encode({ query: `SELECT '${'x'.repeat(1_100_000)}'` });
    expect(await client.info('CommandStatementQuery', long).catch(callEnd)).toMatchObject({ code: 8 }); // prettier-ignore
    const half = FlightData.encode({ body: Buffer.alloc(600_000) });
    expect(await client.put([half, half]).catch(callEnd)).toMatchObject({ code: 8 });
  });

  it('cancels what it has begun, and the engine is free again', async () => {
    const query = 'SELECT number, sipHash64(number) AS h FROM numbers(1000000000000)';
    const { endpoints } = await client.info('CommandStatementQuery', CommandStatementQuery.encode({ query })); // prettier-ignore
    const ticket = Ticket.encode({ ticket: endpoints[0]?.ticket?.ticket ?? NOTHING });
    // There are more calls than the engine has readers.
    for (let call = 0; call < 12; call += 1) {
      const stream = client.stream(FLIGHT_SERVICE.doGet, ticket);
      stream.on('error', () => undefined);
      await once(stream, 'data');
      stream.cancel();
    }
    expect(rowsOf(await client.sql('SELECT 1::Int32 AS n'))).toEqual([{ n: 1 }]);
  }, 120_000);

  it('is sent no more than it takes', async () => {
    const query = 'SELECT number FROM numbers(1000000000)';
    const { endpoints } = await client.info('CommandStatementQuery', CommandStatementQuery.encode({ query })); // prettier-ignore
    const ticket = Ticket.encode({ ticket: endpoints[0]?.ticket?.ticket ?? NOTHING });
    const stream = client.stream(FLIGHT_SERVICE.doGet, ticket);
    stream.on('error', () => undefined);
    await once(stream, 'readable');
    // Eight gigabytes would be there if nobody waited for the client.
    expect(rowsOf(await client.sql('SELECT count() AS n FROM cities'))).toEqual([{ n: 37n }]);
    const { text } = await edge.get('/metrics');
    const resident = Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
    expect(resident).toBeLessThan(2 * 1024 ** 3);
    stream.cancel();
  }, 120_000);
});

describe('a client of Arrow Flight SQL where a token is asked for', () => {
  let edge: Edge;
  beforeAll(async () => (edge = await startEdge([...TABLES, '--token', 'sésame'])), 120_000);
  afterAll(() => edge.stop());

  const basic = (password: string): string =>
    `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;

  it('shows it as its password, and gets a bearer by a handshake', async () => {
    const client = new FlightClient(edge, {}, basic('sésame'));
    const call = client.conversation(FLIGHT_SERVICE.handshake);
    const [headers] = (await once(call, 'metadata')) as [{ get(name: string): string[] }];
    call.end();
    call.resume();
    const bearer = new FlightClient(edge, {}, headers.get('authorization')[0]);
    expect(rowsOf(await bearer.sql('SELECT 1::Int32 AS n'))).toEqual([{ n: 1 }]);
    bearer.close();
    client.close();
  });

  it.each([undefined, basic('sesame'), basic(''), 'Bearer x', 'nonsense'])(
    'is not let in by %s',
    async (authorization) => {
      const client = new FlightClient(edge, {}, authorization);
      expect(await client.sql('SELECT 1').catch(callEnd)).toMatchObject({ code: 16 });
      expect(await client.put([]).catch(callEnd)).toMatchObject({ code: 16 });
      expect(await client.messages(FLIGHT_SERVICE.listActions, NOTHING).catch(callEnd)).toMatchObject({ code: 16 }); // prettier-ignore
      client.close();
    },
  );
});

describe('a client of Arrow Flight SQL where a table is lost', () => {
  it('is told of all tables, and the schemas of those that are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flight-lost-'));
    for (const name of ['kept.parquet', 'lost.parquet'])
      copyFileSync(join(ROAPI_FIXTURES, 'blogs.parquet'), join(folder, name));
    const tables = ['a=lost.parquet', 'b=kept.parquet'].map((table) => `${table},format=parquet,materialize=false`); // prettier-ignore
    const listens = ['--addr-flight-sql', '127.0.0.1:0'];
    const edge = await startEdge([...listens, ...tables.flatMap((table) => ['-t', table])], { directory: folder }); // prettier-ignore
    rmSync(join(folder, 'lost.parquet'));
    const client = new FlightClient(edge);
    const table = await client.ask('CommandGetTables', CommandGetTables.encode({ includeSchema: true })); // prettier-ignore
    const schemas = (rowsOf(table) as { table_name: string; table_schema: Uint8Array }[]).map(
      ({ table_name, table_schema }) => [table_name, tableFromIPC(table_schema).schema.fields.length > 0], // prettier-ignore
    );
    expect(schemas).toEqual([['a', false], ['b', true]]); // prettier-ignore
    client.close();
    await edge.stop();
    rmSync(folder, { recursive: true });
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const stringOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)) ?? ''; // prettier-ignore

const expectedRow = (n: number) => ({
  ...{ n, t: String(n), l: [n, n + 1], r: 'x'.repeat(n % 300), s: { a: n, b: 'é' } },
  m: n % 3 === 0 ? null : n,
});
