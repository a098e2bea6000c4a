import { jest } from '@jest/globals';
import { borrowServer, ROOT, type BorrowedServer } from '../server/borrow-server.js';
import { basic, TailReader } from '../server/tail-reader.js';
import { until } from '../server/until.js';

jest.setTimeout(120_000);

const PASSWORD = 'Secret-77';
const AS_ROOT = basic(ROOT.email, ROOT.password);
const json = (value: unknown) => ({ body: JSON.stringify(value) });

describe('a tail', () => {
  let server: BorrowedServer;
  const opened: TailReader[] = [];

  /** @param path behind the name of the organization; `-b/…` is of one beside it */
  const tail = (path: string, headers = AS_ROOT): TailReader => {
    const reader = new TailReader(`/api/${server.organization}${path}`, headers);
    opened.push(reader);
    return reader;
  };
  const open = async (path: string, headers = AS_ROOT): Promise<TailReader> => {
    const reader = tail(path, headers);
    expect(await reader.connect(server.url)).toEqual({ status: 200, said: '' });
    await until(() => Promise.resolve(reader.lastEventId !== ''));
    return reader;
  };
  const refusal = async (path: string, headers = AS_ROOT): Promise<[number, string]> => {
    const { status, said } = await tail(path, headers).connect(server.url);
    return [status, said];
  };
  const numbers = (reader: TailReader) => reader.rows<{ n: number }>().map(({ n }) => n);
  const has = (reader: TailReader, count: number): Promise<void> =>
    until(() => Promise.resolve(reader.rows().length >= count));
  const ends = async (reader: TailReader): Promise<string | undefined> => {
    await until(() => Promise.resolve(reader.end() !== undefined));
    await reader.closed;
    return reader.end();
  };
  const asRoot = async (path: string, value?: unknown, method?: string) => {
    const answer = await server.client.call(path, {
      ...(value === undefined ? {} : json(value)),
      ...(method === undefined ? {} : { method }),
    });
    expect([path, answer.status, answer.bytes.toString()]).toEqual([path, 200, expect.anything()]);
    return answer;
  };
  /** A viewer of the organization. */
  const add = async (name: string): Promise<Record<string, string>> => {
    const person = { email: `${name}@tail.example.com`, password: PASSWORD, role: 'viewer' };
    await asRoot('users', { ...person, first_name: 'A', last_name: 'B' });
    return basic(person.email, PASSWORD);
  };

  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload(
      'logs',
      Array.from({ length: 5 }, (_, n) => ({ n, message: `line ${n}`, nested: { a: null } })),
    );
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.leave();
  });
  afterAll(() => server.giveBack());

  it('begins with the newest rows where it should, and shows each new one once it is there', async () => {
    const [all, newest] = [await open('/logs/_tail'), await open('/logs/_tail?rows=2')];
    expect([numbers(all), numbers(newest)]).toEqual([[], [3, 4]]);
    // Another set of columns goes by another insert of the same delivery.
    await Promise.all([
      server.client.upload('logs', [{ n: 5 }]),
      server.client.upload('logs', [{ n: 6, status: 500, _timestamp: 1_700_000_000_000_001 }]),
    ]);
    await has(all, 2);
    await has(newest, 4);
    expect(numbers(all).toSorted()).toEqual([5, 6]);
    expect(numbers(newest).slice(2)).toEqual(numbers(all));
    expect(all.rows().find(({ n }) => n === 6)).toEqual({
      n: 6,
      status: 500,
      _timestamp: 1_700_000_000_000_001,
    });
    expect(await server.client.count('logs')).toBe(7);
  });

  it('shows rows that a condition selects, with the functions of search', async () => {
    const filter = encodeURIComponent("match_all('seven') OR n > 100");
    const reader = await open(`/logs/_tail?filter=${filter}`);
    await server.client.upload('logs', [
      { n: 7, message: 'line Seven' },
      { n: 8, message: 'line eight' },
      { n: 101 },
    ]);
    await has(reader, 2);
    expect(numbers(reader)).toEqual([7, 101]);
  });

  it.each([
    ['filter=nope%3D1', 400, 'there is no column'],
    ['filter=n%20IN%20(SELECT%20uuid%20FROM%20system.tables)', 403, 'system.tables'],
    ['filter=1)%20OR%20(1', 400, 'not one condition'],
    ['filter=1)%20UNION%20ALL%20SELECT%201,2,*%20FROM%20logs%20WHERE%20(1', 400, 'one condition'],
    ['filter=1%20LIMIT%201', 400, 'syntax error'],
    ['rows=1001', 400, 'rows'],
    ['row=1', 400, 'row'],
  ])('says what is wrong with ?%s', async (query, status, words) => {
    const [answered, said] = await refusal(`/logs/_tail?${query}`);
    expect([answered, said]).toEqual([status, expect.stringContaining(words)]);
  });

  it('is of streams, and of ids that it gave', async () => {
    for (const name of ['nowhere', '_audit', '_rejected'])
      expect((await refusal(`/${name}/_tail`))[0]).toBe(404);
    const reader = tail('/logs/_tail');
    for (const id of ['7', 'a.b.c.d', '01K9ZZ0000000000000000000B.1.1.1']) {
      reader.lastEventId = id;
      expect([id, (await reader.connect(server.url)).status]).toEqual([id, 400]);
    }
    const head = await server.client.call('logs/_tail', { method: 'HEAD' });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream']);
  });

  it('is nothing for another tenant, and of other streams nothing for a token', async () => {
    const asEve = await add('eve');
    await add('wally');
    await asRoot(`/api/${server.organization}-walled/users/wally@tail.example.com`, {
      role: 'admin',
    });
    await asRoot(`/api/${server.organization}-walled/secret/_json?wait=true`, [{ n: 1 }]);
    await asRoot(`/api/${server.organization}-theirs/users/eve@tail.example.com`, {
      role: 'admin',
    });
    expect(numbers(await open('-walled/secret/_tail?rows=9'))).toEqual([1]);
    expect((await refusal('-walled/secret/_tail', asEve))[0]).toBe(403);
    expect((await refusal('-theirs/secret/_tail', asEve))[0]).toBe(404);
    expect((await refusal('/logs/_tail', {}))[0]).toBe(401);
    const made = await asRoot('tokens', {
      name: 'narrow',
      role: 'viewer',
      streams: ['seen'],
    });
    const { token } = made.json<{ data: { token: string } }>().data;
    await server.client.upload('seen', [{ n: 1 }]);
    const byToken = { authorization: `Bearer ${token}` };
    expect((await refusal('/logs/_tail', byToken))[0]).toBe(404);
    const inner = encodeURIComponent('n IN (SELECT n FROM logs)');
    expect((await refusal(`/seen/_tail?filter=${inner}`, byToken))[0]).toBe(404);
    expect(numbers(await open('/seen/_tail?rows=9', byToken))).toEqual([1]);
  });

  it('ends when the account, its role, the token, the passcode or the stream goes', async () => {
    const passcode = (await server.client.call('passcode')).json<{
      data: { passcode: string };
    }>().data.passcode;
    const made = await asRoot('tokens', { name: 'short', role: 'viewer' });
    const { token } = made.json<{ data: { token: string } }>().data;
    const path = '/logs/_tail';
    const readers = {
      gone: await open(path, await add('gone')),
      changed: await open(path, await add('changed')),
      passcode: await open(path, basic(ROOT.email, passcode)),
      token: await open(path, { authorization: `Bearer ${token}` }),
      root: await open(path),
    };
    const signedIn = await server.client.call('/api/auth/sign-in', {
      ...json(ROOT),
      credentials: 'none',
      headers: { 'x-millrace-console': '1' },
    });
    const cookie = String(signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0]);
    const session = await open(path, { cookie });
    await server.client.call('users/gone@tail.example.com', { method: 'DELETE' });
    await server.client.call('users/changed@tail.example.com', {
      ...json({ new_password: 'Secret-78' }),
      method: 'PUT',
    });
    await asRoot('passcode', {}, 'PUT');
    await asRoot('tokens/short', undefined, 'DELETE');
    await server.client.call('/api/auth/sign-out', {
      method: 'POST',
      credentials: 'none',
      headers: { cookie, 'x-millrace-console': '1' },
    });
    for (const [who, reader] of Object.entries({ ...readers, session }))
      if (who !== 'root') expect([who, await ends(reader)]).toEqual([who, 'refused']);
    expect(readers.root.end()).toBeUndefined();
    await server.client.upload('brief', [{ n: 1 }]);
    const brief = await open('/brief/_tail');
    await asRoot('streams/brief', undefined, 'DELETE');
    expect(await ends(brief)).toBe('deleted');
    await add('founder');
    await asRoot(`/api/${server.organization}-doomed/users/founder@tail.example.com`, {
      role: 'admin',
    });
    await asRoot(`/api/${server.organization}-doomed/logs/_json?wait=true`, [{ n: 1 }]);
    const doomed = await open('-doomed/logs/_tail');
    await asRoot(
      `/api/${server.organization}-doomed`,
      { name: `${server.organization}-doomed` },
      'DELETE',
    );
    // Its streams go first, at a node that is asked just then.
    expect(await ends(doomed)).toMatch(/^(?:refused|deleted)$/);
    await server.client.upload('brief', [{ n: 2 }]);
    expect((await brief.connect(server.url)).status).toBe(400);
  });

  it('is one of so many', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => open('/logs/_tail')));
    const [status, said] = await refusal('/logs/_tail');
    expect([status, said]).toEqual([429, expect.stringContaining('you have 8 open tails')]);
    many[0]?.leave();
    await until(async () => (await tail('/logs/_tail').connect(server.url)).status === 200);
  });

  it('tells a quiet one that it is there, and ends a slow one, which goes on without a gap', async () => {
    for (const name of ['quiet', 'wide']) await server.client.upload(name, [{ n: -1 }]);
    const quiet = await open('/quiet/_tail');
    const slow = await open('/wide/_tail');
    slow.pause();
    const rows = 3000;
    const filling = 'x'.repeat(10_000);
    for (let from = 0; from < rows; from += 500)
      await server.client.upload(
        'wide',
        Array.from({ length: 500 }, (_, index) => ({ n: from + index, filling })),
      );
    // The uploads may take longer than a tail that takes nothing is waited for. Between two comments
    // that come after them is all of that time.
    const before = quiet.comments;
    await until(() => Promise.resolve(quiet.comments > before + 1));
    slow.resume();
    expect(await ends(slow)).toBe('slow');
    expect(slow.rows().length).toBeLessThan(rows);
    await slow.connect(server.url);
    await has(slow, rows);
    expect(numbers(slow)).toEqual(Array.from({ length: rows }, (_, n) => n));
    expect(quiet.end()).toBeUndefined();
  });
});
