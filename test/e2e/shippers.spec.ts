import { gzipSync } from 'node:zlib';
import type { Answer, Call } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

/**
 * Log shippers ask these things before and while they send, as their sources say (docs/shippers.md
 * names the versions). The shippers are no npm packages. So their requests are sent from here, and
 * the checks that they make of an answer are made here.
 */
describe('log shippers, with the path of an organization as their base path', () => {
  let server: BorrowedServer;
  const base = () => `/api/${server.organization}`;
  const ask = (path: string, call: Call = {}): Promise<Answer> =>
    server.client.call(`${base()}${path}`, call);

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const events = (action: string, index: string): string =>
    [1, 2]
      .map(
        (n) =>
          `${action.replace('INDEX', index)}\n{"@timestamp":"2026-11-21T08:00:0${n}.123Z","message":"m${n}"}\n`,
      )
      .join('');

  it('Filebeat: version, licence, no ILM, bulk create with gzip', async () => {
    // eslegclient Connection.Connect: the URL as configured, without a slash
    const info = await ask('', { headers: { accept: 'application/json' } });
    expect(info.status).toBe(200);
    expect(info.json<{ version: { number: string } }>().version.number).toMatch(/^8\.\d+\.\d+$/);
    // licenser: x-pack builds wait for an active licence
    const { license } = (await ask('/_license?human=false')).json<{
      license: { status: string; type: string; uid: string };
    }>();
    expect(license).toMatchObject({ status: 'active', type: 'basic' });
    // A shipper with setup left on is told that what it would make is there.
    expect((await ask('/_xpack')).json()).toMatchObject({ features: { ilm: { enabled: false } } });
    for (const path of [
      '/_index_template/filebeat-8.19.0',
      '/_data_stream/filebeat-8.19.0',
      '/_ilm/policy/filebeat',
    ]) {
      expect((await ask(path, { method: 'HEAD' })).status).toBe(200);
      expect((await ask(path)).status).toBe(200);
      expect((await ask(path, { method: 'PUT', body: '{}' })).json()).toEqual({
        acknowledged: true,
      });
    }
    const sent = await ask(
      '/_bulk?filter_path=errors%2Citems.%2A.error%2Citems.%2A.status&wait=true',
      {
        body: gzipSync(events('{"create":{"_index":"INDEX"}}', 'filebeat')),
        headers: { 'content-type': 'application/json; charset=UTF-8', 'content-encoding': 'gzip' },
      },
    );
    // bulkCollectPublishFails: an item below 300 is done
    const { items } = sent.json<{ items: { create: { status: number } }[] }>();
    expect(items.map(({ create }) => create.status)).toEqual([201, 201]);
  });

  it('Logstash: HEAD, product header, version, licence, bulk index', async () => {
    // http_client/pool.rb: healthcheck!
    expect((await ask('/', { method: 'HEAD' })).status).toBe(200);
    const info = await ask('/');
    expect(info.headers['x-elastic-product']).toBe('Elasticsearch');
    const { version, tagline } = info.json<{
      version: { number: string; build_flavor: string };
      tagline: string;
    }>();
    expect([version.build_flavor, tagline]).toEqual(['default', 'You Know, for Search']);
    expect((await ask('/_license')).json()).toMatchObject({ license: { status: 'active' } });
    const sent = await ask('/_bulk?filter_path=errors,items.*.error,items.*.status&wait=true', {
      body: events('{"index":{"_id":null,"_index":"INDEX","routing":null}}', 'logstash'),
      headers: { 'content-type': 'application/json' },
    });
    expect([sent.status, sent.json<{ errors: boolean }>().errors]).toEqual([200, false]);
  });

  it('Vector: health, version, bulk', async () => {
    expect((await ask('/_cluster/health')).status).toBe(200);
    expect((await ask('/')).json()).toHaveProperty('version.number');
    const sent = await ask('/_bulk?timeout=60s&wait=true', {
      body: events('{"index":{"_index":"INDEX","_type":"_doc"}}', 'vector'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    // retry.rs looks for these very bytes
    expect(sent.status).toBe(200);
    expect(sent.bytes.includes('"errors":true')).toBe(false);
    const refused = await ask('/_bulk?timeout=60s', {
      body: '{"index":{"_index":"vector"}}\n{"message":7}\n',
    });
    expect(refused.bytes.includes('"errors":true')).toBe(true);
    expect(refused.json()).toMatchObject({
      items: [{ index: { status: 400, error: { type: expect.any(String) as string } } }],
    });
  });

  it('Fluent Bit: bulk without asking; and its http output', async () => {
    const sent = await ask('/_bulk?wait=true', {
      body: events('{"create":{"_index":"INDEX","_type":"_doc"}}', 'fluentbit'),
      headers: { 'content-type': 'application/x-ndjson', 'user-agent': 'Fluent-Bit' },
    });
    expect(sent.json<{ errors: boolean }>().errors).toBe(false);
    const http = await ask('/fluentbit/_json', {
      body: '[{"_timestamp":1763712000.123456,"message":"m3"},{"_timestamp":1763712001.5,"message":4}]',
      headers: { 'content-type': 'application/json' },
    });
    expect(http.json()).toMatchObject({ status: [{ successful: 1, failed: 1 }] });
  });

  it('stored what each sent, with its time', async () => {
    for (const stream of ['filebeat', 'logstash', 'vector', 'fluentbit']) {
      expect(
        await server.client.sql(
          `SELECT message, toString(toUnixTimestamp64Milli(_timestamp)) AS t FROM ${stream} WHERE message IN ('m1', 'm2') ORDER BY message`,
        ),
      ).toEqual([
        { message: 'm1', t: String(Date.parse('2026-11-21T08:00:01.123Z')) },
        { message: 'm2', t: String(Date.parse('2026-11-21T08:00:02.123Z')) },
      ]);
    }
  });

  it.each(['', '/', '/_license', '/_xpack', '/_cluster/health', '/_index_template/x'])(
    '401 without credentials: GET %s',
    async (path) => {
      expect((await ask(path, { credentials: 'none' })).status).toBe(401);
    },
  );
});
