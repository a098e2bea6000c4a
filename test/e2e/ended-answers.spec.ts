import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Answer } from '../server/client.js';
import { ROOT } from '../server/start-server.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const PASSWORD = 'Secret-77';
/** The number of queries that an organization may have at a time. */
const TURNS = 4;
/** An answer that is larger than what the connection holds unread. */
const LARGE = 'SELECT hex(sipHash128(number)) AS h FROM numbers(1000000)';

/** An answer may take long to begin, or to be read, and the right to it may end meanwhile. */
describe('an answer that is still to come, or to be read', () => {
  let server: BorrowedServer;
  let people = 0;
  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload('logs', [{ a: 1 }]);
  });
  afterAll(() => server.giveBack());

  const own = (path: string, body: object, method = 'POST'): Promise<Answer> =>
    server.client.call(path, { method, body: JSON.stringify(body) });
  const person = async () => {
    const email = `person-${(people += 1)}@ended.example.com`;
    const named = { email, password: PASSWORD, first_name: 'F', last_name: 'L', role: 'viewer' };
    expect((await own('users', named)).status).toBe(200);
    const credentials = { email, password: PASSWORD };
    expect((await server.client.call('sql', { body: 'SELECT 1', credentials })).status).toBe(200);
    return credentials;
  };
  const remove = async (email: string): Promise<void> => {
    expect((await own(`users/${email}`, {}, 'DELETE')).status).toBe(200);
  };

  /** Asks for a large answer, and reads nothing of it. */
  const unread = async ({ email, password }: typeof ROOT): Promise<IncomingMessage> => {
    const url = new URL(`/api/${server.organization}/sql`, server.url);
    const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`;
    const sent = request(url, { method: 'POST', headers: { authorization } });
    sent.end(LARGE);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    return answer;
  };
  const several = (who: typeof ROOT): Promise<readonly IncomingMessage[]> =>
    Promise.all(Array.from({ length: TURNS }, () => unread(who)));

  it.each<[string, string, string, (email: string) => Promise<void>]>([
    ['sql', 'SELECT count(*) AS n FROM logs', 'was removed', remove],
    ['graphql', '{ logs { a } }', 'was removed', remove],
    ['_search', '{"query":{"sql":"SELECT * FROM logs"}}', 'was removed', remove],
    [
      'sql',
      'SELECT count(*) AS n FROM logs',
      'has another password',
      async (email) => void (await own(`users/${email}`, { new_password: 'Secret-78' }, 'PUT')),
    ],
  ])('of %s (%s) is a 403 for one who %s while it waited', async (path, body, _title, end) => {
    const credentials = await person();
    const turns = await several(ROOT);
    const waiting = server.client.call(path, { body, credentials });
    await end(credentials.email);
    const { status, bytes } = await waiting;
    for (const each of turns) each.destroy();
    expect([status, bytes.toString()]).toEqual([403, expect.stringContaining('ended before')]);
  });

  it('is cut off for one who was removed, and gives its turn to others', async () => {
    const credentials = await person();
    const answers = await several(credentials);
    const next = server.client.call('sql', { body: 'SELECT 1' });
    await remove(credentials.email);
    expect((await next).status).toBe(200);
    const ends = answers.map(async (each) => {
      await new Promise((closed) =>
        each
          .on('error', () => undefined)
          .on('close', closed)
          .resume(),
      );
      return each.complete;
    });
    expect(await Promise.all(ends)).toEqual(answers.map(() => false));
  });
});
