import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from '../../server/start-edge.js';

const CITIES = 'uk_cities_with_headers.csv';
/** It was a minute when the engine tried ten times. */
const GIVEN_UP_MS = 15_000;

const tablesOf = async (edge: Edge): Promise<readonly string[]> =>
  Object.keys((await edge.get('/api/schema')).json<object>()).sort();

describe('tables that come and go at run time', () => {
  let edge: Edge;
  beforeAll(async () => (edge = await startEdge(['-t', `cities=${CITIES}`])), 120_000);
  afterAll(() => edge.stop());

  it('are there when the answer is', async () => {
    const answer = await edge.post('/api/table', [
      { tableName: 'blogs', uri: 'blogs.parquet' },
      { tableName: 'headless', uri: 'uk_cities_with_headers.csv,format=csv,has_header=false' },
    ]);
    expect(answer.json()).toEqual({ code: 200, message: 'blogs, headless registered' });
    expect((await edge.sql('SELECT count() AS n FROM blogs')).json()).toEqual([{ n: 500 }]);
    expect(await tablesOf(edge)).toEqual(['blogs', 'cities', 'headless']);
    const dropped = await edge.post('/api/tables/drop', [
      { tableName: 'blogs' },
      { tableName: 'headless' },
    ]);
    expect(dropped.json()).toEqual({ code: 200, message: 'blogs, headless dropped' });
    expect(await tablesOf(edge)).toEqual(['cities']);
    expect((await edge.sql('SELECT * FROM blogs')).status).toBe(404);
  });

  it('come all or none', async () => {
    const answer = await edge.post('/api/table', [
      { tableName: 'good', uri: 'blogs.parquet' },
      { tableName: 'cities', uri: 'spacex_launches.json' },
      { tableName: 'bad', uri: 'nowhere.csv' },
    ]);
    expect(answer.status).toBe(400);
    expect(answer.json<{ message: string }>().message).toContain('table "bad"');
    expect(await tablesOf(edge)).toEqual(['cities']);
    expect((await edge.sql('SELECT count() AS n FROM cities')).json()).toEqual([{ n: 37 }]);
    const drop = await edge.post('/api/tables/drop', [
      { tableName: 'cities' },
      { tableName: 'none' },
    ]);
    expect(drop.status).toBe(404);
    expect(await tablesOf(edge)).toEqual(['cities']);
  });

  it('do not come by a form or a text that a page of another origin could send', async () => {
    const body = JSON.stringify([{ tableName: 'x', uri: 'blogs.parquet' }]);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await edge.post('/api/table', body, { 'content-type': type });
      expect(answer.json()).toMatchObject({ code: 415 });
    }
    expect(await tablesOf(edge)).toEqual(['cities']);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '['],
    ['no list', '{}'],
    ['an unknown key', '[{"tableName":"a","uri":"blogs.parquet","option":{}}]'],
    [
      'a name twice',
      '[{"tableName":"a","uri":"blogs.parquet"},{"tableName":"a","uri":"blogs.parquet"}]',
    ],
    ['an unknown option', '[{"tableName":"a","uri":"blogs.parquet,fromat=parquet"}]'],
    ['an unknown format', '[{"tableName":"a","uri":"blogs.parquet,format=parket"}]'],
    ['a name of ours', '[{"tableName":"","uri":"blogs.parquet"}]'],
  ])('are refused with a reason: %s', async (_what, body) => {
    const answer = await edge.post('/api/table', body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
    expect(answer.json<{ message: string }>().message.length).toBeGreaterThan(10);
  });

  it.each(['table', 'tables/drop'])('may be none: %s', async (route) => {
    const type = 'application/vnd.api+json; charset=utf-8';
    const answer = await edge.post(`/api/${route}`, '[]', { 'content-type': type });
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      200,
      expect.stringContaining('no tables'),
    ]);
  });

  it('come while queries run, which end as they began', async () => {
    await edge.post('/api/table', [{ tableName: 'moving', uri: CITIES }]);
    let stop = false;
    const counts = new Set<string>();
    const asking = Array.from({ length: 4 }, async () => {
      while (!stop) counts.add((await edge.sql('SELECT count() AS n FROM moving')).text.trim());
    });
    for (let round = 0; round < 6; round += 1) {
      const uri = round % 2 === 0 ? 'blogs.parquet,materialize=true' : CITIES;
      const { status } = await edge.post('/api/table', [{ tableName: 'moving', uri }]);
      expect(status).toBe(200);
    }
    stop = true;
    await Promise.all(asking);
    expect([...counts].sort()).toEqual(['[\n{"n":37}\n]', '[\n{"n":500}\n]']);
    await edge.post('/api/tables/drop', [{ tableName: 'moving' }]);
  });

  it('come while a slow query runs, without waiting for it', async () => {
    const slow = edge.sql(
      'SELECT count() FROM cities AS a, numbers(30000000) AS b WHERE cityHash64(b.number, a.lat) = 1',
    );
    let ended = false;
    void slow.then(() => (ended = true));
    await edge.post('/api/table', [{ tableName: 'quick', uri: 'blogs.parquet' }]);
    expect((await edge.sql('SELECT count() AS n FROM quick')).json()).toEqual([{ n: 500 }]);
    expect(ended).toBe(false);
    expect((await slow).status).toBe(200);
    await edge.post('/api/tables/drop', [{ tableName: 'quick' }]);
  });
});

