import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runEdge, startEdge, type Edge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

describe('key-value stores', () => {
  let folder: string;
  let edge: Edge;
  const values = (): string => join(folder, 'values.csv');
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-kv-'));
    writeFileSync(
      values(),
      'k,v,n\na,first,1\na,last,2\nempty key,"two\nlines",3\n,no key,4\nnothing,,5\nü/ä?,umlaut,6\n',
    );
    writeFileSync(
      join(folder, 'roapi.yaml'),
      `tables: []
kvstores:
  - {name: launches, uri: spacex_launches.json, key: id, value: name}
  - {name: blogs, uri: blogs_flattened.parquet, key: reply_id, value: next_id, option: {format: parquet}}
  - {name: lines, uri: "${values()}", key: k, value: v, reload_interval: {secs: 1, nanos: 0}}
  - {name: bytes, uri: "${join(import.meta.dirname, '../../fixtures/parquet/bytes.parquet')}", key: id, value: any}
  - {name: by_bytes, uri: "${join(import.meta.dirname, '../../fixtures/parquet/bytes.parquet')}", key: four, value: id}
  - {name: numbers, uri: "${values()}", key: n, value: k, reload_interval: 9999999}
`,
    );
    edge = await startEdge(['-c', join(folder, 'roapi.yaml')]);
  });
  afterAll(async () => {
    await edge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are not read again at once when their interval is longer than a timer', async () => {
    expect((await edge.get('/api/kv/numbers/1')).text).toBe('a');
    expect(edge.output()).not.toContain('Overflow');
  });

  it('answer the value as it is', async () => {
    const answer = await edge.get('/api/kv/launches/5eb87cd9ffd86e000604b32a');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.text).toBe('FalconSat');
  });

  it('answer bytes as base64, and take it as a key', async () => {
    expect((await edge.get('/api/kv/bytes/1')).text).toBe('AP/+');
    expect((await edge.get(`/api/kv/by_bytes/${encodeURIComponent('AP/+AQ==')}`)).text).toBe('1');
  });

  it('answer while they are read again', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const seen: string[] = [];
        for (let round = 0; round < 40; round += 1)
          seen.push((await edge.get('/api/kv/lines/a')).text);
        return seen;
      }),
    );
    expect([...new Set(answers.flat())]).toEqual(['last']);
  });

  it('take the last of several, texts of any kind, and numbers as keys', async () => {
    expect((await edge.get('/api/kv/lines/a')).text).toBe('last');
    expect((await edge.get('/api/kv/lines/empty%20key')).text).toBe('two\nlines');
    expect((await edge.get(`/api/kv/lines/${encodeURIComponent('ü/ä?')}`)).text).toBe('umlaut');
    expect((await edge.get('/api/kv/numbers/3')).text).toBe('empty key');
  });

  it.each([
    ['/api/kv/lines/nothing', 'store lines has no key \\"nothing\\"'],
    ["/api/kv/lines/x'%20OR%201=1%20--", 'store lines has no key'],
    ['/api/kv/line/a', 'there is no key-value store \\"line\\"; did you mean \\"lines\\"?'],
  ])('%s is not there', async (path, message) => {
    const answer = await edge.get(path);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain(message);
  });

  it('keep every kind of text as it is, and more than is read at once', async () => {
    const path = join(folder, 'many.ndjson');
    const odd = ['\u2028 and \u2029', 'a\tb\\n\r\n', '"quoted"', '𝄞 ü', '', '__proto__'];
    const long = 'x'.repeat(200);
    const rows = Array.from({ length: 8000 }, (_, n) => ({ k: `key ${n}`, v: `${long}${n}` }));
    odd.forEach((v, n) => rows.push({ k: `odd ${n}`, v }, { k: `of ${v}`, v: String(n) }));
    writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    const config = join(folder, 'many.yaml');
    writeFileSync(config, `kvstores: [{name: m, uri: "${path}", key: k, value: v}]`);
    const other = await startEdge(['-c', config]);
    try {
      const value = async (key: string): Promise<string> =>
        (await other.get(`/api/kv/m/${encodeURIComponent(key)}`)).text;
      for (const n of [0, 4000, 7999]) expect(await value(`key ${n}`)).toBe(`${long}${n}`);
      for (const [n, v] of odd.entries()) {
        expect(await value(`odd ${n}`)).toBe(v);
        expect(await value(`of ${v}`)).toBe(String(n));
      }
      expect((await other.get('/api/kv/m/__proto__')).status).toBe(404);
    } finally {
      await other.stop();
    }
  });

  it('are no tables', async () => {
    expect((await edge.sql('SELECT * FROM lines')).status).toBe(404);
    expect((await edge.get('/api/schema')).json()).toEqual({});
  });

  it('are read again', async () => {
    writeFileSync(values(), 'k,v,n\na,anew,1\n');
    await until(async () => (await edge.get('/api/kv/lines/a')).text === 'anew');
    expect((await edge.get('/api/kv/lines/empty%20key')).status).toBe(404);
  });

  it('of a column that is not there stop the start', async () => {
    const path = join(folder, 'bad.yaml');
    writeFileSync(
      path,
      'kvstores: [{name: s, uri: uk_cities_with_headers.csv, key: citi, value: lat}]',
    );
    const { code, stderr } = await runEdge(['-c', path]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/"s" cannot be loaded.*no column "citi"; did you mean "city"\?/);
  });
});
