import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import type { Answer, Call } from '../server/client.js';
import { deltaArchive } from '../server/delta-archive.js';
import { makeParquet } from '../server/make-parquet.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

/**
 * Every route that takes uploads must keep to these limits, whatever its format: rate, size, size
 * of a record, pace and Idempotency-Key. A route that is not in {@link ROUTES} fails the test.
 */
const MAX_BYTES = 64 * 1024;
const RECORD_BYTES = 2000;
const BURST = 10;
const FOUNDER = { email: 'founder@example.com', password: 'Secret-77' };
const BOUNDARY = 'x-boundary-4711';
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** An upload of one record, whose field `a` has this text. */
type MakeBody = (a: string) => Buffer;

const json: MakeBody = (a) => Buffer.from(`{"a":"${a}"}\n`);
const csv: MakeBody = (a) => Buffer.from(`a,b\n${a},1\n`);
const bulk: MakeBody = (a) => Buffer.from(`{"index":{"_index":"logs"}}\n{"a":"${a}"}\n`);
const tables = new Map<string, Buffer>();
const parquet: MakeBody = (a) => {
  const made = tables.get(a) ?? makeParquet(`SELECT '${a}' AS a`);
  tables.set(a, made);
  return made;
};
/** Each file is made once, because the writer numbers its dictionaries. */
const arrowFiles = new Map<string, Buffer>();
const arrow: MakeBody = (a) => {
  const made = arrowFiles.get(a) ?? Buffer.from(tableToIPC(tableFromArrays({ a: [a] }), 'file'));
  arrowFiles.set(a, made);
  return made;
};
const archives = new Map<string, Buffer>();
const delta: MakeBody = (a) => archives.get(a) ?? Buffer.alloc(0);

const inForm = (content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);