describe('a server that is not there', () => {
  let edge: Edge;
  beforeAll(async () => (edge = await startEdge(['-t', `cities=${CITIES}`])), 120_000);
  afterAll(() => edge.stop());

  it('is given up soon', async () => {
    const uri = 'http://127.0.0.1:1/x.csv';
    const began = performance.now();
    const answer = await edge.post('/api/table', [{ tableName: 'gone', uri }]);
    expect(answer.status).toBe(400);
    expect(performance.now() - began).toBeLessThan(GIVEN_UP_MS);
  });

  it('keeps nobody waiting but who wants its table', async () => {
    const asked = new Map<'next', () => void>();
    const silent = createServer(() => asked.get('next')?.());
    const first = new Promise<void>((resolve) => asked.set('next', resolve));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const uri = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.csv`;
    let ended = false;
    const slow = edge.post('/api/table', [{ tableName: 'slow', uri }]);
    void slow.then(() => (ended = true));
    await first;
    await edge.post('/api/table', [{ tableName: 'quick', uri: 'blogs.parquet' }]);
    expect(ended).toBe(false);
    expect(await tablesOf(edge)).toEqual(['cities', 'quick']);
    silent.closeAllConnections();
    silent.close();
    expect((await slow).status).toBe(400);
  });
});

describe('registrations over a restart', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-state-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are kept in the file of --state', async () => {
    const state = join(folder, 'state.json');
    const args = ['--state', state, '-t', `cities=${CITIES}`, '-t', 'blogs=blogs.parquet'];
    const first = await startEdge(args);
    await first.post('/api/table', [
      { tableName: 'launches', uri: 'spacex_launches.ndjson' },
      { tableName: 'headless', uri: `${CITIES},format=csv,has_header=false,materialize=true` },
    ]);
    await first.post('/api/tables/drop', [{ tableName: 'blogs' }]);
    await first.stop('SIGKILL');
    expect(statSync(state).mode & 0o777).toBe(0o600);

    const second = await startEdge(args);
    expect(await tablesOf(second)).toEqual(['cities', 'headless', 'launches']);
    expect((await second.sql('SELECT count() AS n FROM headless')).json()).toEqual([{ n: 38 }]);
    await second.post('/api/table', [{ tableName: 'blogs', uri: 'blogs.parquet' }]);
    await second.post('/api/tables/drop', [{ tableName: 'launches' }]);
    await second.stop();

    const third = await startEdge(args);
    expect(await tablesOf(third)).toEqual(['blogs', 'cities', 'headless']);
    await third.stop();
  });

  it('are not made when they cannot be kept', async () => {
    const state = join(folder, 'state.json');
    const edge = await startEdge(['--state', state, '-t', `cities=${CITIES}`]);
    mkdirSync(`${state}.new`);
    const answer = await edge.post('/api/table', [{ tableName: 'blogs', uri: 'blogs.parquet' }]);
    expect(answer.status).toBe(503);
    expect(answer.text).toContain(state);
    expect(await tablesOf(edge)).toEqual(['cities']);
    rmSync(`${state}.new`, { recursive: true });
    writeFileSync(`${state}.new`, '', { mode: 0o644 });
    await edge.post('/api/table', [{ tableName: 'blogs', uri: 'blogs.parquet' }]);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    await edge.stop();
  });

  it('are read where they were when the program is started elsewhere', async () => {
    const args = ['--state', join(folder, 'state.json')];
    const first = await startEdge(args);
    await first.post('/api/table', [{ tableName: 'cities', uri: CITIES }]);
    await first.stop();
    const second = await startEdge(args, { directory: folder });
    expect((await second.sql('SELECT count() AS n FROM cities')).json()).toEqual([{ n: 37 }]);
    await second.stop();
  });

  it('need a file that is one', async () => {
    const state = join(folder, 'state.json');
    writeFileSync(state, '{"version":1,"tables":[{}]}');
    await expect(startEdge(['--state', state])).rejects.toThrow(state);
    expect(readFileSync(state, 'utf8')).toContain('{}');
  });
});
