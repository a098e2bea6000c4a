import { request, type ClientRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const PASSWORD = 'Secret-77';

/**
 * A client may begin a request while it has a right, and send the rest of its body long after the
 * right is gone.
 */
describe('a request whose body comes late', () => {
  let server: BorrowedServer;
  let people = 0;
  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload('logs', [{ a: 'stored' }]);
  });
  afterAll(() => server.giveBack());

  const own = (path: string, body: object, method = 'POST'): Promise<Answer> =>
    server.client.call(path, { method, body: JSON.stringify(body) });
  const person = async (role: string): Promise<string> => {
    const email = `person-${(people += 1)}@parked.example.com`;
    const named = { email, password: PASSWORD, first_name: 'F', last_name: 'L', role };
    expect((await own('users', named)).status).toBe(200);
    // The password is known from then on, so the next request is admitted at once.
    const call = { body: 'SELECT 1', credentials: { email, password: PASSWORD } };
    expect((await server.client.call('sql', call)).status).toBe(200);
    return email;
  };
  const basic = (email: string): string =>
    `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}`;

  /** Sends all but the last byte, and gives what sends that one. */
  const park = async (
    path: string,
    body: string,
    authorization: string,
    method = 'POST',
  ): Promise<() => Promise<[number, string]>> => {
    const type = path.startsWith('loki') ? { 'content-type': 'application/json' } : {};
    const headers = { authorization, 'content-length': Buffer.byteLength(body), ...type };
    const url = new URL(`/api/${server.organization}/${path}`, server.url);
    let sent: ClientRequest | undefined;
    const answered = new Promise<[number, string]>((resolve, reject) => {
      sent = request(url, { method, headers: { ...headers, expect: '100-continue' } }, (answer) => {
        text(answer).then((told) => resolve([answer.statusCode ?? 0, told]), reject);
      });
      sent.on('error', reject);
    });
    await new Promise<void>((resolve) => {
      sent?.on('continue', resolve);
      sent?.flushHeaders();
    });
    sent?.write(body.slice(0, -1));
    return () => {
      sent?.end(body.slice(-1));
      return answered;
    };
  };

  const TOKEN = '{"name":"parked","role":"editor"}';
  const ENDED = [403, expect.stringContaining('ended before the request was complete')];
  const remove = async (email: string): Promise<void> => {
    expect((await own(`users/${email}`, {}, 'DELETE')).status).toBe(200);
  };
  const lower = async (email: string): Promise<void> => {
    expect((await own(`users/${email}`, { role: 'viewer' }, 'PUT')).status).toBe(200);
  };
  const changePassword = async (email: string): Promise<void> => {
    const body = { new_password: 'Secret-78' };
    expect((await own(`users/${email}`, body, 'PUT')).status).toBe(200);
  };

  it.each<[string, (email: string) => Promise<void>]>([
    ['was removed', remove],
    ['is a viewer', lower],
    ['has another password', changePassword],
  ])('makes no token for an admin who %s', async (_title, end) => {
    const admin = await person('admin');
    const go = await park('tokens', TOKEN, basic(admin));
    await end(admin);
    expect(await go()).toEqual(ENDED);
    const { data } = (await server.client.call('tokens')).json<{ data: unknown[] }>();
    expect(data).toEqual([]);
  });

  it('makes no admin again of one who was an admin', async () => {
    const admin = await person('admin');
    const go = await park(`users/${admin}`, '{"role":"admin"}', basic(admin), 'PUT');
    await lower(admin);
    expect(await go()).toEqual(ENDED);
  });

  it.each([
    ['sql', 'SELECT a FROM logs'],
    ['_search', '{"query":{"sql":"SELECT a FROM logs"}}'],
    ['graphql', 'query { logs { a } }'],
    ['clickhouse', 'SELECT a FROM logs'],
    ['catalog', '{"query":"{ streams { name } }"}'],
  ])('reads nothing by %s', async (path, body) => {
    const viewer = await person('viewer');
    const go = await park(path, body, basic(viewer));
    await remove(viewer);
    expect(await go()).toEqual(ENDED);
  });

  const LINE = '{"a":"parked"}\n';
  it.each([
    ['logs/_json', LINE],
    ['logs/_json', LINE.repeat(10_000)],
    ['logs/_csv', 'a\nparked\n'],
    ['_bulk', `{"index":{"_index":"logs"}}\n${LINE}`],
    ['_bulk', `{"index":{"_index":"logs"}}\n${LINE}`.repeat(5000)],
    ['logs/_doc', LINE],
    ['loki/api/v1/push', '{"streams":[{"stream":{},"values":[["1795439974406741761","parked"]]}]}'],
    ['clickhouse', `INSERT INTO logs FORMAT JSONEachRow\n${LINE}`],
  ])('stores nothing by %s', async (path, body) => {
    const [editor, made] = [
      await person('editor'),
      await own('tokens', { name: 'shipper', role: 'editor' }),
    ];
    const { token } = made.json<{ data: { token: string } }>().data;
    const parked = [
      await park(path, body, basic(editor)),
      await park(path, body, `Bearer ${token}`),
    ];
    await lower(editor);
    expect((await own('tokens/shipper', {}, 'DELETE')).status).toBe(200);
    for (const go of parked) {
      const [status, told] = await go();
      const all = `${status} ${told}`;
      expect(all).toMatch(/403.*ended before the request was complete/s);
    }
    expect(await server.client.sql('SELECT DISTINCT a FROM logs')).toEqual([{ a: 'stored' }]);
    const { list } = (await server.client.call('streams')).json<{ list: { name: string }[] }>();
    expect(list.map(({ name }) => name)).toEqual(['logs']);
  });

  it('of an admin who still is one is done', async () => {
    const admin = await person('admin');
    const go = await park('tokens', TOKEN, basic(admin));
    expect(await go()).toEqual([200, expect.stringContaining('"parked"')]);
  });
});
