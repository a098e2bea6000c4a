import { gzipSync } from 'node:zlib';
import type { Answer } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

interface Told {
  readonly _id: string;
  readonly result: string;
}

describe('documents, as clients of Elasticsearch send one by one', () => {
  let server: BorrowedServer;
  const ask = (method: string, path: string, body?: string): Promise<Answer> =>
    server.client.call(path, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
  const rows = async (stream: string): Promise<unknown> =>
    await server.client.sql(`SELECT _id, n FROM ${stream} ORDER BY n, _id`);

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it('are stored at once, whichever way they are sent', async () => {
    for (const [method, path, id] of [
      ['POST', '_doc/a b?refresh=wait_for', 'a b'],
      ['PUT', '_doc/é%2F1?op_type=index&refresh=true', 'é/1'],
      ['PUT', '_create/c?wait=true', 'c'],
      ['POST', '_create/d?refresh', 'd'],
    ] as const) {
      const answer = await ask(method, `ways/${path}`, '{\r\n  "n": 1,\n  "t": "a\\nb"\n}\n');
      expect([answer.status, answer.headers['x-elastic-product']]).toEqual([201, 'Elasticsearch']);
      expect(answer.json()).toMatchObject({ _index: 'ways', _id: id, result: 'created' });
    }
    const made = (await ask('POST', 'ways/_doc?wait=true', '{"n":2}')).json<Told>();
    expect(made._id).toMatch(/^\w{26}$/);
    expect(await rows('ways')).toEqual([
      ...['a b', 'c', 'd', 'é/1'].map((_id) => ({ _id, n: 1 })),
      { _id: made._id, n: 2 },
    ]);
  });

  it('are stored once under an id, and beside it when they differ', async () => {
    const sent = ['{"n":1}', '{"n":1}', '{"n":2}', '{"n":1}'];
    const answers = await Promise.all(sent.map((body) => ask('PUT', 'once/_doc/x', body)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await ask('POST', 'once/_refresh')).json()).toMatchObject({ _shards: { failed: 0 } });
    expect(await rows('once')).toEqual([
      { _id: 'x', n: 1 },
      { _id: 'x', n: 2 },
    ]);
    // A document in another stream, or without an id, is another document.
    for (const path of ['twice/_doc/x', 'twice/_doc', 'twice/_doc'])
      expect((await ask('POST', path, '{"n":1}')).status).toBe(201);
    // @elastic/elasticsearch asks for these, at the end of its helper `bulk` too.
    for (const path of ['_refresh', '_all/_refresh', 'twice/_refresh'])
      expect((await ask('GET', path)).status).toBe(200);
    expect(await server.client.count('twice')).toBe(3);
  });

  it('without an id are stored once under an Idempotency-Key, and answered alike', async () => {
    const send = (key: string, body: string): Promise<Answer> =>
      server.client.call('keyed/_doc?wait=true', { body, headers: { 'idempotency-key': key } });
    const [first, again, other] = [
      await send('a', '{"n":1}'),
      await send('a', '{"n":1}'),
      await send('b', '{"n":1}'),
    ];
    expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
    expect(again.json()).toEqual(first.json());
    expect((await send('a', '{"n":2}')).status).toBe(409);
    const ids = [first, other].map((answer) => answer.json<Told>()._id).sort();
    expect(await rows('keyed')).toEqual(ids.map((_id) => ({ _id, n: 1 })));
  });

  it('are refused with what Elasticsearch says, and kept', async () => {
    await ask('POST', 'fits/_doc/1?wait=true', '{"n":1}');
    const answer = await ask('PUT', 'fits/_doc/2?wait=true', '{"n":"many"}');
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 400,
      status: 400,
      message: expect.stringContaining('"n"') as string,
      error: { type: 'document_parsing_exception', reason: expect.any(String) as string },
    });
    expect(await server.client.sql("SELECT record FROM _rejected WHERE stream = 'fits'")).toEqual([
      { record: '{"_id":"2","n":"many"}' },
    ]);
    for (const [path, body] of [
      ['fits/_doc/3', ''],
      ['fits/_doc/3', '{"t":"a\nb"}'],
      ['fits/_doc/4', '{"n":1} {"n":2}'],
      ['fits/_doc/5', '[{"n":1}]'],
      [`fits/_doc/${'x'.repeat(513)}`, '{"n":1}'],
      ['_fits/_doc/1', '{"n":1}'],
      ['fits/_doc/6', '{"n":1}\n{"index":{"_index":"other"}}\n{"n":2}'],
    ] as const)
      expect([path, (await ask('PUT', path, body)).status]).toEqual([path, 400]);
    await ask('POST', '_refresh');
    expect(await server.client.count('fits')).toBe(1);
    expect((await ask('HEAD', 'other')).status).toBe(404);
  });

  it('have streams that are asked for by HEAD', async () => {
    await ask('POST', 'there/_doc?wait=true', '{"n":1}');
    expect((await ask('HEAD', 'there')).status).toBe(200);
    expect((await ask('HEAD', 'nowhere')).status).toBe(404);
    expect((await ask('HEAD', 'streams')).status).toBe(200);
  });

  it('have indices that are made before the first of them', async () => {
    const made = await ask('PUT', 'made');
    expect([made.status, made.headers['x-elastic-product']]).toEqual([200, 'Elasticsearch']);
    expect(made.json()).toEqual({ acknowledged: true, shards_acknowledged: true, index: 'made' });
    expect(made.headers.warning).toBeUndefined();
    expect((await ask('HEAD', 'made')).status).toBe(200);
    const again = await ask('PUT', 'made', '{}');
    expect(again.status).toBe(400);
    expect(again.json()).toMatchObject({
      message: 'stream made is there already',
      error: { type: 'resource_already_exists_exception' },
    });
    await ask('POST', 'made/_doc?wait=true', '{"n":1}');
    expect(await server.client.count('made')).toBe(1);

    const mapped = await ask('PUT', 'mapped', '{"mappings":{"properties":{}},"settings":{}}');
    expect([mapped.status, mapped.headers.warning]).toEqual([
      200,
      expect.stringMatching(/^299 Millrace "mappings, settings: not used; /),
    ]);
    expect((await ask('PUT', 'broken', '{"mappings"')).status).toBe(400);
    expect((await ask('PUT', 'a b')).status).toBe(400);
    for (const path of ['streams', 'sql', '_aliases'])
      expect([path, (await ask('PUT', path, '{}')).status]).toEqual([path, 405]);
    expect((await ask('HEAD', 'broken')).status).toBe(404);

    const removed = await ask('DELETE', 'made');
    expect([removed.status, removed.headers['x-elastic-product']]).toEqual([200, 'Elasticsearch']);
    expect(removed.json()).toMatchObject({ acknowledged: true });
  });

  // The client for Java fails at an answer without one of the properties that it holds for required.
  it('have a cluster with all that the client for Java wants of one', async () => {
    const { version } = (await ask('GET', '')).json<{ version: object }>();
    expect(Object.keys(version).sort()).toEqual(
      [
        ...['number', 'distribution', 'lucene_version'],
        ...['flavor', 'type', 'hash', 'date', 'snapshot'].map((word) => `build_${word}`),
        ...['wire', 'index'].map((word) => `minimum_${word}_compatibility_version`),
      ].sort(),
    );
    const health = (await ask('GET', '_cluster/health')).json<Record<string, unknown>>();
    for (const word of [
      ...[
        'active_primary',
        'active',
        'relocating',
        'initializing',
        'unassigned',
        'unassigned_primary',
        'delayed_unassigned',
      ].map((kind) => `${kind}_shards`),
      ...[
        'number_of_nodes',
        'number_of_data_nodes',
        'number_of_pending_tasks',
        'number_of_in_flight_fetch',
      ],
      ...['task_max_waiting_in_queue_millis', 'active_shards_percent_as_number'],
    ])
      expect([word, health[word]]).toEqual([word, expect.any(Number)]);
  });

  it.each([
    ['Elasticsearch', { accept: 'application/vnd.elasticsearch+json; compatible-with=8' }],
    ['OpenSearch', { 'user-agent': 'opensearch-java/3.0' }],
  ])('are refused to clients of %s in their form, with nothing beside it', async (_, headers) => {
    const call = (path: string, body: string) =>
      server.client.call(path, {
        body,
        headers: { ...headers, 'content-type': 'application/json' },
      });
    await call('java/_doc/1?wait=true', '{"n":1}');
    const told = (answer: Answer) => {
      const { error, ...more } = answer.json<{ error: { type: string; reason: string } }>();
      return [answer.status, error.type, error.reason, more];
    };
    expect(told(await call('java/_doc', '{"n":"many"}'))).toEqual([
      400,
      'document_parsing_exception',
      expect.stringContaining('"n"'),
      { status: 400 },
    ]);
    expect(told(await call('java/_search', '{}'))).toEqual([
      404,
      'route_not_found',
      expect.stringContaining('rows are asked for in SQL'),
      { status: 404 },
    ]);
  });

  it('have indices that are made by a compressed request', async () => {
    const make = (name: string, body: Buffer) =>
      server.client.call(name, { method: 'PUT', body, headers: { 'content-encoding': 'gzip' } });
    expect((await make('packed', gzipSync('{}'))).status).toBe(200);
    expect((await make('cut', gzipSync('{"a":1}').subarray(0, -3))).status).toBe(400);
    expect((await make('bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')))).status).toBe(413);
  });
});
