import type { Answer, Call } from '../server/client.js';
import { startEdge } from '../server/start-edge.js';
import { startServer, type Server } from '../server/start-server.js';

const FOREIGN = 'https://evil.example';
const ALLOWED = 'https://app.example.com';
const from = (headers: Record<string, string>): Record<string, string> => headers;

/**
 * Each case has the headers that a browser sends for a page, and whether we may take it for ours.
 * `own` stands for our origin.
 */
const PAGES: readonly (readonly [string, Record<string, string>, boolean])[] = [
  ['no browser', {}, true],
  ['our page', from({ origin: 'own', 'sec-fetch-site': 'same-origin' }), true],
  ['our page, in an old browser', from({ origin: 'own' }), true],
  ['our page behind a proxy', from({ origin: FOREIGN, 'sec-fetch-site': 'same-origin' }), true],
  ['the address bar', from({ 'sec-fetch-site': 'none' }), true],
  ['another site', from({ origin: FOREIGN, 'sec-fetch-site': 'cross-site' }), false],
  ['another site that hides its name', from({ 'sec-fetch-site': 'cross-site' }), false],
  ['another site, in an old browser', from({ origin: FOREIGN }), false],
  ['a sandboxed page', from({ origin: 'null', 'sec-fetch-site': 'cross-site' }), false],
  ['a sandboxed page, in an old browser', from({ origin: 'null' }), false],
  ['a neighbour', from({ origin: FOREIGN, 'sec-fetch-site': 'same-site' }), false],
  ['a neighbour that hides its name', from({ 'sec-fetch-site': 'same-site' }), false],
  ['a site that claims an unknown kind', from({ 'sec-fetch-site': 'trust-me' }), false],
  ['a name that begins as ours', from({ origin: 'own.evil.example' }), false],
  ['two origins', from({ origin: `own, ${FOREIGN}` }), false],
  ['no origin at all', from({ origin: '%%%' }), false],
];

const ROUTES: readonly (readonly [string, string, string?])[] = [
  ['POST', '/api/default/kept/_json', '[{"n":1}]'],
  ['POST', '/api/default/_bulk', '{"index":{"_index":"kept"}}\n{"n":1}\n'],
  ['PUT', '/api/default/_bulk', '{"index":{"_index":"kept"}}\n{"n":1}\n'],
  ['POST', '/api/default/sql', 'SELECT 1'],
  ['GET', '/api/default/sql?query=SELECT+1'],
  ['GET', '/%61pi/default/sql?query=SELECT+1'],
  ['POST', '/api/default/_search', '{"query":{"sql":"SELECT 1"}}'],
  ['POST', '/api/default/graphql', '{ kept { n } }'],
  ['POST', '/api/default/users', '{}'],
  ['PUT', '/api/default/users/root@example.com', '{}'],
  ['DELETE', '/api/default/users/root@example.com'],
  ['PUT', '/api/default/passcode'],
  ['PUT', '/api/default/streams/kept/settings', '{}'],
  ['DELETE', '/api/default/streams/kept'],
  ['PATCH', '/api/default/streams/kept'],
  ['POST', '/nowhere'],
];

