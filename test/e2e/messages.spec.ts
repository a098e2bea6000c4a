import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { startServer, type Server } from '../server/start-server.js';

interface Failure {
  readonly code: number;
  readonly message: string;
  readonly error_detail?: string;
}

describe('messages about slips of people', () => {
  let server: Server;
  const say = async (path: string, body?: string | Buffer): Promise<Failure> =>
    (
      await server.client.call(`/api/default/${path}`, body === undefined ? {} : { body })
    ).json<Failure>();

  beforeAll(async () => {
    server = await startServer();
    await server.client.upload('t', [{ a: 1, s: 'x' }]);
  });
  afterAll(() => server.stop());

  it.each<[string, string | Buffer, RegExp]>([
    ['t/_json?wiat=true', '{}', /^unknown key "wiat"; did you mean "wait"\?; known are wait$/],
    [
      't/_json',
      gzipSync('{"a":1}'),
      /compressed by gzip; say so by the header Content-Encoding: gzip; where it says so, it is compressed twice/,
    ],
    ['t/settings', '{"data_retention":99999999}', /^data_retention: at most 36500 days$/],
    ['users', '{"email":"a@b.cd","role":"viewer"}', /^password: is missing; want string$/],
    ['sql', 'SELECT cuont() FROM t', /there is no function cuont.*did you mean "count"\?/],
    ['sql', 'selec 1', /not with "selec"; did you mean "SELECT"\?/],
    ['sql', 'SELECT 1; SELECT 2', /^send one statement/],
    ['sql', '{"query":"SELECT 1"}', /the body is the statement itself/],
    ['sql', 'query=SELECT 1 AS x', /no form: send SELECT … alone/],
    [
      'sql',
      '--------x\r\nContent-Disposition: form-data; name="query"\r\n\r\nSELECT 1\r\n--------x--\r\n',
      /no form: send SELECT … alone/,
    ],
    ['sql', `SELECT ${'1+'.repeat(20_000)}1`, /^the statement joins too many values one by one/],
    ['sql', `SELECT ${'('.repeat(1200)}1${')'.repeat(1200)}`, /^the statement is nested too deep/],
    [
      'sql',
      'SELECT avg(s) FROM t',
      /^a number is wanted where a text stands: TRY_CAST\(x AS DOUBLE\)/,
    ],
    ['sql', 'SELECT 2 * s FROM t', /^a number is wanted where a text stands/],
    ['sql', 'SELECT round(s) FROM t', /^a number is wanted where a text stands/],
    ['sql', 'SELECT sqrt(s) FROM t', /^a number is wanted where a text stands/],
    ['sql', "SELECT s + 'y' FROM t", /^texts are joined by \|\|/],
    ['sql', 'SELECT s + [1] FROM t', /^Illegal types/],
    ['sql', "SELECT match(s, '((') FROM t", /cannot compile re2: \(\(, error: missing \): \(\(\.$/],
  ])('%s %j', async (path, body, message) => {
    const failure = await say(path, body);
    expect(failure.message).toMatch(message);
  });

  it.each<[string, string | undefined]>([
    ['_search', '{"query":{"sql":"selec"}}'],
    ['_search', '{"query":{"sql":5}}'],
    ['_search', '{'],
    ['t/_values?fields=a&size=x', undefined],
    ['t/_around?size=-1', undefined],
  ])('%s %j has a code of search', async (path, body) => {
    expect(await say(path, body)).toEqual({
      code: 20001,
      message: expect.any(String) as string,
      error_detail: '',
    });
  });

  it('a URL that is too long is told so, as JSON', async () => {
    const { hostname, port } = new URL(server.url);
    const path = `/api/default/t/_values?filter=${'x'.repeat(40_000)}`;
    const [status, body] = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const sent = request({ hostname, port, path }, (response) => {
        text(response).then((answer) => resolve([response.statusCode, answer]), reject);
      });
      sent.on('error', reject).end();
    });
    expect([status, (JSON.parse(body) as Failure).code]).toEqual([431, 431]);
  });

  it('an organization has the same number for every caller', async () => {
    const founder = { email: 'f@example.com', password: 'Secret-77', role: 'viewer' };
    await say('users', JSON.stringify({ ...founder, first_name: 'F', last_name: 'F' }));
    for (const name of ['zoo', 'abc'])
      await server.client.call(`/api/${name}/users/f@example.com`, { body: '{"role":"admin"}' });
    const numbers = async (credentials?: typeof founder) => {
      const answer = await server.client.call('/api/organizations', credentials && { credentials });
      const { data } = answer.json<{ data: { id: number; name: string }[] }>();
      return data.map(({ id, name }) => `${name} ${id}`);
    };
    expect(await numbers()).toEqual(['abc 3', 'default 1', 'zoo 2']);
    expect(await numbers(founder)).toEqual(['abc 3', 'default 1', 'zoo 2']);
  });
});
