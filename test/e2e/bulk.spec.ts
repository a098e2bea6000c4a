import { gzipSync } from 'node:zlib';
import type { Answer } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

interface Item {
  readonly _index: string;
  readonly _id?: string;
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string };
}
interface BulkAnswer {
  readonly took: number;
  readonly errors: boolean;
  readonly items: readonly Readonly<Record<string, Item>>[];
}

const lines = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
const statuses = (answer: Answer): (number | undefined)[] =>
  answer.json<BulkAnswer>().items.map((item) => Object.values(item)[0]?.status);

describe('Elasticsearch bulk', () => {
  let server: BorrowedServer;
  let made = 0;
  const fresh = (): string => `bulk${(made += 1)}`;
  const bulk = (
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
    path = '_bulk?wait=true',
  ): Promise<Answer> =>
    server.client.call(path, {
      body,
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    });

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it('passes over keys beside an action, as clients send them', async () => {
    const stream = fresh();
    const sent = lines(
      { index: { _index: stream }, attempts: 0 },
      { n: 1 },
      { attempts: 3, create: { _index: stream, pipeline: null, _type: '_doc' } },
      { n: 2 },
    );
    expect(statuses(await bulk(sent))).toEqual([201, 201]);
    expect(await server.client.count(stream)).toBe(2);
    const two = lines({ index: { _index: stream }, create: { _index: stream } }, { n: 3 });
    expect((await bulk(two)).status).toBe(400);
  });

  it('stores documents in their streams and answers each of them in order', async () => {
    const [one, two] = [fresh(), fresh()];
    const answer = await bulk(
      lines(
        { index: { _index: one } },
        { n: 1 },
        { create: { _index: two, _id: 'x' } },
        { n: 'text' },
        { index: { _index: one, _type: '_doc' } },
        { n: 2 },
      ),
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['x-elastic-product']).toBe('Elasticsearch');
    expect(answer.json()).toEqual({
      took: expect.any(Number) as number,
      errors: false,
      items: [
        { index: { _index: one, status: 201 } },
        { create: { _index: two, _id: 'x', status: 201 } },
        { index: { _index: one, status: 201 } },
      ],
    });
    expect(await server.client.sql(`SELECT n FROM ${one} ORDER BY n`)).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
    expect(await server.client.sql(`SELECT _id, n FROM ${two}`)).toEqual([{ _id: 'x', n: 'text' }]);
  });

  it('tells exactly which documents were rejected, keeps them, and stores the others', async () => {
    const [one, two] = [fresh(), fresh()];
    await server.client.upload(one, [{ n: 1 }]);
    await server.client.upload(two, [{ n: 'text' }]);
    const bad = new Set([3, 4, 8, 10_001, 29_998]);
    const documents = Array.from({ length: 30_000 }, (_, n) =>
      lines(
        { index: { _index: n % 2 ? two : one } },
        bad.has(n) ? { n: [n] } : n % 2 ? { n: 't' } : { n },
      ),
    );
    for (const count of [20, 30_000]) {
      const answer = await bulk(documents.slice(0, count).join(''));
      expect(answer.json<BulkAnswer>().errors).toBe(true);
      const rejected = statuses(answer).flatMap((status, index) => (status === 201 ? [] : [index]));
      expect(rejected).toEqual([...bad].filter((n) => n < count));
      expect(answer.json<BulkAnswer>().items[3]?.index?.error).toEqual({
        type: 'document_parsing_exception',
        reason: expect.stringMatching(/^field "n": array\(.*Nullable\(String\)/) as string,
      });
    }
    expect(await server.client.count(one)).toBe(1 + 10 - 2 + 15_000 - 3);
    expect(await server.client.count(two)).toBe(1 + 10 - 1 + 15_000 - 2);
    const kept = await server.client.call(`${two}/_rejected`);
    expect(
      kept
        .json<{ record: string }[]>()
        .map(({ record }) => record)
        .sort(),
    ).toEqual(['{"n":[10001]}', '{"n":[3]}', '{"n":[3]}'].sort());
  });

  it('of one stream too: small ones, which go in groups, and those in which nothing fits', async () => {
    const stream = fresh();
    const action = { index: { _index: stream } };
    await server.client.upload(stream, [{ n: 1 }]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        bulk(lines(action, { n }, action, n % 5 ? { n } : { n: 'x' }, action, { n }), {}, '_bulk'),
      ),
    );
    expect(answers.map(statuses)).toEqual(answers.map((_, n) => [201, n % 5 ? 201 : 400, 201]));
    const none = await bulk(`${lines(action)}nope\n${lines(action)}[1]\n${lines(action)}\n`);
    expect(none.status).toBe(200);
    expect(none.json<BulkAnswer>().items.map(({ index }) => index?.error?.reason)).toEqual([
      expect.stringContaining('malformed JSON'),
      'want a JSON object, this is array',
      'the document is empty; want a JSON object',
    ]);
    expect(await server.client.count(stream)).toBe(1 + 60 - 4);
  });

  it('refuses delete and update, bad names and no name, each by itself', async () => {
    const stream = fresh();
    const body = lines(
      { delete: { _index: stream, _id: '1' } },
      { update: { _index: stream, _id: '1' } },
      { doc: { n: 1 } },
      { index: { _index: '_x' } },
      { n: 1 },
      { index: {} },
      { n: 2 },
      { index: { _index: stream } },
      { n: 3 },
    );
    expect(statuses(await bulk(body))).toEqual([400, 400, 400, 400, 201]);
    expect(statuses(await bulk(body, {}, `${stream}/_bulk?refresh=wait_for`))).toEqual([
      400, 400, 400, 201, 201,
    ]);
    expect(await server.client.sql(`SELECT n FROM ${stream} ORDER BY n`)).toEqual(
      [2, 3, 3].map((n) => ({ n })),
    );
  });

  it.each<[string, number, string]>([
    ['{"index":{"_index":"whole"}}\n{"n":1}\nnope\n', 400, 'line 3'],
    ['{"index":{"_index":"whole"}}\n{"n":1}\n{"index":{}}\n', 400, 'cut off'],
    [
      Array.from({ length: 201 }, (_, n) => `{"index":{"_index":"whole${n}"}}\n{}\n`).join(''),
      413,
      'at most 200 streams',
    ],
  ])('%#: stores nothing of a request that is none', async (body, status, message) => {
    // The request is long enough to be handled as a large one.
    const padding = lines({ index: { _index: 'whole' } }, { t: 'x'.repeat(1000) }).repeat(100);
    for (const sent of [body, padding + body]) {
      const answer = await bulk(sent);
      expect([answer.status, answer.bytes.toString()]).toEqual([
        status,
        expect.stringContaining(sent === body || message !== 'line 3' ? message : 'line 203'),
      ]);
    }
    const streams = await server.client.call('streams?keyword=whole');
    const { list } = streams.json<{ list: { name: string }[] }>();
    for (const { name } of list) expect(await server.client.count(name)).toBe(0);
  });

  it('takes gzip, application/json, PUT, and nothing at all', async () => {
    const stream = fresh();
    const body = lines({ index: { _index: stream } }, { n: 1 });
    expect(statuses(await bulk(gzipSync(body), { 'content-encoding': 'gzip' }))).toEqual([201]);
    expect(statuses(await bulk(body, { 'content-type': 'application/json' }))).toEqual([201]);
    const put = await server.client.call('_bulk?wait=true', { method: 'PUT', body });
    expect(statuses(put)).toEqual([201]);
    expect(await server.client.count(stream)).toBe(3);
    expect((await bulk('')).json()).toMatchObject({ errors: false, items: [] });
    expect(
      (await bulk(gzipSync(body).subarray(0, 30), { 'content-encoding': 'gzip' })).status,
    ).toBe(400);
  });

  it('is stored once under an Idempotency-Key, and answered alike', async () => {
    const [one, two] = [fresh(), fresh()];
    const body = lines(
      { index: { _index: one } },
      { n: 1 },
      { index: { _index: two } },
      { n: 1 },
      { index: { _index: one } },
      7,
    );
    const headers = { 'idempotency-key': 'bulk once' };
    const items = async (): Promise<unknown> =>
      (await bulk(body, headers)).json<BulkAnswer>().items;
    const first = await items();
    const answers = await Promise.all(Array.from({ length: 5 }, items));
    expect(answers).toEqual(answers.map(() => first));
    expect([await server.client.count(one), await server.client.count(two)]).toEqual([1, 1]);
    expect((await bulk(lines({ index: { _index: one } }, {}), headers)).status).toBe(409);
  });
});