interface Route {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly content: MakeBody;
  /** Wraps the content as this route expects it. */
  wrap(content: Buffer): Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

function plain(title: string, content: MakeBody): Route {
  const [method = '', path = ''] = title.replace('{stream}', 'logs').split(' ');
  return { title, method, path, content, wrap: (bytes) => bytes, headers: {} };
}
const form = (route: Route): Route => ({
  ...route,
  title: `${route.title}, as a form`,
  wrap: inForm,
  headers: FORM,
});
const FORMATS = [
  plain('POST /api/{org}/{stream}/_json', json),
  plain('POST /api/{org}/{stream}/_multi', json),
  plain('POST /api/{org}/{stream}/_csv', csv),
  plain('POST /api/{org}/{stream}/_parquet', parquet),
  plain('POST /api/{org}/{stream}/_arrow', arrow),
  plain('POST /api/{org}/{stream}/_delta_lake', delta),
];
const ROUTES = [
  ...FORMATS,
  ...FORMATS.map(form),
  plain('POST /api/{org}/_bulk', bulk),
  plain('PUT /api/{org}/_bulk', bulk),
  plain('POST /api/{org}/{stream}/_bulk', bulk),
  plain('PUT /api/{org}/{stream}/_bulk', bulk),
];
/** Brings no body: what it moves was uploaded before. */
const WITHOUT_BODY = 'POST /api/{org}/{stream}/_rejected/retry';
const bodyOf = ({ content, wrap }: Route, a: string): Buffer => wrap(content(a));
const ALL = ROUTES.map((route) => [route.title, route] as const);

describe('every route that takes uploads', () => {
  let server: Server;
  let made = 0;

  beforeAll(async () => {
    for (const a of ['one', 'two', 'x'.repeat(RECORD_BYTES + 1)])
      archives.set(a, await deltaArchive(parquet(a), { a: 'string' }));
    server = await startServer({
      variables: {
        MILLRACE_MAX_UPLOAD_BYTES: String(MAX_BYTES),
        MILLRACE_MAX_RECORD_BYTES: String(RECORD_BYTES),
        MILLRACE_UPLOAD_IDLE_SECONDS: '2',
        MILLRACE_ORG_UPLOAD_REQUESTS_PER_SECOND: String(BURST),
      },
    });
    const body = JSON.stringify({ ...FOUNDER, first_name: 'F', last_name: 'F', role: 'member' });
    await server.client.call('/api/default/users', { body });
  });
  afterAll(() => server.stop());

  /** An organization of its own, so that no rate is used up by another test. */
  async function organization(): Promise<string> {
    made += 1;
    const org = `org${made}`;
    const answer = await server.client.call(`/api/${org}/users/${FOUNDER.email}`, {
      body: '{"role":"admin"}',
    });
    if (answer.status !== 200) throw new Error(answer.bytes.toString());
    return org;
  }

  const urlOf = ({ path }: Route, org: string): string => path.replace('{org}', org);
  const send = (route: Route, org: string, body: Buffer, headers: Call['headers'] = {}) =>
    server.client.call(`${urlOf(route, org)}?wait=true`, {
      method: route.method,
      body,
      headers: { ...route.headers, ...headers },
    });
  const stored = async (org: string): Promise<readonly string[]> => {
    const answer = await server.client.call(`/api/${org}/sql`, {
      body: 'SELECT a FROM logs ORDER BY a',
    });
    if (answer.status === 404) return [];
    return answer.json<{ a: string }[]>().map(({ a }) => a);
  };
  const problem = ({ status, bytes }: Answer) => [status, bytes.toString()];

  it('is in the table of this test', async () => {
    const { paths } = (await server.client.call('/openapi.json')).json<{
      paths: Record<string, Record<string, { tags: string[] }>>;
    }>();
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags.includes('Upload'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    const known = ROUTES.map(({ title }) => title).filter((title) => !title.endsWith('form'));
    expect(served.sort()).toEqual([...known, WITHOUT_BODY].sort());
  });

  it.each(ALL)('is 429 with Retry-After beyond its rate: %s', async (_title, route) => {
    const org = await organization();
    const answers = await Promise.all(
      Array.from({ length: 3 * BURST }, () => send(route, org, bodyOf(route, 'one'))),
    );
    const refused = answers.filter(({ status }) => status === 429);
    const taken = answers.filter(({ status }) => status === 200);
    expect(refused.length + taken.length).toBe(answers.length);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
    expect(await stored(org)).toHaveLength(taken.length);
  });

  it('is 429 with Retry-After beyond its rate: retrying what was rejected', async () => {
    const org = await organization();
    await server.client.call(`/api/${org}/logs/_json?wait=true`, { body: json('one') });
    const answers = await Promise.all(
      Array.from({ length: 3 * BURST }, () =>
        server.client.call(`/api/${org}/logs/_rejected/retry`, { method: 'POST' }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
  });

  it.each(ALL)('is 413 for a body that says it is too large: %s', async (_title, route) => {
    const org = await organization();
    const body = Buffer.concat([bodyOf(route, 'one'), Buffer.alloc(MAX_BYTES, ' ')]);
    expect(problem(await send(route, org, body))).toEqual([
      413,
      expect.stringContaining(`at most ${MAX_BYTES} bytes`),
    ]);
    expect(await stored(org)).toEqual([]);
  });

  it.each(ALL)('is 413 for one that turns out to be when decoded: %s', async (_title, route) => {
    const org = await organization();
    const once = route.content('one');
    const times = Math.ceil(MAX_BYTES / once.length) + 1;
    const many = Buffer.concat(Array.from({ length: times }, () => once));
    const body = gzipSync(route.wrap(many));
    expect(body.length).toBeLessThan(MAX_BYTES);
    expect(problem(await send(route, org, body, { 'content-encoding': 'gzip' }))).toEqual([
      413,
      expect.stringContaining('when decoded'),
    ]);
    expect(await stored(org)).toEqual([]);
  });

  it.each(ALL)('is 413 for a record that is too large: %s', async (_title, route) => {
    const org = await organization();
    const answer = await send(route, org, bodyOf(route, 'x'.repeat(RECORD_BYTES + 1)));
    expect(problem(answer)).toEqual([
      413,
      expect.stringMatching(new RegExp(`(record|row) 1 is longer than ${RECORD_BYTES} bytes`)),
    ]);
    expect(await stored(org)).toEqual([]);
  });

  it('gives up on a client that stops, on each of them', async () => {
    const stop = async (route: Route): Promise<unknown> => {
      const org = await organization();
      const body = bodyOf(route, 'one');
      const answer = await new Promise<[number | undefined, string]>((resolve, reject) => {
        const sent = request(
          new URL(urlOf(route, org), server.url),
          {
            method: route.method,
            auth: `${ROOT.email}:${ROOT.password}`,
            headers: { ...route.headers, 'content-length': body.length },
          },
          (response) => {
            text(response).then((message) => resolve([response.statusCode, message]), reject);
          },
        );
        sent.on('error', reject);
        sent.write(body.subarray(0, body.length - 1));
      });
      return [route.title, ...answer, await stored(org)];
    };
    expect(await Promise.all(ROUTES.map(stop))).toEqual(
      ROUTES.map(({ title }): unknown => [
        title,
        408,
        expect.stringContaining('stopped for 2 seconds'),
        [],
      ]),
    );
  });

  it.each(ALL)('stores once what comes under one Idempotency-Key: %s', async (_title, route) => {
    const org = await organization();
    const key = { 'idempotency-key': 'k' };
    const first = await send(route, org, bodyOf(route, 'one'), key);
    expect(first.status).toBe(200);
    const again = await send(route, org, bodyOf(route, 'one'), key);
    const same = ({ bytes }: Answer): string => bytes.toString().replace(/"took":\d+/, '');
    expect([again.status, same(again)]).toEqual([200, same(first)]);
    expect((await send(route, org, bodyOf(route, 'two'), key)).status).toBe(409);
    expect(await stored(org)).toEqual(['one']);
  });
});
