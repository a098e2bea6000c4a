import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { breath, rounds } from '../rounds.js';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';
import { partsOf } from '../server/table-parts.js';

const DAY_US = 86_400_000_000;
const daysAgo = (days: number): number => Date.now() * 1000 - days * DAY_US;

interface StreamRecord {
  readonly name: string;
  readonly stats: { readonly doc_num: number };
  readonly schema?: readonly { readonly name: string; readonly type: string }[];
  readonly settings: Record<string, unknown>;
}

/** Each route of "Streams"; what settings do; what is left of a deleted stream. */
describe('streams', () => {
  let dataDirectory: string;
  let server: Server;
  let made = 0;
  const fresh = (): string => `s${(made += 1)}`;
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    server.client.call(`/api/default/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  const settings = (name: string, body: object): Promise<Answer> =>
    call('POST', `${name}/settings`, body);
  const record = async (name: string): Promise<StreamRecord> =>
    (await call('GET', `${name}/schema`)).json();
  const remove = async (name: string): Promise<void> => {
    const answer = await call('DELETE', `streams/${name}`);
    expect(answer.json()).toEqual({ code: 200, message: 'stream deleted', acknowledged: true });
  };
  /** Asks again until it is so; the test's own time limit ends it. */
  const eventually = async (so: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await so())) await sleep(50);
  };

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
    server = await startServer({ dataDirectory });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  describe('list and schema', () => {
    it('lists by name, in pages, by keyword, with the schema when asked', async () => {
      for (const name of ['list_b', 'list_c', 'list_a'])
        await server.client.upload(name, [{ n: 1, t: 'x' }]);
      const list = async (query: string) =>
        (await call('GET', `streams?${query}`)).json<{ list: StreamRecord[]; total: number }>();
      const all = await list('keyword=list_');
      expect([all.total, all.list.map(({ name }) => name)]).toEqual([
        3,
        ['list_a', 'list_b', 'list_c'],
      ]);
      expect(all.list[0]).toMatchObject({
        stream_type: 'logs',
        storage_type: 'disk',
        stats: { doc_num: 1 },
      });
      expect(all.list[0]).not.toHaveProperty('schema');
      const page = await list('keyword=list_&offset=1&limit=1&fetchSchema=true');
      expect([page.total, page.list.map(({ name }) => name)]).toEqual([3, ['list_b']]);
      expect(page.list[0]?.schema).toEqual([
        { name: '_timestamp', type: 'Timestamp' },
        { name: 'n', type: 'Int64' },
        { name: 't', type: 'Utf8' },
      ]);
      for (const wrong of ['limit=0', 'offset=-1', 'fetchSchema=1', 'limit=x', 'sort=name'])
        expect([wrong, (await call('GET', `streams?${wrong}`)).status]).toEqual([wrong, 400]);
    });

    it('gives a schema at both paths, and 404 `stream not found`', async () => {
      const name = fresh();
      await server.client.upload(name, [{ n: 1.5 }]);
      const answers = await Promise.all([
        call('GET', `${name}/schema`),
        call('GET', `streams/${name}/schema`),
      ]);
      expect(answers[0]?.json()).toEqual(answers[1]?.json());
      expect(answers[0]?.json()).toMatchObject({ name, stats: { doc_num: 1 } });
      for (const path of ['missing/schema', 'streams/missing/schema'])
        expect((await call('GET', path)).json()).toMatchObject({
          code: 404,
          message: 'stream not found',
        });
    });
  });

  describe('settings', () => {
    it.each(['POST', 'PUT'])('%s changes what is sent and keeps the rest', async (method) => {
      const name = fresh();
      await server.client.upload(name, [{ n: 1, t: 'x', u: 'y' }]);
      const path = method === 'POST' ? `${name}/settings` : `streams/${name}/settings`;
      const set = (body: object) => call(method, path, body);
      expect((await set({ data_retention: 30, full_text_search_keys: ['t'] })).json()).toEqual({
        code: 200,
        message: 'stream settings saved',
      });
      expect((await set({ partition_keys: ['n'] })).status).toBe(200);
      expect((await set({ full_text_search_keys: { add: ['u'], remove: ['t'] } })).status).toBe(
        200,
      );
      expect((await record(name)).settings).toEqual({
        data_retention: 30,
        full_text_search_keys: ['u'],
        partition_keys: ['n'],
        order_by: ['_timestamp'],
      });
    });

    it.each<[string, object]>([
      ['an unknown key', { retention: 3 }],
      ['days below 0', { data_retention: -1 }],
      ['half a day', { data_retention: 0.5 }],
      ['days as text', { data_retention: '3' }],
      ['a column that is not there', { partition_keys: ['nope'] }],
      ['text search in numbers', { full_text_search_keys: ['n'] }],
      ['another sort key', { order_by: ['n'] }],
      ['a type that is not there', { columns: { x: 'Money' } }],
      ['a declared _timestamp', { columns: { _timestamp: 'Int64' } }],
    ])('400: %s, and nothing changes', async (_, body) => {
      const name = fresh();
      await server.client.upload(name, [{ n: 1, t: 'x' }]);
      const before = await record(name);
      const answer = await settings(name, { data_retention: 3, ...body });
      expect([answer.status, answer.json<{ message: string }>().message.length > 10]).toEqual([
        400,
        true,
      ]);
      expect(await record(name)).toEqual(before);
    });

    it('404 where there is no stream and no column is declared; 415 without a body', async () => {
      expect((await settings('missing', { data_retention: 3 })).status).toBe(404);
      const name = fresh();
      await server.client.upload(name, [{ n: 1 }]);
      for (const [method, path] of [
        ['POST', `${name}/settings`],
        ['PUT', `streams/${name}/settings`],
      ] as const)
        expect((await call(method, path)).status).toBe(415);
    });

    it.each<[string, object]>([
      ['a key that is no column', { partition_keys: ['nope'] }],
      ['text search in numbers', { full_text_search_keys: ['id'] }],
      ['a column name of ours', { columns: { id: 'Int64', _row: 'Int64' } }],
    ])('400 before the first upload makes no stream: %s', async (_, body) => {
      const name = fresh();
      expect((await settings(name, { columns: { id: 'Int64' }, ...body })).status).toBe(400);
      expect((await call('GET', `${name}/schema`)).status).toBe(404);
    });

    it('takes changes that come at the same time, each of them', async () => {
      const name = fresh();
      await server.client.upload(name, [{ n: 1 }]);
      const names = Array.from({ length: 8 }, (_, n) => `c${n}`);
      const answers = await Promise.all(
        names.map((each) =>
          settings(name, { columns: { [each]: 'Int64' }, partition_keys: { add: [each] } }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
      const { partition_keys } = (await record(name)).settings;
      expect([...(partition_keys as string[])].sort()).toEqual(names);
    });

    it('partition keys change no answer, also when their column widens', async () => {
      const name = fresh();
      await server.client.upload(
        name,
        Array.from({ length: 3000 }, (_, n) => ({ n, t: `t${n % 7}`, maybe: n % 2 ? n : null })),
      );
      const found = async (condition: string): Promise<unknown> =>
        (await server.client.sql(`SELECT count() AS c FROM ${name} WHERE ${condition}`))[0]?.c;
      const conditions = ['n = 7', "t = 't3'", 'maybe IS NULL', 'n IN (1, 2, 9999)', 'maybe = 9'];
      const answers = (): Promise<unknown[]> => Promise.all(conditions.map(found));
      const before = await answers();
      expect(before).toEqual([1, 429, 1500, 2, 1]);
      expect((await settings(name, { partition_keys: ['n', 't', 'maybe'] })).status).toBe(200);
      expect(await answers()).toEqual(before);
      expect(await server.client.upload(name, [{ n: 1.5, t: 'x', maybe: 0.5 }])).toMatchObject({
        successful: 1,
      });
      expect(await answers()).toEqual(before);
      expect(await found('n = 1.5 AND maybe = 0.5')).toBe(1);
      expect((await settings(name, { partition_keys: [] })).status).toBe(200);
      expect(await answers()).toEqual(before);
    });

    it.each<[string, unknown[], unknown[]]>([
      ['Int64', [12, -1], ['12', '', true, [1]]],
      ['UInt64', [12], ['12', -1, 1.5, true]],
      ['Float64', [1.5, 12], ['1.5', true, {}]],
      ['Boolean', [true, false], ['true', 1, 0]],
      ['Utf8', ['12', ''], [12, true, {}]],
      ['Struct', [{ a: 1 }], ['{}', 1, [{}]]],
      ['List<Int64>', [[1, 2], []], ['[1]', 1, ['1'], {}]],
    ])('a declared %s keeps what fits and rejects what does not', async (type, good, bad) => {
      const name = fresh();
      expect((await settings(name, { columns: { v: type } })).status).toBe(200);
      const values = [...good, ...bad, null];
      expect(
        await server.client.upload(
          name,
          values.map((v, n) => ({ n, v })),
        ),
      ).toMatchObject({ successful: good.length + 1, failed: bad.length });
      const rows = await server.client.sql(`SELECT v FROM ${name} ORDER BY n`);
      expect(rows.slice(0, good.length)).toEqual(good.map((v) => ({ v })));
      const kept = await server.client.sql(
        `SELECT record FROM _rejected WHERE stream = '${name}' ORDER BY line`,
      );
      expect(kept.map((each) => JSON.parse(String(each.record)) as unknown)).toEqual(
        bad.map((v, n) => ({ n: n + good.length, v })),
      );
    });

    it('a declared integer widens for fractions, as any number column does', async () => {
      const name = fresh();
      expect((await settings(name, { columns: { v: 'Int64' } })).status).toBe(200);
      expect(await server.client.upload(name, [{ v: 12 }, { v: 1.5 }])).toMatchObject({
        successful: 2,
      });
      expect((await record(name)).schema).toContainEqual({ name: 'v', type: 'Float64' });
    });

    it('declared columns type what comes, before the first upload and after', async () => {
      const name = fresh();
      const before = { columns: { id: 'Utf8', amount: 'Float64', flags: 'List<Utf8>' } };
      expect((await settings(name, before)).status).toBe(200);
      // Without the declaration both would have become integers.
      expect(
        await server.client.upload(name, [
          { id: '7', amount: 1, flags: [], seen: 3 },
          { id: 8, amount: 2 },
        ]),
      ).toMatchObject({ successful: 1, failed: 1 });
      expect((await settings(name, { columns: { later: 'Boolean', id: 'Utf8' } })).status).toBe(
        200,
      );
      expect(
        await server.client.upload(name, [
          { amount: 0.5, later: true },
          { later: 1 },
          { amount: 'much' },
        ]),
      ).toMatchObject({ successful: 1, failed: 2 });
      expect((await record(name)).schema).toEqual([
        { name: '_timestamp', type: 'Timestamp' },
        { name: 'id', type: 'Utf8' },
        { name: 'amount', type: 'Float64' },
        { name: 'flags', type: 'List', element: 'Utf8' },
        { name: 'seen', type: 'Int64' },
        { name: 'later', type: 'Boolean' },
      ]);
      const rows = await server.client.sql(`SELECT id, amount, later FROM ${name} ORDER BY amount`);
      expect(rows).toEqual([
        { id: null, amount: 0.5, later: true },
        { id: '7', amount: 1, later: null },
      ]);
      const [reason] = await server.client.sql(
        `SELECT reason FROM _rejected WHERE stream = '${name}' ORDER BY _timestamp LIMIT 1`,
      );
      expect(String(reason?.reason)).toContain('id');
      const late = await settings(name, { columns: { seen: 'Boolean' } });
      expect([late.status, late.json<{ message: string }>().message]).toEqual([
        400,
        expect.stringMatching(/"seen" is Int64 already/),
      ]);
    });

    it('a declared column that is there becomes wider, or text, and a retry moves what was rejected', async () => {
      const name = fresh();
      const records = [{ n: 1, share: 0.5, on: true }, { n: -2, on: false }, { n: 'three' }];
      expect(await server.client.upload(name, records.slice(0, 2))).toMatchObject({ failed: 0 });
      expect(await server.client.upload(name, records.slice(2))).toMatchObject({ failed: 1 });
      const keys = { partition_keys: ['n'] };
      expect((await settings(name, { columns: { n: 'Decimal128(21, 2)' }, ...keys })).status).toBe(
        200,
      );
      expect(await server.client.sql(`SELECT n FROM ${name} ORDER BY n`)).toEqual([
        { n: -2 },
        { n: 1 },
      ]);
      const text = {
        columns: { n: 'Utf8', share: 'Utf8', on: 'Utf8' },
        full_text_search_keys: ['n'],
      };
      expect((await settings(name, text)).status).toBe(200);
      const wider = { name: 'n', type: 'Utf8', verbatim: 'scalars' };
      expect((await record(name)).schema).toContainEqual(wider);
      expect((await call('POST', `${name}/_rejected/retry?wait=true`)).status).toBe(200);
      expect(await server.client.upload(name, [{ n: 4.5 }])).toMatchObject({ failed: 0 });
      expect(await server.client.sql(`SELECT n, share, "on" FROM ${name} ORDER BY n`)).toEqual([
        { n: '-2', share: null, on: 'false' },
        { n: '1', share: '0.5', on: 'true' },
        { n: '4.5', share: null, on: null },
        { n: 'three', share: null, on: null },
      ]);
      expect(await server.client.sql(`SELECT share FROM ${name} WHERE n = '1'`)).toEqual([
        { share: '0.5' },
      ]);
    });

    it('retention removes old rows, those that are there and those that come late', async () => {
      const name = fresh();
      const days = async (): Promise<unknown> =>
        (await server.client.sql(`SELECT d FROM ${name} ORDER BY d`)).map(({ d }) => d);
      const old = [{ _timestamp: daysAgo(40), d: 40 }, { _timestamp: daysAgo(5), d: 5 }, { d: 0 }];
      await server.client.upload(name, old);
      expect((await settings(name, { data_retention: 30 })).status).toBe(200);
      await eventually(async () => JSON.stringify(await days()) === '[0,5]');
      await server.client.upload(name, [
        { _timestamp: daysAgo(31), d: 31 },
        { _timestamp: daysAgo(29), d: 29 },
      ]);
      await eventually(async () => JSON.stringify(await days()) === '[0,5,29]');
      expect((await settings(name, { data_retention: 0 })).status).toBe(200);
      await server.client.upload(name, [{ _timestamp: daysAgo(400), d: 400 }]);
      expect(await days()).toEqual([0, 5, 29, 400]);
    });

    it('the longest retention takes nothing that is younger, whatever its time', async () => {
      const name = fresh();
      const years = [1970, 2000, 2099, 2105, 2106, 2107, 2200];
      const rows = years.map((year) => ({
        _timestamp: new Date(Date.UTC(year, 5)).toISOString(),
        year,
      }));
      await server.client.upload(name, rows);
      expect((await settings(name, { data_retention: 36_500 })).status).toBe(200);
      await server.client.upload(name, rows);
      const kept = await server.client.sql(`SELECT year FROM ${name} ORDER BY year`);
      expect(kept.map(({ year }) => year)).toEqual(years.flatMap((year) => [year, year]));
    });
  });

  it('GET _rejected pages through what did not fit, newest upload first', async () => {
    const name = fresh();
    await server.client.upload(name, [{ n: 1 }, { n: 2 }, 'no record', { n: [1] }]);
    await server.client.upload(name, [{ n: {} }]);
    const page = async (query = '') =>
      (await call('GET', `${name}/_rejected${query}`)).json<Record<string, unknown>[]>();
    const all = await page();
    expect(all).toMatchObject([
      { line: 1, record: '{"n":{}}', reason: expect.stringContaining('"n"') as string },
      { line: 3, record: '"no record"', reason: expect.stringContaining('object') as string },
      { line: 4, record: '{"n":[1]}', reason: expect.stringContaining('"n"') as string },
    ]);
    expect(all[1]?.upload_id).toBe(all[2]?.upload_id);
    expect([...(await page('?size=2')), ...(await page('?size=2&from=2'))]).toEqual(all);
    for (const wrong of ['?size=0', '?size=x', '?from=-1', '?page=1'])
      expect((await call('GET', `${name}/_rejected${wrong}`)).status).toBe(400);
    expect((await call('GET', 'missing/_rejected')).status).toBe(404);
  });

  describe('DELETE', () => {
    const rejected = async (name: string): Promise<number> =>
      Number(
        (await server.client.sql(`SELECT count() AS n FROM _rejected WHERE stream = '${name}'`))[0]
          ?.n,
      );

    it.each(['', 'streams/'])('leaves nothing: /api/{org}/%s{stream}', async (prefix) => {
      const name = fresh();
      await server.client.upload(name, [{ a: 1 }, 'not a record']);
      expect(await rejected(name)).toBe(1);
      expect((await call('DELETE', `${prefix}${name}`)).json()).toEqual({
        code: 200,
        message: 'stream deleted',
        acknowledged: true,
      });
      for (const [method, path, body] of [
        ['GET', `${name}/schema`, undefined],
        ['GET', `tables/${name}`, undefined],
        ['POST', `${name}/settings`, { data_retention: 1 }],
        ['DELETE', `${prefix}${name}`, undefined],
      ] as const)
        expect((await call(method, path, body)).status).toBe(404);
      expect(
        (await server.client.call('/api/default/sql', { body: `SELECT * FROM ${name}` })).status,
      ).toBe(404);
      expect((await call('GET', 'streams')).bytes.toString()).not.toContain(`"${name}"`);
      expect(await rejected(name)).toBe(0);
    });

    it('frees the name at once: another schema, no settings, no rows', async () => {
      const name = fresh();
      await server.client.upload(name, [{ a: 'text', gone: 1 }]);
      expect((await settings(name, { data_retention: 3, partition_keys: ['a'] })).status).toBe(200);
      for (let round = 0; round < 5; round += 1) {
        await remove(name);
        await server.client.upload(name, [{ a: round }]);
        expect(await server.client.sql(`SELECT * EXCEPT _timestamp FROM ${name}`)).toEqual([
          { a: round },
        ]);
        expect((await record(name)).settings).toMatchObject({
          data_retention: 0,
          partition_keys: [],
        });
      }
    });

    it('frees the disk', async () => {
      // Counts only parts that hold this column: other tables' merges come and go in the same
      // folders.
      const size = (): number =>
        partsOf(dataDirectory, 'only_here').reduce((sum, { path }) => sum + sizeOf(path), 0);
      const name = fresh();
      const rows = Array.from({ length: 20_000 }, (_, n) => ({
        n,
        only_here: Math.sin(n).toString(36).repeat(4),
      }));
      await server.client.upload(name, rows);
      expect(size()).toBeGreaterThan(200_000);
      await remove(name);
      await eventually(() => size() === 0);
    });

    it('ends an upload in work with a clear answer, and makes nothing half', async () => {
      const name = fresh();
      await server.client.upload(name, [{ a: 1 }]);
      const body = new PassThrough();
      const uploading = server.client.call(`/api/default/${name}/_json`, {
        body,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      body.write('{"a":2}\n'.repeat(1000));
      await remove(name);
      body.end('{"a":3}\n');
      const answer = await uploading;
      expect([200, 409]).toContain(answer.status);
      if (answer.status === 409) {
        expect(answer.json<{ message: string }>().message).toContain(name);
        expect((await call('GET', `${name}/schema`)).status).toBe(404);
      } else {
        const [{ successful } = { successful: 0 }] = answer.json<{
          status: { successful: number }[];
        }>().status;
        await eventually(async () => (await server.client.count(name)) === successful);
      }
      await server.client.upload(name, [{ b: 'new' }]);
      expect(await server.client.sql(`SELECT b FROM ${name} WHERE b != ''`)).toEqual([
        { b: 'new' },
      ]);
    });

    it('keeps old and new rows apart while many upload, delete and make it again', async () => {
      const name = fresh();
      const unexpected: unknown[] = [];
      /** Rounds are counted by deletions: `asked` when one is sent, `gone` when it is answered. */
      let asked = 0;
      let gone = 0;
      let ended = false;
      const stored: { id: string; sent: number; answered: number }[] = [];
      const upload = async (worker: number): Promise<void> => {
        for (let n = 0; !ended; n += 1) {
          const id = `${worker}-${n}`;
          const sent = gone;
          const { status } = await call('POST', `${name}/_json`, [
            { id, half: 1 },
            { id, half: 2 },
          ]);
          if (status === 200) stored.push({ id, sent, answered: asked });
          else if (status !== 409) unexpected.push(status);
          await breath();
        }
      };
      const deleting = async (): Promise<void> => {
        for (let round = 0; round < 25; round += 1) {
          asked += 1;
          const { status } = await call('DELETE', name);
          gone += 1;
          if (![200, 404].includes(status)) unexpected.push(status);
          const before = stored.length;
          await eventually(() => stored.length > before + 5);
        }
        ended = true;
      };
      await Promise.all([deleting(), ...[1, 2, 3, 4, 5].map(upload)]);
      expect(unexpected).toEqual([]);
      // This one is written after all of them.
      await server.client.upload(name, [{ id: 'last', half: 1 }]);
      const rows = await server.client.sql<{ id: string; halves: number }>(
        `SELECT id, toInt32(count()) AS halves FROM ${name} WHERE id != 'last' GROUP BY id`,
      );
      expect(rows.filter(({ halves }) => halves !== 2)).toEqual([]);
      const there = new Set(rows.map(({ id }) => id));
      const after = stored.filter(({ sent }) => sent === gone);
      const before = stored.filter(({ answered }) => answered < asked);
      expect([after.length > 0, before.length > 0]).toEqual([true, true]);
      expect(after.filter(({ id }) => !there.has(id))).toEqual([]);
      expect(before.filter(({ id }) => there.has(id))).toEqual([]);
      await remove(name);
    });

    it('answers who looks at it meanwhile: with it or without it, never with a failure of ours', async () => {
      const name = fresh();
      const seen = new Set<string>();
      let ended = false;
      const look = async (method: string, path: string, body?: string): Promise<void> => {
        while (!ended) {
          const { status } = await server.client.call(`/api/default/${path}`, {
            method,
            ...(body === undefined ? {} : { body }),
          });
          seen.add(`${path.split('?')[0] ?? ''} ${status}`);
          await breath();
        }
      };
      const looking = [
        look('GET', 'summary'),
        look('GET', 'streams?fetchSchema=true'),
        look('GET', `${name}/schema`),
        look('POST', 'sql', `SELECT count() AS n FROM ${name}`),
      ];
      for (let round = 0; round < rounds(4, 40); round += 1) {
        await server.client.upload(name, [{ round }]);
        await remove(name);
      }
      ended = true;
      await Promise.all(looking);
      const allowed = [
        'summary 200',
        'streams 200',
        ...[`${name}/schema`, 'sql'].flatMap((each) => [`${each} 200`, `${each} 404`]),
      ];
      expect([...seen].filter((each) => !allowed.includes(each))).toEqual([]);
    });

    it('does not disturb a query that is reading', async () => {
      const name = fresh();
      const rows = Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'x'.repeat(50) }));
      await server.client.upload(name, rows);
      const reading = server.client.call('/api/default/sql', {
        body: `SELECT n, text FROM ${name}`,
      });
      await remove(name);
      await server.client.upload(name, [{ other: true }]);
      const answer = await reading;
      if (answer.status === 200) {
        const seen = answer.json<unknown[]>().length;
        expect([rows.length, 0]).toContain(seen);
      } else expect(answer.status).toBe(404);
      expect(await server.client.count(name)).toBe(1);
    });

    it('is of the type logs, and of no other', async () => {
      const name = 'typed';
      await server.client.upload(name, [{ a: 1 }]);
      expect((await call('GET', 'streams?type=logs&keyword=typed')).json()).toMatchObject({
        list: [{ name, stream_type: 'logs' }],
      });
      expect((await call('GET', 'streams?type=metrics')).json()).toEqual({ list: [], total: 0 });
      expect((await call('GET', `${name}/schema?type=logs`)).status).toBe(200);
      expect((await call('GET', `${name}/schema?type=metrics`)).status).toBe(404);
      const change = { data_retention: 0 };
      expect((await call('PUT', `streams/${name}/settings?type=logs`, change)).status).toBe(200);
      expect((await call('POST', `${name}/settings?type=traces`, change)).status).toBe(404);
      expect((await call('DELETE', `${name}?type=metrics`)).status).toBe(404);
      expect(await server.client.count(name)).toBe(1);
      expect((await call('DELETE', `${name}?type=logs`)).status).toBe(200);
    });

    it.each([
      'users',
      'streams',
      'organizations',
      'passcode',
      'summary',
      'audit',
      'sql',
      'settings',
    ])('takes a stream that is named %s as any other', async (name) => {
      expect(await server.client.upload(name, [{ a: 1 }])).toMatchObject({ successful: 1 });
      for (const [method, path] of [
        ['POST', `${name}/settings`],
        ['PUT', `streams/${name}/settings`],
      ] as const)
        expect((await call(method, path, { data_retention: 3 })).status).toBe(200);
      for (const path of [`${name}/schema`, `streams/${name}/schema`])
        expect((await call('GET', path)).json()).toMatchObject({ name, stats: { doc_num: 1 } });
      expect((await call('DELETE', name)).json()).toMatchObject({ message: 'stream deleted' });
      expect((await call('GET', `streams/${name}/schema`)).status).toBe(404);
    });

    it.each(['_rejected', '_audit'])('404: %s is no stream', async (name) => {
      for (const [method, path, body] of [
        ['DELETE', name, undefined],
        ['DELETE', `streams/${name}`, undefined],
        ['GET', `${name}/schema`, undefined],
        ['POST', `${name}/settings`, { data_retention: 1 }],
      ] as const)
        expect((await call(method, path, body)).status).toBe(404);
    });

    it('settings and declared types are there after a restart, and still do what they say', async () => {
      const name = fresh();
      const sent = { columns: { id: 'Utf8' }, data_retention: 30, partition_keys: ['id'] };
      expect((await settings(name, sent)).status).toBe(200);
      const before = await record(name);
      await server.kill();
      server = await startServer({ dataDirectory });
      expect(await record(name)).toEqual(before);
      expect(
        await server.client.upload(name, [
          { id: 'new' },
          { id: 'old', _timestamp: daysAgo(40) },
          { id: 7 },
        ]),
      ).toMatchObject({ successful: 1, failed: 2 });
      expect(await server.client.sql(`SELECT id FROM ${name}`)).toEqual([{ id: 'new' }]);
    });

    it('is for good: also after a restart', async () => {
      const [gone, again] = [fresh(), fresh()];
      await server.client.upload(gone, [{ a: 1 }, 'rejected']);
      await server.client.upload(again, [{ a: 1 }]);
      await remove(gone);
      await remove(again);
      await server.client.upload(again, [{ b: 2 }]);
      await server.kill();
      server = await startServer({ dataDirectory });
      expect((await call('GET', `${gone}/schema`)).status).toBe(404);
      expect(await rejected(gone)).toBe(0);
      expect(await server.client.sql(`SELECT * EXCEPT _timestamp FROM ${again}`)).toEqual([
        { b: 2 },
      ]);
    });
  });
});

/** Bytes of all files below; what goes away while we look counts for nothing. */
function sizeOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  try {
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
  } catch {
    return 0;
  }
}