describe('a request that a browser sends', () => {
  let server: Server;
  const own = (headers: Record<string, string>): Record<string, string> => ({
    ...headers,
    ...(headers.origin === undefined
      ? {}
      : { origin: headers.origin.replace(/^own/, new URL(server.url).origin) }),
  });
  const ask = (path: string, call: Call): Promise<Answer> =>
    server.client.call(path, { ...call, headers: own(call.headers ?? {}) });

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.0/8' } });
    await server.client.upload('kept', [{ n: 1 }]);
  });
  afterAll(() => server.stop());

  it.each(PAGES)('for %s', async (_what, headers, isOurs) => {
    const answer = await ask('/api/default/sql', { body: 'SELECT 1', headers });
    expect(answer.status).toBe(isOurs ? 200 : 403);
    if (isOurs) return;
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]+$/);
    expect(answer.json()).toMatchObject({
      code: 403,
      message: expect.stringContaining('MILLRACE_CORS_ORIGINS') as unknown,
    });
  });

  it.each(ROUTES.map(([method, path, body = '']) => [method, path, body]))(
    'for another site is refused at %s %s',
    async (method, path, body) => {
      for (const headers of [{ origin: FOREIGN }, { 'sec-fetch-site': 'cross-site' }]) {
        const call = { method, headers, ...(body === '' ? {} : { body }) };
        for (const credentials of [{}, { credentials: 'none' as const }])
          expect((await ask(path, { ...call, ...credentials })).status).toBe(403);
      }
    },
  );

  it('has changed nothing then', async () => {
    expect(await server.client.count('kept')).toBe(1);
  });

  it('for another site may be a link to a page, and to an answer', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    for (const path of ['/docs', '/graphiql', '/api/default/sql?query=SELECT+1', '/healthz'])
      expect((await ask(path, { headers: link })).status).toBe(200);
    const frame = { ...link, 'sec-fetch-dest': 'iframe' };
    expect((await ask('/api/default/streams', { headers: frame })).status).toBe(403);
    expect((await ask('/api/default/streams', { method: 'POST', headers: link })).status).toBe(403);
  });

  it('for our page behind a proxy goes by the name that the proxy tells', async () => {
    const headers = {
      origin: 'https://logs.example.com',
      'x-forwarded-host': 'logs.example.com',
      'x-forwarded-proto': 'https',
    };
    const upload = (more: Record<string, string>): Promise<Answer> =>
      ask('/api/default/sql', { body: 'SELECT 1', headers: { ...headers, ...more } });
    expect((await upload({})).status).toBe(200);
    expect((await upload({ 'x-forwarded-host': 'logs.example.com:443' })).status).toBe(200);
    expect((await upload({ 'x-forwarded-host': 'evil.example' })).status).toBe(403);
    expect((await upload({ origin: 'http://logs.example.com' })).status).toBe(403);
    expect((await upload({ origin: 'https://logs.example.com:8443' })).status).toBe(403);
  });

  it('gets nothing that lets other pages read', async () => {
    const answer = await ask('/api/default/sql', {
      method: 'OPTIONS',
      headers: { origin: FOREIGN, 'access-control-request-method': 'POST' },
      credentials: 'none',
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(answer.headers).filter((name) => /^access-control/.test(name))).toEqual([]);
  });
});

