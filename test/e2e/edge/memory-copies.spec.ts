import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC, type Table } from 'apache-arrow';
import { FlightClient } from '../../server/flight-client.js';
import { copyLonger, writeLonger } from '../../server/longer-parquet.js';
import { postgresClient } from '../../server/postgres-client.js';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/parquet');
const FILES = {
  blogs: join(ROAPI_FIXTURES, 'blogs.parquet'),
  ...Object.fromEntries(
    [
      'bytes',
      'null-objects-zstd-1',
      'typed',
      'wide-decimals',
      'decimal-in-64-bits',
      'times-within',
      'exact',
      'struct-keys',
      'rare-types',
    ].map((name) => [name.replaceAll('-', '_'), join(FIXTURES, `${name}.parquet`)]),
  ),
};
const NAMES = Object.keys(FILES);
const PARQUET = 'application/vnd.apache.parquet';
const FORMATS = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'application/vnd.apache.arrow.stream',
  PARQUET,
];

describe('tables in place that are asked again', () => {
  let folder: string;
  let edge: Edge;
  const path = (name: string): string => join(folder, `${name}.parquet`);
  const isHeld = (name: string): boolean =>
    edge.output().includes(`\n${name}: held in memory now, `);
  /** A statement that nobody has asked, since an answer that is kept reads nothing. */
  let asks = 0;
  const another = (): string => `LIMIT ${(asks += 1) + 1000}`;
  const held = (name: string): Promise<void> =>
    until(async () => {
      const sql = `SELECT * FROM ${name} ${another()}`;
      expect((await edge.sql(sql)).status).toBe(200);
      return isHeld(name);
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-memory-'));
    for (const [name, file] of Object.entries(FILES)) copyLonger(file, path(name));
    copyLonger(FILES.blogs, path('once'));
    copyLonger(FILES.blogs, path('lies'));
    const doors = ['--addr-postgres', '127.0.0.1:0', '--addr-flight-sql', '127.0.0.1:0'];
    const options = { lies: ',use_memory_table=false' };
    const tables = Object.entries({ once: '', ...options, ...Object.fromEntries(NAMES.map((name) => [name, '']))}); // prettier-ignore
    edge = await startEdge([
      ...doors,
      '--disable-read-only',
      ...tables.flatMap(([name, option]) => [
        '-t',
        `${name}=${path(name)},format=parquet${option}`,
      ]),
    ]);
  }, 120_000);
  afterAll(async () => {
    await edge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are held in memory, and answer the same in all formats and by all doors', async () => {
    const postgres = await postgresClient(edge);
    const flight = new FlightClient(edge);
    const all = async (name: string): Promise<Record<string, unknown>> => {
      const sql = `SELECT * FROM ${name} ORDER BY 1 ${another()}`;
      const answers: Record<string, unknown> = {};
      for (const accept of FORMATS) {
        const sent = { method: 'POST', body: sql, headers: { accept } };
        const response = await fetch(`${edge.url}/api/sql`, sent);
        const bytes = Buffer.from(await response.arrayBuffer());
        answers[accept] = [response.status, response.ok ? read(bytes, accept) : ''];
      }
      answers['schema'] = (await edge.get(`/api/schema/${name}`)).text;
      answers['count'] = (await edge.sql(`SELECT count(*) AS n FROM ${name} ${another()}`)).text;
      answers['wrong'] = (await edge.sql(`SELECT no_such_column FROM ${name}`)).text.replace(/"request_id.*/, ''); // prettier-ignore
      const { rows, fields } = await postgres.query(sql);
      answers['postgres'] = [rows, fields.map((field) => [field.name, field.dataTypeID])];
      answers['flight'] = printed(await flight.sql(sql));
      return answers;
    };
    try {
      const before = new Map<string, unknown>();
      for (const name of NAMES) before.set(name, await all(name));
      for (const name of NAMES) await held(name);
      for (const name of NAMES) expect([name, await all(name)]).toEqual([name, before.get(name)]);
      const join = 'SELECT count(*) AS n FROM bytes, lies, exact';
      expect((await edge.sql(join)).status).toBe(200);
    } finally {
      flight.close();
      await postgres.end();
    }
  }, 120_000);

  it('stay in place where they are asked once, are only counted, or are to stay', async () => {
    expect((await edge.sql('SELECT count(reply) AS n FROM once')).json()).toEqual([{ n: 255 }]);
    for (let n = 0; n < 5; n += 1) {
      await edge.sql(`SELECT count(*) AS n_${n} FROM once`);
      await edge.sql(`SELECT count(reply) AS n_${n} FROM lies`);
    }
    // One table is copied after the other.
    copyLonger(FILES.blogs, path('later'));
    const later = [{ tableName: 'later', uri: path('later') }];
    expect((await edge.post('/api/table', later)).status).toBe(200);
    await held('later');
    expect(['once', 'lies'].filter(isHeld)).toEqual([]);
  });

  it('are read as they are by the next query after a change, and are held again', async () => {
    const written = async (n: number): Promise<void> => {
      const sql = `SELECT ${n} AS n, [${n}] AS l`;
      const asked = { method: 'POST', body: sql, headers: { accept: PARQUET } };
      const answer = await fetch(`${edge.url}/api/sql`, asked);
      writeLonger(Buffer.from(await answer.arrayBuffer()), `${path('t')}.new`);
      renameSync(`${path('t')}.new`, path('t'));
    };
    const lines = (): number => edge.output().split('\nt: held in memory now, ').length - 1;
    await written(0);
    await edge.post('/api/table', [{ tableName: 't', uri: path('t') }]);
    for (let round = 1; round <= 2; round += 1) {
      const answer = async (): Promise<unknown> =>
        (await edge.sql(`SELECT n, l[1] AS m FROM t ${another()}`)).json();
      await until(async () => {
        expect(await answer()).toEqual([{ n: round - 1, m: round - 1 }]);
        return lines() === round;
      });
      await written(round);
      expect(await answer()).toEqual([{ n: round, m: round }]);
    }
    rmSync(path('t'));
    expect((await edge.sql('SELECT n FROM t')).status).toBe(503);
  }, 120_000);
});

/** The bytes of Parquet depend on how the rows come. */
function read(bytes: Buffer, accept: string): string {
  if (accept === PARQUET) return '';
  return accept.includes('arrow') ? printed(tableFromIPC(bytes)) : bytes.toString();
}

const printed = (table: Table): string =>
  `${table.schema.toString()}${JSON.stringify(table.toArray(), (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))}`;
