import { jest } from '@jest/globals';
import {
  Binary,
  Field,
  FixedSizeBinary,
  List,
  Table,
  tableFromIPC,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeParquet } from '../../server/make-parquet.js';
import { startRelay, type Relay } from '../../server/relay.js';
import { runEdge, startEdge, type Edge } from '../../server/start-edge.js';
import { ROOT, startServer, type Server } from '../../server/start-server.js';
import { until } from '../../server/until.js';

/** Two programs start here more than once, and one waits until it tries again. */
jest.setTimeout(120_000);

const CREDENTIALS = { MILLRACE_USER: ROOT.email, MILLRACE_PASSWORD: ROOT.password };

interface Following {
  readonly status: string;
  readonly follow: {
    readonly streams: number;
    readonly age_seconds: number | null;
    readonly failures: number;
    readonly last_error?: string;
  };
}

describe('following a hosted organization', () => {
  let folder: string;
  let hosted: Server;
  let relay: Relay;
  let edge: Edge;

  const follow = (url: string, ...more: readonly string[]): readonly string[] => [
    ...['--follow', url, '--follow-interval', '0.2'],
    ...['--follow-cache', join(folder, 'cache'), ...more],
  ];
  const upload = async (stream: string, records: readonly object[]): Promise<void> => {
    const { status, bytes } = await hosted.client.call(`/api/default/${stream}/_json?wait=true`, {
      body: JSON.stringify(records),
    });
    expect(`${status} ${bytes.toString()}`).toMatch(/^200 .*"failed":0/);
  };
  const rows = async (sql: string): Promise<string> => {
    const { text } = await edge.sql(sql);
    return text.replaceAll('\n', '');
  };
  const becomes = async (sql: string, expected: string): Promise<void> => {
    await until(async () => (await rows(sql)) === expected).catch(async () => {
      expect(await rows(sql)).toBe(expected);
    });
  };

  const ROUNDS_AT_REST = 3;
  /** A round that finds nothing new asks this, however often a round before it had to be made again. */
  const AT_REST = [
    '/api/default/schema 200',
    '/api/default/tables/shop?limit=0 304',
    '/api/default/tables/other.s-1?limit=0 304',
  ];
  const comesToRest = async (): Promise<void> => {
    const from = relay.calls.length;
    await until(() => {
      const last = relay.calls.slice(from).slice(-AT_REST.length * ROUNDS_AT_REST);
      const asked = last.map(({ path, status }) => `${path} ${status}`);
      return Promise.resolve(
        asked.length === AT_REST.length * ROUNDS_AT_REST &&
          asked.every((each) => AT_REST.includes(each)) &&
          AT_REST.every((each) => asked.includes(each)),
      );
    });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-follow-'));
    hosted = await startServer({ dataDirectory: join(folder, 'hosted') });
    relay = await startRelay(hosted.url);
    await upload('shop', [
      { item: 'tea', price: 3, by: { name: 'Ann', tags: ['x'] }, sizes: [1, 2], on: true },
      { item: 'pot', price: 12, lines: [{ n: 1 }], _timestamp: '2026-01-02T03:04:05.678901Z' },
    ]);
    edge = await startEdge(follow(relay.url), { variables: CREDENTIALS });
    await until(async () => (await edge.get('/readyz')).status === 200);
  });
  afterAll(async () => {
    await edge.stop();
    await relay.close();
    await hosted.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves its streams as they are there', async () => {
    const sql = 'SELECT * FROM shop ORDER BY price';
    const there = await hosted.client.call('/api/default/sql', { body: sql });
    await becomes(sql, there.bytes.toString().replaceAll('\n', ''));
    const schema = await hosted.client.call('/api/default/schema/shop');
    expect((await edge.get('/api/schema/shop')).json()).toEqual(schema.json());
    expect(await rows("SELECT by.name AS who FROM shop WHERE item = 'tea'")).toBe(
      '[{"who":"Ann"}]',
    );
    const { headers, text } = await edge.get('/api/tables/shop?columns=item&sort=-price');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(JSON.parse(text)).toEqual([{ item: 'pot' }, { item: 'tea' }]);
    await until(() => Promise.resolve(/^followed tables: shop$/m.test(edge.output())));
  });

  it('takes over what comes: rows, streams, columns', async () => {
    await upload('shop', [{ item: 'cup', price: 4 }]);
    await upload('other.s-1', [{ q: 'new' }]);
    await becomes('SELECT count() AS n FROM shop', '[{"n":3}]');
    await becomes('SELECT q FROM "other.s-1"', '[{"q":"new"}]');
    await upload('shop', [{ item: 'jug', price: 5, colour: 'red', weight: null }]);
    await becomes(
      'SELECT item, colour FROM shop WHERE price > 3 ORDER BY price',
      '[{"item":"cup","colour":null},{"item":"jug","colour":"red"},{"item":"pot","colour":null}]',
    );
    await becomes('SELECT DISTINCT weight FROM shop', '[{"weight":null}]');
  });

  it('fetches only what is new', async () => {
    await comesToRest();
    const before = relay.calls.length;
    await upload('shop', [{ item: 'new', price: 6 }]);
    await becomes("SELECT count() AS n FROM shop WHERE item = 'new'", '[{"n":1}]');
    const statements = relay.calls.slice(before).flatMap(({ body }) => (body ? [body] : []));
    expect(statements.filter((each) => each.includes('colour'))).toEqual([
      expect.stringMatching(
        /FROM `shop` WHERE \(_partition = \d+ AND _offset > \d+ AND _offset <= \d+\)$/,
      ),
    ]);
    expect(statements.filter((each) => each.includes('other.s-1'))).toEqual([]);
    const called = relay.calls.slice(before).map(({ path }) => path);
    const schemas = called.filter((path) => path.startsWith('/api/default/schema/'));
    expect(new Set(schemas)).toEqual(new Set(['/api/default/schema/shop']));
    await comesToRest();
  });

  it('reads all anew when a column widens, and forgets what is deleted', async () => {
    await upload('shop', [{ item: 'lid', price: 0.5, weight: 7 }]);
    await becomes('SELECT price FROM shop ORDER BY price LIMIT 2', '[{"price":0.5},{"price":3}]');
    await becomes(
      'SELECT DISTINCT weight FROM shop ORDER BY weight',
      '[{"weight":7},{"weight":null}]',
    );
    await hosted.client.call('/api/default/other.s-1', { method: 'DELETE' });
    await until(async () => (await edge.sql('SELECT * FROM "other.s-1"')).status === 404);
    await upload('other.s-1', [{ q: 7 }]);
    await becomes('SELECT q FROM "other.s-1"', '[{"q":7}]');
  });

  it('notices a stream that was deleted and made again between two looks', async () => {
    await upload('again', [{ v: 'a' }, { v: 'b' }]);
    await becomes('SELECT v FROM again ORDER BY v', '[{"v":"a"},{"v":"b"}]');
    relay.target = undefined;
    await hosted.client.call('/api/default/again', { method: 'DELETE' });
    await upload('again', [{ v: 'c' }, { v: 'd' }]);
    relay.target = hosted.url;
    await becomes('SELECT v FROM again ORDER BY v', '[{"v":"c"},{"v":"d"}]');
  });

  it('shows nothing of an answer that breaks off', async () => {
    const isDownload = ({ body }: { body: string }): boolean => body.includes('`v` FROM `again`');
    relay.breaks = isDownload;
    await upload('again', [{ v: 'e' }]);
    await until(async () => relay.calls.filter(isDownload).length > 2);
    expect(await rows('SELECT count() AS n FROM again')).toBe('[{"n":2}]');
    relay.breaks = () => false;
    await becomes('SELECT count() AS n FROM again', '[{"n":3}]');
  });

  it('goes on answering while the hosted side is away, tells so, and catches up', async () => {
    await hosted.kill();
    relay.target = undefined;
    const state = async (): Promise<Following> => (await edge.get('/readyz')).json<Following>();
    await until(async () => (await state()).follow.last_error !== undefined);
    await until(async () => ((await state()).follow.age_seconds ?? 0) >= 1);
    expect(await rows('SELECT count() AS n FROM again')).toBe('[{"n":3}]');

    hosted = await startServer({ dataDirectory: hosted.dataDirectory });
    relay.target = hosted.url;
    await upload('again', [{ v: 'f' }]);
    await becomes('SELECT count() AS n FROM again', '[{"n":4}]');
    // A connection of before may still end behind the answer that brought the row.
    await until(async () => (await state()).follow.last_error === undefined);
    expect((await state()).follow).toMatchObject({ streams: 3 });
  });

  it('starts from its cache when the hosted side is away, and fetches only what came', async () => {
    await edge.stop();
    relay.target = undefined;
    edge = await startEdge(follow(relay.url), { variables: CREDENTIALS });
    expect((await edge.get('/readyz')).status).toBe(200);
    expect(await rows('SELECT count() AS n FROM again')).toBe('[{"n":4}]');

    await upload('again', [{ v: 'g' }]);
    const before = relay.calls.length;
    relay.target = hosted.url;
    await becomes('SELECT count() AS n FROM again', '[{"n":5}]');
    const since = relay.calls.slice(before).filter(({ body }) => body.includes('`v` FROM'));
    expect(since).toHaveLength(1);
  });

  it('leaves a table alone that has the name of a stream', async () => {
    await edge.stop();
    edge = await startEdge(follow(relay.url, '--table', 'shop=uk_cities_with_headers.csv'), {
      variables: CREDENTIALS,
    });
    await becomes('SELECT count() AS n FROM again', '[{"n":5}]');
    expect(await rows('SELECT count() AS n FROM shop')).toBe('[{"n":37}]');
    expect(edge.output()).toContain('a table that was registered here has its name');
  });

  it('changes no table but its own when tables come and go at run time', async () => {
    const drop = () => edge.post('/api/tables/drop', [{ tableName: 'shop' }]);
    const n = 'SELECT count() AS n FROM shop';
    const there = (await hosted.client.call('/api/default/sql', { body: n })).bytes.toString();
    expect((await drop()).status).toBe(200);
    await becomes(n, there.replaceAll('\n', ''));

    const refused = await drop();
    expect(`${refused.status} ${refused.text}`).toMatch(/^400 .*followed organization/);

    const taken = await edge.post('/api/table', [
      { tableName: 'shop', uri: 'uk_cities_with_headers.csv' },
    ]);
    expect(taken.json()).toMatchObject({
      message: 'shop registered; not served meanwhile: the followed stream shop',
    });
    await upload('shop', [{ item: 'mug', handle: 'left' }]);
    await upload('again', [{ v: 'h' }]);
    await becomes('SELECT count() AS n FROM again', '[{"n":6}]');
    expect(await rows(n)).toBe('[{"n":37}]');
    // A round that began before the table came may have brought the row.
    await until(async () => (await edge.get('/readyz')).text.includes('"passed_over":["shop"]'));

    await drop();
    await becomes("SELECT item FROM shop WHERE handle = 'left'", '[{"item":"mug"}]');
    expect((await edge.get('/readyz')).text).not.toContain('passed_over');
  });

  it('serves bytes as they are there: base64, and bytes in Arrow', async () => {
    const any = Uint8Array.of(0xff, 0, 0x61);
    const four = Uint8Array.of(0x61, 0, 0, 0);
    const bytes = new Table({
      any: vectorFromArray([any, null], new Binary()),
      four: vectorFromArray([four, null], new FixedSizeBinary(4)),
      list: vectorFromArray([[any, four], []], new List(new Field('item', new Binary(), true))),
    });
    const { status } = await hosted.client.call('/api/default/bytes/_arrow?wait=true', {
      body: Buffer.from(tableToIPC(bytes, 'file')),
    });
    expect(status).toBe(200);
    const sql = 'SELECT "any", four, list FROM bytes ORDER BY four NULLS LAST';
    const there = await hosted.client.call('/api/default/sql', { body: sql });
    expect(there.json()).toEqual([
      { any: '/wBh', four: 'YQAAAA==', list: ['/wBh', 'YQAAAA=='] },
      { any: null, four: null, list: [] },
    ]);
    await becomes(sql, there.bytes.toString().replaceAll('\n', ''));
    const accept = 'application/vnd.apache.arrow.stream';
    const read = await fetch(`${edge.url}/api/sql`, { method: 'POST', body: sql, headers: { accept } }); // prettier-ignore
    const [first] = tableFromIPC(await read.arrayBuffer()).toArray() as { any: Uint8Array; four: Uint8Array }[]; // prettier-ignore
    expect([first?.any, first?.four]).toEqual([any, four]);
  });

  it('serves structs and maps of typed sources as objects, as they are there', async () => {
    const struct = 'Nullable(Tuple(n Nullable(Int8), day Nullable(Date32)))';
    const body = makeParquet(
      `SELECT number AS id, CAST(if(number = 0, CAST(tuple(if(number = 0, 1, NULL), if(number = 0, '2024-02-29', NULL)), '${struct}'), NULL), '${struct}') AS k,` +
        " CAST(if(number = 0, [tuple(1.5)], []), 'Array(Tuple(p Decimal(10, 2)))') AS items," +
        " if(number = 0, map('a', 1), map()) AS m, if(number = 0, [[1], []], []) AS ll" +
        ' FROM numbers(2) SETTINGS enable_nullable_tuple_type = 1',
    );
    const { status } = await hosted.client.call('/api/default/structs/_parquet?wait=true', {
      body,
    });
    expect(status).toBe(200);
    const sql = 'SELECT id, k, items, m FROM structs ORDER BY id';
    const there = await hosted.client.call('/api/default/sql', { body: sql });
    expect(there.json()).toEqual([
      { id: 0, k: { n: 1, day: '2024-02-29' }, items: [{ p: 1.5 }], m: { a: 1 } },
      { id: 1, k: null, items: [], m: {} },
    ]);
    await becomes(sql, there.bytes.toString().replaceAll('\n', ''));
    expect(await rows('SELECT ll FROM structs ORDER BY id')).toBe(
      '[{"ll":["[1]","[]"]},{"ll":[]}]',
    );
  });

  it.each([
    [{ ...CREDENTIALS, MILLRACE_PASSWORD: 'wrong' }, [], 'answers 401'],
    [CREDENTIALS, ['--org', 'nobody'], 'answers 404'],
  ])('stops the start when it is refused: %#', async (variables, more, message) => {
    const args = ['--follow', hosted.url, ...more, '--addr-http', '127.0.0.1:0'];
    const { code, stderr } = await runEdge(args, { variables });
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('wrong\n');
  });

  it('lets no second program have its cache', async () => {
    const { code, stderr } = await runEdge(follow(relay.url), { variables: CREDENTIALS });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`cache: process`);
  });

  it("refuses another organization's cache", async () => {
    await edge.stop();
    const args = follow(hosted.url, '--org', 'other', '--addr-http', '127.0.0.1:0');
    const { code, stderr } = await runEdge(args, { variables: CREDENTIALS });
    expect(code).not.toBe(0);
    expect(stderr).toContain('it has another organization');
  });
});