describe('a page of an allowed origin', () => {
  let server: Server;
  beforeAll(async () => {
    const variables = { MILLRACE_CORS_ORIGINS: `${ALLOWED}, http://localhost:3000` };
    server = await startServer({ variables });
    await server.client.upload('kept', [{ n: 1 }]);
  });
  afterAll(() => server.stop());

  it('learns without credentials what it may send', async () => {
    for (const origin of [ALLOWED, 'http://localhost:3000'])
      for (const path of ['/api/default/sql', '/api/default/users/ann@example.com']) {
        const { status, headers } = await server.client.call(path, {
          method: 'OPTIONS',
          credentials: 'none',
          headers: {
            origin,
            'sec-fetch-site': 'cross-site',
            'access-control-request-method': 'PUT',
            'access-control-request-headers': 'authorization,idempotency-key',
          },
        });
        expect([status, headers['access-control-allow-origin']]).toEqual([204, origin]);
        expect(headers['access-control-allow-methods']).toMatch(/PUT.*DELETE/);
        expect(headers['access-control-allow-headers']).toBe('authorization,idempotency-key');
        expect(headers['access-control-allow-credentials']).toBe('true');
        expect(headers['access-control-max-age']).toBe('600');
        expect(headers.vary).toMatch(/Origin/i);
      }
  });

  it.each([
    ['rows', 'POST', '/api/default/sql', 'SELECT n FROM kept', 200],
    ['a table', 'GET', '/api/default/tables/kept', undefined, 200],
    ['an error', 'POST', '/api/default/sql', 'SELEC', 400],
    ['no such route', 'POST', '/nowhere', '', 404],
  ])('may call and read %s', async (_what, method, path, body, status) => {
    const headers = { origin: ALLOWED, 'sec-fetch-site': 'cross-site', 'accept-encoding': 'gzip' };
    const call = { method, headers, ...(body === undefined ? {} : { body }) };
    const answer = await server.client.call(path, call);
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
      status,
      ALLOWED,
    ]);
    expect(answer.headers['access-control-expose-headers']).toMatch(/X-Request-Id.*Retry-After/);
    expect(answer.headers.vary).toMatch(/Origin/i);
  });

  it('reads the refusal of wrong credentials too', async () => {
    const answer = await server.client.call('/api/default/streams', {
      credentials: { email: 'nobody@example.com', password: 'Guess-Number-1' },
      headers: { origin: ALLOWED },
    });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, ALLOWED]);
  });

  it('queries with a token, which opens nothing for pages of others', async () => {
    const made = await server.client.call('/api/default/tokens', {
      body: '{"name":"page","role":"viewer","streams":["kept"]}',
    });
    const { token } = made.json<{ data: { token: string } }>().data;
    const page = (origin: string, sent: string): Promise<Answer> =>
      server.client.call('/api/default/sql', {
        body: 'SELECT n FROM kept',
        credentials: 'none',
        headers: { origin, 'sec-fetch-site': 'cross-site', authorization: `Bearer ${sent}` },
      });
    const preflight = (origin: string): Promise<Answer> =>
      server.client.call('/api/default/sql', {
        method: 'OPTIONS',
        credentials: 'none',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
    expect((await preflight(ALLOWED)).headers).toMatchObject({
      'access-control-allow-origin': ALLOWED,
      'access-control-allow-headers': 'authorization',
    });
    const answer = await page(ALLOWED, token);
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.json()]).toEqual([
      200,
      ALLOWED,
      [{ n: 1 }],
    ]);
    const wrong = await page(ALLOWED, `${token}x`);
    expect([wrong.status, wrong.headers['access-control-allow-origin']]).toEqual([401, ALLOWED]);
    const foreign = [await page(FOREIGN, token), await preflight(FOREIGN)];
    expect(foreign[0]?.status).toBe(403);
    for (const { headers } of foreign)
      expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is no other: no part of its name, no other scheme or port', async () => {
    for (const origin of [
      FOREIGN,
      'https://app.example.com.evil.example',
      'https://evil-app.example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'null',
    ]) {
      const answer = await server.client.call('/api/default/sql', {
        body: 'SELECT 1',
        headers: { origin },
      });
      expect([origin, answer.status]).toEqual([origin, 403]);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

it.each(['*', 'app.example.com', 'https://app.example.com/', 'https://App.Example.com', 'null'])(
  'the origin %s stops the start',
  async (origin) => {
    await expect(startServer({ variables: { MILLRACE_CORS_ORIGINS: origin } })).rejects.toThrow(
      /MILLRACE_CORS_ORIGINS: want origins/,
    );
  },
);

it('the edge program registers, drops and queries nothing for another site', async () => {
  const edge = await startEdge(['--table', 'cities=uk_cities_with_headers.csv']);
  try {
    const table = [{ tableName: 'x', uri: 'uk_cities_with_headers.csv' }];
    for (const headers of [{ origin: FOREIGN }, { 'sec-fetch-site': 'cross-site' }] as Record<
      string,
      string
    >[]) {
      expect((await edge.post('/api/table', table, headers)).json()).toMatchObject({
        code: 403,
        message: expect.stringContaining('--cors') as unknown,
      });
      expect((await edge.post('/api/tables/drop', table, headers)).status).toBe(403);
      expect((await edge.post('/api/sql', 'SELECT 1', headers)).status).toBe(403);
      expect((await edge.get('/api/tables/cities', headers)).status).toBe(403);
      expect((await edge.get('/health', headers)).status).toBe(200);
    }
    expect((await edge.post('/api/table', table, { origin: edge.url })).status).toBe(200);
  } finally {
    await edge.stop();
  }
});
