import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const ANN = { email: 'ann@example.com', password: 'Secret-77' };
const MARK = 'only-for-the-others';

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Ways to write the organization `other` in a path; `other` itself is among them in two. */
const OTHERS = [
  'other',
  'o%74her',
  'OTHER',
  'Other',
  'other%20',
  '%20other',
  'other%09',
  'other%00',
  'other%0a',
  'other.',
  '.other',
  'other%2e',
  'other%2f',
  '%2fother',
  'other%5c',
  'other%3b',
  'other;a=b',
  'other%23',
  'other%3f',
  'acme%2fother',
  'acme%2f..%2fother',
  'acme/../other',
  'acme/%2e%2e/other',
  'acme%2f%2e%2e%2fother',
  'acme%252f..%252fother',
  './other',
  '//other',
  '%6fther%00acme',
  'acme%00other',
  // fullwidth, Cyrillic о, Greek ο, a combining mark, a soft hyphen, a zero-width space
  encodeURIComponent('ｏther'),
  encodeURIComponent('оther'),
  encodeURIComponent('οther'),
  encodeURIComponent('öther'),
  encodeURIComponent('o\u0308ther'),
  encodeURIComponent('ot\u00adher'),
  encodeURIComponent('oth\u200ber'),
  // overlong and broken UTF-8
  '%c1%afther',
  'other%ff',
  '%u006fther',
];

/** Ways to write `default`, where everybody is a member. */
const DEFAULTS = ['DEFAULT', 'Default', 'default.', 'default%20', 'default%2f', 'default%00'];

/** Ways to get at a stream of `other` from `acme`. */
const STREAMS = [
  'other.logs',
  'other%2flogs',
  '..%2fother%2flogs',
  '..%2f..%2fother%2ftables%2flogs',
  '../../other/tables/logs',
  '%2e%2e/%2e%2e/other/tables/logs',
  '%60other%60.%60logs%60',
  'logs%00',
  'logs%20',
  'LOGS',
  encodeURIComponent('lоgs'),
  '_audit',
  '%5faudit',
  '_AUDIT',
  encodeURIComponent('＿audit'),
  'system.tables',
  'system%2etables',
  'information_schema.tables',
];

describe('no spelling of a name opens what the name itself does not', () => {
  let server: Server;

  /** Sends the path as it is written here: a URL would be tidied up on its way. */
  function send(method: string, path: string, body?: string, as = ANN): Promise<Reply> {
    const { hostname, port } = new URL(server.url);
    return new Promise((resolve, reject) => {
      const sent = request(
        { hostname, port, method, path, auth: `${as.email}:${as.password}` },
        (response) => {
          text(response).then(
            (answer) => resolve({ status: response.statusCode ?? 0, body: answer }),
            reject,
          );
        },
      );
      sent.on('error', reject).end(body);
    });
  }

  async function everything(): Promise<unknown> {
    const seen: Record<string, string> = {};
    for (const path of [
      '/api/organizations',
      '/api/other/streams?fetchSchema=true',
      '/api/other/users',
      '/api/other/passcode',
      '/api/acme/users',
      '/api/acme/streams',
      '/api/default/streams',
    ])
      seen[path] = (await send('GET', path, undefined, ROOT)).body;
    return seen;
  }

  beforeAll(async () => {
    server = await startServer();
    const person = { ...ANN, first_name: 'Ann', last_name: 'Lee', role: 'viewer' };
    const asRoot = async (path: string, body: unknown): Promise<void> => {
      expect((await send('POST', path, JSON.stringify(body), ROOT)).status).toBe(200);
    };
    await asRoot('/api/default/users', person);
    await asRoot('/api/default/users', { ...person, email: 'founder@example.com' });
    await asRoot(`/api/acme/users/${ANN.email}`, { role: 'admin' });
    await asRoot('/api/other/users/founder@example.com', { role: 'admin' });
    await asRoot('/api/other/logs/_json?wait=true', [{ secret: MARK }]);
    expect((await send('GET', '/api/other/tables/logs', undefined, ROOT)).body).toContain(MARK);
  });
  afterAll(() => server.stop());

  it.each([...OTHERS, ...DEFAULTS])('organization %s', async (name) => {
    const before = await everything();
    const replies = [
      await send('GET', `/api/${name}/tables/logs`),
      await send('POST', `/api/${name}/sql`, 'SELECT * FROM logs'),
      await send('GET', `/api/${name}/users`),
      await send('GET', `/api/${name}/passcode`),
      await send('PUT', `/api/${name}/passcode`),
      await send('GET', `/api/${name}/audit`),
      await send('GET', `/api/${name}/summary`),
      await send('DELETE', `/api/${name}/logs`),
      await send('POST', `/api/${name}/logs/_json?wait=true`, '[{"secret":"mine"}]'),
      await send('POST', `/api/${name}/users/${ANN.email}`, '{"role":"admin"}'),
    ];
    for (const { status, body } of replies) {
      expect([400, 403, 404]).toContain(status);
      expect(JSON.parse(body)).toMatchObject({ code: status });
      expect(body).not.toContain(MARK);
    }
    expect(await everything()).toEqual(before);
  });

  it.each(STREAMS)('stream %s', async (name) => {
    const member = { email: 'ben@example.com', password: 'Secret-77' };
    await send(
      'POST',
      '/api/acme/users',
      JSON.stringify({ ...member, first_name: 'B', last_name: 'B', role: 'member' }),
    );
    const before = await everything();
    for (const path of [
      `/api/acme/tables/${name}`,
      `/api/acme/${name}/schema`,
      `/api/acme/streams/${name}/schema`,
      `/api/acme/${name}/_rejected`,
    ]) {
      const { status, body } = await send('GET', path, undefined, member);
      expect([400, 403, 404]).toContain(status);
      expect(body).not.toContain(MARK);
    }
    expect(await everything()).toEqual(before);
  });

  it('an escaped letter is the letter', async () => {
    const { status } = await send('POST', '/api/%61cme/lo%67s/_json?wait=true', '{"a":1}');
    expect(status).toBe(200);
    expect((await send('GET', '/api/acme/tables/logs')).body).toContain('"a":1');
    expect((await send('GET', '/api/acme/tables/logt')).status).toBe(404);
  });
});
