import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { runEdge, startEdge, type Edge } from '../../server/start-edge.js';

const HOSTILE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/hostile-sql.json'), 'utf8'),
) as readonly { readonly sql: string }[];
const MAX_WAIT_MS = 5000;

const CITIES = ['-t', 'cities=uk_cities_with_headers.csv'];

describe('a statement from the network', () => {
  let edge: Edge;
  beforeAll(async () => (edge = await startEdge(CITIES)), 120_000);
  afterAll(() => edge.stop());

  it.each([
    "SELECT * FROM file('/etc/passwd', LineAsString)",
    "SELECT file('/etc/passwd')",
    "SELECT * FROM url('http://127.0.0.1:1/', LineAsString)",
    "SELECT * FROM s3('http://127.0.0.1:1/b/k', NOSIGN, CSV, 'a String')",
    "SELECT * FROM sqlite('/etc/passwd', 'x')",
    "SELECT * FROM deltaLakeLocal('/')",
    'SELECT * FROM system.tables',
    'SELECT name FROM system.databases',
    "SELECT * FROM merge('.*', '.*')",
    "SELECT * FROM cities INTO OUTFILE '/tmp/cities.csv'",
    'INSERT INTO cities VALUES (1)',
    'DROP TABLE cities',
    "CREATE VIEW v AS SELECT * FROM file('/etc/passwd', LineAsString)",
    'SELECT 1; DROP TABLE cities',
    'SET readonly = 0',
    'SELECT currentDatabase()',
    'SHOW CREATE TABLE cities',
    'SYSTEM SHUTDOWN',
    "COPY cities TO '/tmp/x'",
  ])('reads registered tables only: %s', async (statement) => {
    const answer = await edge.sql(statement);
    expect([400, 403, 404]).toContain(answer.status);
    expect(answer.text).not.toContain('root:');
    expect(answer.text).not.toMatch(/o_[0-9a-f]{32}/);
  });

  it('is judged by the same guard as in the hosted service', async () => {
    expect(HOSTILE.length).toBeGreaterThan(50);
    let refused = 0;
    for (const { sql } of HOSTILE) {
      // Some of them only want to be expensive, so nobody waits for those.
      const signal = AbortSignal.timeout(MAX_WAIT_MS);
      const text = await fetch(`${edge.url}/api/sql`, { method: 'POST', body: sql, signal })
        .then(async (answer) => {
          if (!answer.ok) refused += 1;
          return answer.text();
        })
        .catch(() => '');
      expect(text).not.toMatch(/root:x|o_[0-9a-f]{32}|fixtures\/roapi/);
    }
    expect(refused).toBeGreaterThan(HOSTILE.length * 0.8);
    expect((await edge.sql('SELECT count() AS n FROM cities')).json()).toEqual([{ n: 37 }]);
  }, 240_000);

  it('is answered to nobody of another origin, unless that is wanted', async () => {
    const answer = await edge.get('/api/tables/cities?limit=1', { origin: 'http://evil.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a page whose name points to this machine', () => {
  let edge: Edge;
  beforeAll(async () => (edge = await startEdge(CITIES)), 120_000);
  afterAll(() => edge.stop());

  it.each([
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost', 200],
    ['127.0.0.1', 200],
    ['[::1]', 200],
  ])('as %s is answered %i', async (name, status) => {
    const port = new URL(edge.url).port;
    expect(await statusAs(`${edge.url}/api/schema`, `${name}:${port}`)).toBe(status);
    expect(await statusAs(`${edge.url}/api/tables/cities?limit=1`, name)).toBe(status);
  });
});

describe('a program that others can reach', () => {
  it('wants its token of everybody, and lets nobody else in', async () => {
    const edge = await startEdge([...CITIES, '--cors', 'https://app.example'], {
      variables: { MILLRACE_EDGE_TOKEN: 'open-sesame-1' },
    });
    try {
      for (const headers of [
        {},
        { authorization: 'Bearer wrong' },
        { authorization: 'open-sesame-1' },
        { authorization: `Basic ${Buffer.from('x:wrong').toString('base64')}` },
      ] as Readonly<Record<string, string>>[]) {
        const refused = await edge.get('/api/schema', headers);
        expect(refused.json()).toMatchObject({ code: 401 });
        const table = await edge.post('/api/table', [], headers);
        expect(table.status).toBe(401);
      }
      const basic = Buffer.from('anybody:open-sesame-1').toString('base64');
      for (const authorization of ['Bearer open-sesame-1', `Basic ${basic}`]) {
        const answer = await edge.get('/api/tables/cities?limit=1', {
          authorization,
          origin: 'https://app.example',
        });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
      }
      expect((await edge.get('/health')).text).toBe('OK');
      expect((await edge.get('/healthz')).json()).toEqual({ status: 'ok' });
      expect((await edge.get('/readyz')).json()).toMatchObject({ status: 'ok' });
    } finally {
      await edge.stop();
    }
  });

  it('registers nothing when it is read-only', async () => {
    const edge = await startEdge([...CITIES, '--read-only']);
    try {
      for (const path of ['/api/table', '/api/tables/drop']) {
        const refused = await edge.post(path, [{ tableName: 'cities' }]);
        expect(refused.json()).toMatchObject({ code: 403 });
        expect(refused.text).toContain('--disable-read-only');
      }
      expect((await edge.sql('SELECT count() AS n FROM cities')).json()).toEqual([{ n: 37 }]);
    } finally {
      await edge.stop();
    }
  });

  it('registers nothing for pages of others: with --cors and without a token it is read-only', async () => {
    const edge = await startEdge([...CITIES, '--cors', '*']);
    try {
      const uri = 'file:///etc/passwd,format=csv,has_header=false';
      const answer = await edge.post('/api/table', [{ tableName: 'x', uri }]);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('--token');
    } finally {
      await edge.stop();
    }
  });

  it('registers nothing for strangers: without a token it is read-only', async () => {
    const edge = await startEdge([...CITIES, '--addr-http', '0.0.0.0:0']);
    try {
      const port = new URL(edge.url).port;
      const answer = await fetch(`http://127.0.0.1:${port}/api/table`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '[{"tableName":"x","uri":"/etc/passwd,format=csv"}]',
      });
      expect(answer.status).toBe(403);
    } finally {
      await edge.stop();
    }
  });
});

describe('the program', () => {
  it('tells its options and its version', async () => {
    const help = await runEdge(['--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('--table');
    expect((await runEdge([])).stdout).toBe(help.stdout);
    const version = await runEdge(['--version']);
    expect(version.stdout).toMatch(/^millrace-edge \d+\.\d+\.\d+\n$/);
  });

  it('says what is wrong with its arguments', async () => {
    const { code, stderr } = await runEdge(['--tables', 'x=y.csv']);
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean "--table"');
  });

  it('answers with the format that it was started with, and with any that is asked for', async () => {
    const edge = await startEdge([...CITIES, '--response-format', 'Csv']);
    try {
      const statement = 'SELECT city FROM cities LIMIT 1';
      expect((await edge.sql(statement)).text).toBe('"city"\n"Elgin, Scotland, the UK"\n');
      const json = await edge.post('/api/sql', statement, { accept: 'application/json' });
      expect(json.json()).toEqual([{ city: 'Elgin, Scotland, the UK' }]);
      for (const type of ['application/vnd.apache.arrow.stream', 'application/parquet']) {
        const answer = await edge.post('/api/sql', statement, { accept: type });
        expect(answer.headers.get('content-type')).toBe(type);
        expect(answer.text.length).toBeGreaterThan(100);
      }
    } finally {
      await edge.stop();
    }
  });

  it('ends in good order, and leaves nothing behind', async () => {
    const edge = await startEdge(CITIES);
    expect(await edge.stop()).toBe(0);
  });
});

/** `fetch` lets nobody choose the name. */
function statusAs(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
